"""What YAML and JSON do to people, row by row; and what they may not do to us."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from sprintwright.definitions.load import load_definition
from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, SequenceNode, parse_nodes
from tests.unit.definitions.support import HEAD, TURN, at, fixed


def plain(node: Node | None) -> object:
    """Nodes as mappings, lists and text."""
    match node:
        case ScalarNode():
            return node.text
        case SequenceNode():
            return [plain(item) for item in node.items]
        case MappingNode():
            return {key.text: plain(value) for key, value in node.pairs}
        case None:
            return None


@pytest.mark.parametrize(
    "word", ["on", "no", "1.10", "0x10", "~", "yes", "2024-01-01", "1e3", "0o7", "12:30:00", "=", ".5"]
)
def test_b029_scalars_stay_the_text_that_they_are(word: str) -> None:
    assert plain(parse_nodes(f"{word}: {word}\n").root) == {word: word}


def test_b029_a_key_that_older_yaml_reads_as_a_boolean_is_told_as_it_is_written() -> None:
    loaded = load_definition(f"on: done\n{HEAD}  - {TURN}\n")
    assert [(one.code, one.severity) for one in loaded.problems] == [("unknown_key", "warning")]
    assert "'on'" in loaded.problems[0].message


@pytest.mark.parametrize(
    ("first", "second"),
    [("a", "a"), ("a", "A"), ("é", "e\u0301"), ("Straße", "STRASSE"), ("a", "'a'"), ("a", '"\\x61"')],
)
def test_b031_equal_keys_are_an_error_with_both_places(first: str, second: str) -> None:
    text = f"x:\n  {first}: 1\n  {second}: 2\n"
    [found] = parse_nodes(text).problems
    assert (found.code, at(text, found)) == ("duplicate_key", second)
    assert found.related[0][1].line == 1


def test_b033_an_alias_bomb_is_refused_before_it_grows() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for name, below in zip("bcdefghi", "abcdefgh", strict=True):
        bomb += f"{name}: &{name} [{', '.join([f'*{below}'] * 9)}]\n"
    tracemalloc.start()
    started = time.perf_counter()
    parsed = parse_nodes(bomb)
    seconds, (_, peak) = time.perf_counter() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [one.code for one in parsed.problems] == ["too_many_aliases"]
    assert (seconds < 1, peak < 5_000_000) == (True, True)


def test_b033_few_aliases_of_much_are_refused_too() -> None:
    text = f"a: &a [{'x, ' * 3000}]\nb: [*a, *a]\nc: &c [*a]\nd: *c\n"
    assert [one.code for one in parse_nodes(text).problems] == ["alias_bomb"]


def test_b033_aliases_can_not_be_stacked_deeper_than_the_limit() -> None:
    deep = "[" * 30 + "x" + "]" * 30
    text = f"a: &a {deep}\nb: {'[' * 30}*a{']' * 30}\n"
    assert [one.code for one in parse_nodes(text).problems] == ["too_deep"]


def test_a_few_aliases_are_what_they_stand_for() -> None:
    assert plain(parse_nodes("a: &a {x: [1]}\nb: *a\nc: [*a]\n").root) == {
        "a": {"x": ["1"]}, "b": {"x": ["1"]}, "c": [{"x": ["1"]}],
    }  # fmt: skip


@pytest.mark.parametrize("text", ["name: x\n---\nname: y\n", "---\nname: x\n...\n---\nname: y\n", "name: x\n--- y\n"])
def test_b035_a_second_document_is_an_error_where_it_begins(text: str) -> None:
    [found] = parse_nodes(text).problems
    assert (found.code, at(text, found)) == ("second_document", "---")
    assert plain(parse_nodes(text).root) == {"name": "x"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a:\n\tb: 1\n", 1),
        ("a:\n  - x\n\t- y\n", 2),
        ("\tname: x\n", 0),
        ("a: 1\r\n\tb: 2\r\n", 1),
        ("\ufeffa: 1\n\tb: 2\n", 1),
        ("a:\n  b: 1\n  \tc: 2\n", 2),
        ("a: |\n\ttext\n", 1),
    ],
)
def test_b037_b039_a_tab_as_indentation_is_told_on_its_line_with_a_fix(text: str, line: int) -> None:
    [found] = parse_nodes(text).problems
    assert (found.message, found.range.line) == ("tab used for indentation, use spaces", line)
    assert "\t" not in fixed(text, found)


def test_b037_tabs_inside_of_text_and_behind_colons_are_fine() -> None:
    assert plain(parse_nodes("a: |\n  x\ty\n  \tz\nb:\tc\n").root) == {"a": "x\ty\n\tz\n", "b": "c"}


@pytest.mark.parametrize(
    "start", ["", "\ufeff", "\ufeff# yaml-language-server: $schema=workflow.schema.json\n", "%YAML 1.2\n---\n"]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_b041_b043_byte_order_mark_modeline_and_line_ends_change_nothing(start: str, line_end: str) -> None:
    text = (start + HEAD.replace("[dev]", "{dev: {permissions: read_only}}") + f"  - {TURN}\n").replace("\n", line_end)
    loaded = load_definition(text)
    assert loaded.problems == ()
    assert loaded.value is not None and loaded.value.roles["dev"].permissions == "read_only"


def test_ranges_count_lines_as_editors_do() -> None:
    text = "a: 'x\u2028y\x85z'\r\nb: 😀\rc: {d: e}\n"
    root = parse_nodes(text).root
    assert isinstance(root, MappingNode)
    assert [(key.text, key.range.line, value.range.column) for key, value in root.pairs] == [
        ("a", 0, 3), ("b", 1, 3), ("c", 2, 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("prompt: {{task}}\n", "prompt: '{{task}}'\n"),
        ("prompt: {{.task}} do it # now\n", "prompt: '{{.task}} do it' # now\n"),
        ("prompt: {{x}} it's\n", "prompt: '{{x}} it''s'\n"),
        ("- {{task}} x\n", "- '{{task}} x'\n"),
        ("a: [{{x}}, b]\n", "a: ['{{x}}', b]\n"),
        ("- {id: a, prompt: {{x}}}\n", "- {id: a, prompt: '{{x}}'}\n"),
        ("a: @dev\n", "a: '@dev'\n"),
        ("a: `run` it\n", "a: '`run` it'\n"),
        ("a: %s\n", "a: '%s'\n"),
        ("a: *bold* text\n", "a: '*bold* text'\n"),
        ("prompt: Note: do it\n", "prompt: 'Note: do it'\n"),
    ],
)
def test_a_value_that_must_be_quoted_is_told_so_and_can_be_fixed(text: str, result: str) -> None:
    [found] = parse_nodes(text).problems
    assert found.code == "must_be_quoted"
    assert fixed(text, found) == result
    assert parse_nodes(result).problems == ()


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a: 'x\nb: 1\n", (0, 3), "never closed"),
        ('a: "x\n', (0, 3), "never closed"),
        ('a: "\\q"\n', (0, 4), "escape"),
        ("a: [1, 2\nb: 3\n", (1, 1), "']'"),
        ("a: {b: 1\n", (1, 0), "'}'"),
        ("- a\nb: 1\n", (1, 0), "list"),
        ("a: 1\n b: 2\n", (1, 2), "indent"),
        ("a: - b\n", (0, 3), "line of its own"),
        ("a: *nobody\n", (0, 3), "nowhere above"),
        ("a: &x [*x]\n", (0, 7), "no end"),
        ("? [a]\n: b\n", (0, 2), "key"),
        ("'': b\n", (0, 0), "key is missing"),
    ],
)
def test_broken_yaml_is_told_in_words_on_its_place(text: str, place: tuple[int, int], words: str) -> None:
    [found] = parse_nodes(text).problems
    assert ((found.range.line, found.range.column), words in found.message) == (place, True)


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system",
        "!!python/name:os.system",
        "!mine",
        "!!binary",
        "!<tag:x>",
        "!!map",
        "!!timestamp",
        "!!merge",
    ],
)
def test_x067_tags_are_errors_and_run_nothing(tag: str) -> None:
    assert {one.code for one in parse_nodes(f"a: {tag} x\n").problems} == {"tag"}


def test_x067_core_tags_where_they_fit_are_only_text() -> None:
    parsed = parse_nodes("a: !!str 1.10\nb: !!int 3\nc: !!seq [x]\nd: !!map {}\n")
    assert (parsed.problems, plain(parsed.root)) == ((), {"a": "1.10", "b": "3", "c": ["x"], "d": {}})


def test_x067_merge_keys_carry_nothing_in() -> None:
    text = "x: &x {permissions: full}\nroles:\n  judge:\n    <<: *x\n    permissions: read_only\n"
    parsed = parse_nodes(text)
    assert [(one.code, at(text, one)) for one in parsed.problems] == [("merge_key", "<<")]
    assert "merge" in parsed.problems[0].message.lower()


@pytest.mark.parametrize(
    "text", ["[" * 5000, "- " * 5000, "{a: " * 60, "[" * 60 + "]" * 60], ids=["lists", "dashes", "maps", "closed"]
)
def test_x067_depth_is_limited(text: str) -> None:
    parsed = parse_nodes(text)
    assert len(parsed.problems) == 1 and "deep" in parsed.problems[0].message


def test_x067_fifty_levels_are_allowed() -> None:
    assert parse_nodes("[" * 50 + "]" * 50).problems == ()


@pytest.mark.parametrize("size", [1_000_001, 2_000_000])
@pytest.mark.parametrize("json", [False, True])
def test_x067_size_is_limited(size: int, json: bool) -> None:
    assert [one.code for one in parse_nodes("x" * size, json=json).problems] == ["too_large"]


def test_x067_size_counts_bytes() -> None:
    assert [one.code for one in parse_nodes("é" * 500_001).problems] == ["too_large"]


_LARGE = {
    "items": "- a\n" * 249_000,
    "flow": "a: [" + "a," * 490_000 + "]",
    "keys": "".join(f"k{number}: v\n" for number in range(80_000)),
    "equal keys": "a: 1\n" * 190_000,
    "tags": "- !!x a\n" * 90_000,
    "control characters": "\x01" * 900_000,
    "lines": "\n" * 990_000,
    "comments": "# x\n" * 240_000,
    "text": "a: |\n" + "  x {{y}}\n" * 90_000,
    "broken": "a: b: c\n" * 120_000,
    "anchors": "".join(f"- &a{number} x\n" for number in range(60_000)),
    "strings": "[" + '"\\u0041",' * 90_000 + "]",
    "over the limit": "[{" * 1_000_000,
}


@pytest.mark.parametrize("name", _LARGE)
@pytest.mark.parametrize("json", [False, True])
def test_x067_whatever_stands_in_two_megabytes_is_read_in_time(name: str, json: bool) -> None:
    started = time.process_time()
    parse_nodes(_LARGE[name], json=json)
    assert time.process_time() - started < 10  # what doubles with each level would take hours


def test_control_characters_are_told_one_by_one_and_can_be_removed() -> None:
    text = "a: x\x00y\nb: \x1b[0m\n"
    problems = parse_nodes(text).problems
    assert [(one.code, at(text, one)) for one in problems] == [
        ("control_character", "\0"),
        ("control_character", "\x1b"),
    ]
    assert fixed(text, problems[0]) == "a: xy\nb: \x1b[0m\n"


def test_json_takes_tabs_and_surrogate_pairs() -> None:
    parsed = parse_nodes('{\n\t"a":\t"\\ud83d\\ude00",\t"b": [1, true, null, {}, []]\n}\n', json=True)
    assert (parsed.problems, plain(parsed.root)) == ((), {"a": "😀", "b": ["1", "true", "null", {}, []]})


_BROKEN_JSON = (
    '{"a": NaN}', '{"a": Infinity}', '{"a": 1,}', "{'a': 1}", "{a: 1}", "[1 2]", '"x', '"\\q"', '"\t"', "[1] x",
    '{"a" 1}', '{"a":', "01", '{"<<": 1} // c',
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"a": 1, "A": 2}', "duplicate_key"),
        ("[" * 100_000, "too_deep"),
        *((text, "json_syntax") for text in _BROKEN_JSON),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_broken_json_is_told_in_words(text: str, code: str) -> None:
    assert [one.code for one in parse_nodes(text, json=True).problems] == [code]


def test_half_of_a_surrogate_pair_is_replaced() -> None:
    assert plain(parse_nodes('"\\ud83d!"', json=True).root) == "\ufffd!"
