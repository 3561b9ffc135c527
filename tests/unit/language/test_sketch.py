"""The tolerant reader: the same tree as the strict one where there is one, and a sensible tree elsewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from sprintwright.definitions.nodes import MAX_DEPTH, MappingNode, Node, ScalarNode, SequenceNode, parse_nodes
from sprintwright.definitions.source import Source
from sprintwright.language.sketch import sketch
from tests.unit.definitions.support import REPOSITORY
from tests.unit.language.support import ALL

_HANDBOOK = re.findall(r"```yaml\n(.*?)```", (REPOSITORY / "docs" / "writing-workflows.md").read_text("utf-8"), re.S)


def shape(node: Node | None) -> Any:
    """A tree as plain values; texts without their white space, which folding changes."""
    match node:
        case ScalarNode():
            return node.start, node.end, "".join(node.text.split()), node.style
        case SequenceNode():
            return node.start, node.end, [shape(item) for item in node.items]
        case MappingNode():
            return node.start, node.end, [(shape(key), shape(value)) for key, value in node.pairs]
        case None:
            return None


def plain(node: Node | None) -> Any:
    """A tree as the values that it stands for."""
    match node:
        case ScalarNode():
            return node.text
        case SequenceNode():
            return [plain(item) for item in node.items]
        case MappingNode():
            return {key.text: plain(value) for key, value in node.pairs}
        case None:
            return None


def read(text: str, *, json: bool = False) -> Any:
    return plain(sketch(Source(text), json=json))


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_file_that_can_be_read_has_the_same_tree(path: Path) -> None:
    text = path.read_text("utf-8")
    assert shape(sketch(Source(text))) == shape(parse_nodes(text).root)


@pytest.mark.parametrize("text", _HANDBOOK)
def test_the_examples_of_the_handbook_have_the_same_tree(text: str) -> None:
    assert shape(sketch(Source(text))) == shape(parse_nodes(text).root)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffname: x\nstages:\n- id: a\n  kind: check\n",
        "name: x\r\nstages:\r\n  - id: a\r\n    prompt: |\r\n      two\r\n\r\n      lines\r\n    kind: check\r\n",
        "a: 'it''s'\nb: \"q\\\"\\u00e9\"\nc: one\n  two\n\n  three # no\nd: >-\n  x\n  y\ne:\n",
        "a: {b: [1, {c: d}], 'e f': g,\n  h: i}\nj: []\n",
        "- - a\n  - b\n-\n  - c\n- d: e\n  f: g\n",
        "---\na: b:c\n# d: e\nf: http://x#y\n...\n",
    ],
)
def test_other_notations_have_the_same_tree(text: str) -> None:
    parsed = parse_nodes(text)
    assert parsed.complete
    assert shape(sketch(Source(text))) == shape(parsed.root)


def test_json_has_the_same_tree() -> None:
    text = (REPOSITORY / "definitions" / "workflow.schema.json").read_text("utf-8")
    assert shape(sketch(Source(text), json=True)) == shape(parse_nodes(text, json=True).root)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: x\nsta\nroles: [a]\n", {"name": "x", "sta": "", "roles": ["a"]}),
        ("a:\n  - id: b\n    ki\n    role: c\n", {"a": [{"id": "b", "ki": "", "role": "c"}]}),
        ("a:\n  - id: b\n    p: \"open\n    role: c\nd: e\n", {"a": [{"id": "b", "p": "open", "role": "c"}], "d": "e"}),
        ("a:\n  - {id: b, kind: [x\n  - {id: c}\nd: e", {"a": [{"id": "b", "kind": ["x"]}, {"id": "c"}], "d": "e"}),
        ("a:\n\t- id: b\n\t  kind: c\n", {"a": [{"id": "b", "kind": "c"}]}),
        ("a:\n  - id: b\n  ki\n  - id: c\nd: e\n", {"a": [{"id": "b"}, "ki", {"id": "c"}], "d": "e"}),
        ("p: {{task}}\nq: {{ta\nr: s\n", {"p": "{{task}}", "q": "{{ta", "r": "s"}),
        ("a: @b\nc: *d\ne: `f\n", {"a": "@b", "c": "*d", "e": "`f"}),
        ("a:\n    b: c\n  d: e\nf: g\n", {"a": {"b": "c", "d": "e"}, "f": "g"}),
        ("a: b: c\nd: e\n", {"a": "b: c", "d": "e"}),
        ("a: ]\nb: }\n", {"a": "]", "b": "}"}),
    ],
)  # fmt: skip
def test_b039_a_broken_text_keeps_everything_but_the_broken_line(text: str, expected: object) -> None:
    assert not parse_nodes(text).complete or "f: g" in text or "ki" in text
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "b, \n "c": 1}', {"a": "b,", "c": "1"}),
        ('{"a": [1, 2, "c": ]}', {"a": ["1", "2", "c"]}),
        ('{"a" "b": {"c": 1', {"a": "", "b": {"c": "1"}}),
        ("{", {}),
    ],
)
def test_broken_json_keeps_what_it_can(text: str, expected: dict[str, object]) -> None:
    assert not parse_nodes(text, json=True).complete
    assert read(text, json=True) == expected


@pytest.mark.parametrize("piece", ["[", "{a: ", "- ", "a:\n ", "? "])
def test_r026_depth_is_bounded(piece: str) -> None:
    text = "".join(" " * n + "- \n" for n in range(500)) if piece == "- " else piece * 20_000
    sketch(Source(text))
    sketch(Source(text), json=True)
    assert MAX_DEPTH < 500


@pytest.mark.parametrize(
    "line", ['a: "\n', "a: [\n", "a: |\n", "a\n", "- a\n", "'\n", "a: {b: '\n", " - {\n", "a: x\n  y\n"]
)
def test_reading_is_linear(line: str) -> None:
    def steps(count: int) -> int:
        calls = 0

        def count_calls(frame: Any, event: str, argument: Any) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(count_calls)
        try:
            sketch(Source(line * count))
        finally:
            sys.setprofile(None)
        return calls

    assert steps(800) < 5 * steps(200)
