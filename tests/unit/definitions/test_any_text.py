"""Whatever the text: nothing is raised, every range is inside, and a value means that there is no error."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sprintwright.definitions.load import Loaded, decode, load_bytes, load_definition
from sprintwright.definitions.nodes import parse_nodes
from sprintwright.model.definition import Definition
from sprintwright.text import fold
from tests.unit.definitions.support import EXAMPLES, HEAD, TURN

_WORDS = [
    *[
        "name",
        "stages",
        "roles",
        "vars",
        "kind",
        "id",
        "prompt",
        "loop",
        "agent_turn",
        "check",
        "commands",
        "body",
        "verdict",
        "from",
        "over",
        "artifact",
        "null",
        "true",
        "1",
    ],
    *[
        "{{task}}",
        "{{if",
        "x}}",
        "{{end}}",
        "{{",
        "}}",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        '"',
        "&",
        "*",
        "&a",
        "*a",
        "<<",
        "!!str",
        "#",
        "\\",
        "?",
        "%",
        "@",
        "`",
        "é",
        "😀",
    ],
    *(": ", "- ", "\n", "\n  ", "\n    ", "\t", "|\n", ">\n", "---\n", "...\n", "\r\n"),
    *("\ufeff", "\0", "\x85", "\u2028", "\ud800"),
]
_TEXT = st.one_of(st.text(), st.lists(st.sampled_from(_WORDS), max_size=40).map("".join))
_GOOD = st.sampled_from(sorted(EXAMPLES.glob("*.yaml"))).map(lambda path: path.read_text("utf-8"))


def _is_sound(text: str, loaded: Loaded[Definition]) -> None:
    assert (loaded.value is None) == bool(loaded.errors)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for one in loaded.problems:
        where = one.range
        assert (0, 0) <= (where.line, where.column) <= (where.end_line, where.end_column)
        assert where.end_line < len(lines) and where.end_column <= len(lines[where.end_line]) + 1


@given(_TEXT, st.booleans())
@example("a: !", False)
@example("\ud800", False)
@example("{{", False)
@example("[]", True)
@example("", True)
def test_x067_no_text_raises(text: str, json: bool) -> None:
    parse_nodes(text, json=json)
    _is_sound(text, load_definition(text, json=json))


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    text, _ = decode(data)
    _is_sound(text, load_bytes(data)[1])


@given(_GOOD, st.data())
def test_a_good_file_with_a_stretch_replaced_never_raises(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = min(len(text), start + data.draw(st.integers(0, 20)))
    changed = text[:start] + data.draw(_TEXT) + text[end:]
    _is_sound(changed, load_definition(changed))


_NAME = st.text(st.sampled_from("aAäÄåÅßsSé\u0301eEKk\u212aﬁfi"), min_size=1, max_size=4)


@given(st.lists(_NAME, min_size=1, max_size=5))
def test_r026_no_two_accepted_names_collide(names: list[str]) -> None:
    head = HEAD.replace("[dev]", f"[dev, {', '.join(repr(name) for name in names)}]")
    loaded = load_definition(f"{head}  - {TURN}\n")
    collide = len({fold(name) for name in ["dev", *names]}) < len(names) + 1
    assert (loaded.value is None) is collide


@pytest.mark.parametrize("name", ["careful-change", "fan", "crew"])
def test_every_beginning_of_a_file_is_read_while_it_is_typed(name: str) -> None:
    text = (EXAMPLES / f"{name}.yaml").read_text("utf-8")
    for end in range(0, len(text), 7):
        _is_sound(text[:end], load_definition(text[:end]))
