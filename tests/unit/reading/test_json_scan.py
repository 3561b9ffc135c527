"""JSON from outside: limits, and objects found in prose."""

from __future__ import annotations

import pytest

from sprintwright.model.value import Json
from sprintwright.reading.json_scan import JsonRefused, objects, parse_json, spans


@pytest.mark.parametrize(
    "text",
    [
        "", "{", '{"a":}', "[1,]", "[" * 100_000, '{"a":' * 100_000, "[" * 201 + "]" * 201, "NaN", "[Infinity]",
        "-Infinity", '{"verdict":1,"verdict":2}', '{"a":{"b":1,"b":1}}', '{"a\\ud800":1,"a\\udfff":2}', '"a\nb"', "01",
    ],
)  # fmt: skip
def test_x068_what_is_refused_is_one_kind_of_error(text: str) -> None:
    with pytest.raises(JsonRefused):
        parse_json(text)


def test_x068_brackets_in_strings_are_not_depth() -> None:
    assert parse_json('["' + "[" * 1_000 + '"]') == ["[" * 1_000]


def test_x068_more_than_the_allowed_size_is_refused_with_both_numbers() -> None:
    with pytest.raises(JsonRefused, match=r"11 characters, more than 10"):
        parse_json("[" + " " * 9 + "]", size=10)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1" * 20, int("1" * 20)),
        ("-" + "1" * 20, -int("1" * 20)),
        ("1" * 21, "1" * 21),
        ("9" * 100_000, "9" * 100_000),
        ("1e999", "1e999"),
        ('"\\ud800"', "\ufffd"),
        ('"\ud800"', "\ufffd"),
        ('["\\ud83d\\ude00"]', ["😀"]),
        ('{"\\udfff":1}', {"\ufffd": 1}),
    ],
)
def test_x068_r022_what_no_store_holds_becomes_text_that_it_does(text: str, value: Json) -> None:
    assert parse_json(text) == value


def test_b023_control_characters_in_strings_are_taken_on_request() -> None:
    assert parse_json('"a\nb\tc"', lenient=True) == "a\nb\tc"


FOUND: list[tuple[str, list[Json]]] = [
    ("no object", []),
    ('a {"x":1} b {"y":{"z":2}} c', [{"x": 1}, {"y": {"z": 2}}]),
    ('{x} {"x":1}', [{"x": 1}]),
    ('{"x":1', []),
    ('{"x":1} {"y":', [{"x": 1}]),
    ('{"x":"}"} {"y":"\\"{"}', [{"x": "}"}, {"y": '"{'}]),
    ('[{"x":1},{"y":2}]', [{"x": 1}, {"y": 2}]),
    ("{} {}", [{}, {}]),
    ('{"x":1,} {"y":2}', [{"y": 2}]),
    ('{"x":1,"x":2} {"y":2}', [{"y": 2}]),
    ('{"x":[1}] {"y":2}', [{"y": 2}]),
    ('{"x":NaN} {"y":2}', [{"y": 2}]),
    ('{"a":"one\ntwo"}', [{"a": "one\ntwo"}]),
    ("{'x':1} {\"y\" : -1.5e3 }", [{"y": -1500.0}]),
]


@pytest.mark.parametrize(("text", "values"), FOUND)
def test_objects_are_found_where_they_stand(text: str, values: list[Json]) -> None:
    assert objects(text) == values


def test_an_object_that_the_text_ends_within_is_told_apart_from_a_broken_one() -> None:
    broken, cut_off = spans('{"a":x} {"b":"unfinished {')
    assert (broken.finished, broken.end) == (True, 5)
    assert (cut_off.finished, cut_off.end) == (False, 26)
