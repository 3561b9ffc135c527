"""YAML -> nodes, from the event stream of PyYAML: nothing is constructed, nothing resolved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from sprintwright.definitions.building import Builder, StopReading
from sprintwright.definitions.nodes import Parsed, problem
from sprintwright.definitions.source import Source
from sprintwright.definitions.yaml_errors import explain, quote_fix, starts_with_braces
from sprintwright.model.problem import Edit, Fix, Problem

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Only its scanner and parser are used; `yaml.parse` never constructs."""
_CORE_TAGS: dict[str, type[yaml.Event]] = {
    "str": yaml.ScalarEvent, "int": yaml.ScalarEvent, "float": yaml.ScalarEvent, "bool": yaml.ScalarEvent,
    "null": yaml.ScalarEvent, "map": yaml.MappingStartEvent, "seq": yaml.SequenceStartEvent,
}  # fmt: skip
_CORE = "tag:yaml.org,2002:"
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufeff")
_MOST_SHOWN = 20


def parse_yaml(source: Source) -> Parsed:
    """Read one YAML document. Never raises."""
    builder = Builder(source)
    bom = source.text.startswith("\ufeff")
    text, bad = _without_control_characters(source, 1 if bom else 0)
    builder.problems.extend(bad)
    complete = True
    try:
        for event in _events(text):
            _take(event, builder, source, 1 if bom else 0)
    except StopReading:
        complete = False
    except yaml.YAMLError as error:
        builder.problems.append(explain(error, source, 1 if bom else 0))
        complete = False
    return Parsed(source, builder.root(), tuple(builder.problems), complete)


def _events(text: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(text, Loader=_LOADER)  # pyright: ignore[reportUnknownMemberType]


def _without_control_characters(source: Source, bom: int) -> tuple[str, list[Problem]]:
    """The text without its byte order mark, characters that YAML refuses replaced, and a problem for each of them."""
    problems: list[Problem] = []
    for match in _NOT_ALLOWED.finditer(source.text, bom):
        where = source.range(match.start(), match.end())
        fix = Fix(title="Remove the character", edits=(Edit(range=where, text=""),))
        message = f"There is an invisible character here (U+{ord(match[0]):04X}) that YAML does not allow; remove it."
        problems.append(problem("control_character", message, where, fix=fix))
        if len(problems) == _MOST_SHOWN:
            break
    text = source.text[bom:]
    return (_NOT_ALLOWED.sub("\ufffd", text) if problems else text), problems


def _take(event: yaml.Event, builder: Builder, source: Source, shift: int) -> None:
    start, end = event.start_mark.index + shift, event.end_mark.index + shift
    match event:
        case yaml.ScalarEvent():
            _check_tag(event, builder, start, end)
            style = str(event.style or "")
            builder.scalar(start, _end_of(source.text, start, end, style), str(event.value), style, event.anchor or "")
        case yaml.DocumentStartEvent():
            if builder.documents:
                raise builder.stop(
                    "second_document",
                    "A second document begins here; put each workflow in a file of its own.",
                    start,
                    end,
                )
            builder.documents += 1
        case yaml.AliasEvent():
            builder.alias(start, end, str(event.anchor))
        case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
            _check_tag(event, builder, start, end)
            if builder.at_key and starts_with_braces(source.text, start):
                builder.problems.append(quote_fix(source, start, "A value that begins with '{{' must be quoted."))
                raise StopReading
            builder.open(start, mapping=isinstance(event, yaml.MappingStartEvent), anchor=event.anchor or "")
        case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
            builder.close(end)
        case _:
            pass


def _end_of(text: str, start: int, end: int, style: str) -> int:
    """A block scalar ends, for YAML, where the next thing begins."""
    return start + len(text[start:end].rstrip()) if style in ("|", ">") else end


def _check_tag(
    event: yaml.ScalarEvent | yaml.SequenceStartEvent | yaml.MappingStartEvent, builder: Builder, start: int, end: int
) -> None:
    tag = event.tag
    if not tag or tag == "!":
        return
    kind = _CORE_TAGS.get(tag.removeprefix(_CORE)) if tag.startswith(_CORE) else None
    shown = tag.replace(_CORE, "!!", 1)
    if kind is None:
        builder.report("tag", f"The tag {shown!r} is not known here; remove it. Tags never run anything.", start, end)
    elif not isinstance(event, kind):
        builder.report("tag", f"The tag {shown!r} does not fit what it stands before; remove it.", start, end)
