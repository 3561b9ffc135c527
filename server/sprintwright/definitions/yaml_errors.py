"""What YAML's scanner can't read, in a sentence that says what to do, with a fix where there is a plain one."""

from __future__ import annotations

import re

import yaml

from sprintwright.definitions.nodes import problem
from sprintwright.definitions.source import Source
from sprintwright.model.problem import Edit, Fix, Problem

_INDENTATION = re.compile(r"[ \t]*")
_VALUE = re.compile(r"[ \t]*+(?:-[ \t]++)*+(?:[^\s'\"{\[#&*!|>%@`:-][^:\n]*+:[ \t]++)?")
"""What stands before the value on a line: indentation, dashes, a key."""
_BRACES = re.compile(r"\{\{[^{}\n]*\}\}")
_COMMENT = re.compile(r"[ \t]+#")

_SENTENCES = (
    ("unknown escape", "In double quotes a backslash begins an escape; write \\\\ or use single quotes."),
    ("escape", "This escape can't be read; write \\\\ for a backslash, or use single quotes."),
    ("could not find expected ':'", "A colon is missing: each line of a mapping is 'key: value'."),
    ("block scalar", "The block of text behind '|' or '>' is not indented as it should be; indent it below its key."),
    ("tag", "This tag ('!…') can't be read; if it is meant as text, put it in quotes."),
    ("directive", "This directive can't be read; remove the line that begins with '%'."),
    ("incompatible", "This YAML version is not known; remove the line that begins with '%YAML'."),
    ("duplicate", "This directive stands here a second time; remove the line."),
    ("nesting depth", "This is nested too deep; make it flatter."),
    ("document start", "Something stands behind the end of the document; remove it."),
    ("expected '-' indicator", "This line belongs to a list, but does not begin with '- ' below the others."),
    ("block entries", "A list begins on a line of its own, below its key."),
    ("sequence entries", "A list begins on a line of its own, below its key."),
    (
        "mapping values",
        "A 'key: value' can't stand here; indent it like the keys above, or put quotes around the text.",
    ),
    ("block", "This does not fit what stands above; indent it like the other lines of its block."),
)


def explain(error: yaml.YAMLError, source: Source, shift: int) -> Problem:
    """A scanner's or parser's complaint as a `Problem`; ``shift`` is added to its offsets."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return problem("yaml_syntax", "This is not YAML; the file can't be read.", source.range(0, 0))
    place = error.problem_mark.index + shift
    context = error.context_mark.index + shift if error.context_mark else place
    words = f"{error.context or ''} {error.problem or ''}".lower()
    return (
        _tab(source, place)
        or _tab(source, context)
        or _must_be_quoted(source, place, context, words)
        or _never_closed(source, place, context, words)
        or _sentence(source, place, words)
    )


def starts_with_braces(text: str, offset: int) -> bool:
    """Whether a template's braces stand where YAML takes them for mappings."""
    return text.startswith("{", offset) and text[max(0, offset - 1) : offset + 1] == "{{"


def quote_fix(source: Source, offset: int, message: str) -> Problem:
    """A value, from where it begins on the line of ``offset`` to its end, that must be quoted."""
    line_start, line_end = source.line_at(offset)
    before = _VALUE.match(source.text, line_start, line_end)
    start = min(before.end() if before else line_start, offset)
    value = _braces_in_brackets(source, start, line_end)
    if value:
        start = source.text.index(value, start)
    else:
        comment = _COMMENT.search(source.text, start, line_end)
        value = source.text[start : comment.start() if comment else line_end].rstrip()
    where = source.range(start, start + len(value))
    quoted = "'" + value.replace("'", "''") + "'"
    fix = Fix(title="Put quotes around it", edits=(Edit(range=where, text=quoted),))
    return problem("must_be_quoted", message, where, fix=fix)


def _braces_in_brackets(source: Source, start: int, end: int) -> str:
    """The braces alone, when they stand in a list or mapping on one line."""
    if source.text[start : start + 2] == "{{" or source.text[start : start + 1] not in ("[", "{"):
        return ""
    found = _BRACES.search(source.text, start + 1, end)
    return found[0] if found else ""


def _tab(source: Source, offset: int) -> Problem | None:
    line_start, line_end = source.line_at(offset)
    found = _INDENTATION.match(source.text, line_start, line_end)
    if found is None or "\t" not in found[0]:
        return None
    where = source.range(found.start(), found.end())
    edit = Edit(range=where, text=found[0].replace("\t", "  "))
    fix = Fix(title="Replace the tabs with spaces", edits=(edit,))
    return problem("tab_indentation", "tab used for indentation, use spaces", where, fix=fix)


def _must_be_quoted(source: Source, place: int, context: int, words: str) -> Problem | None:
    for offset in (place, context):
        line_start, line_end = source.line_at(offset)
        before = _VALUE.match(source.text, line_start, line_end)
        if before and source.text.startswith("{{", before.end()):
            return quote_fix(source, max(offset, before.end()), "A value that begins with '{{' must be quoted.")
    character = source.text[place : place + 1]
    if "start any token" in words:
        return quote_fix(source, place, f"A value that begins with {character!r} must be quoted.")
    if "alias" in words or "anchor" in words:
        sign = source.text[context : context + 1]
        return quote_fix(
            source, context, f"A value that begins with {sign!r} is no plain text in YAML; put quotes around it."
        )
    if "mapping values" in words:
        line_start, line_end = source.line_at(place)
        before = _VALUE.match(source.text, line_start, line_end)
        if before and before.end() < place and source.text[line_start : before.end()].rstrip().endswith(":"):
            return quote_fix(source, place, "A text with ': ' in it must be quoted.")
    return None


def _never_closed(source: Source, place: int, context: int, words: str) -> Problem | None:
    at_end = "end of stream" in words or "document indicator" in words or not source.text[place:].strip()
    if "quoted scalar" in words and at_end:
        message = f"The quote {source.text[context : context + 1]} that opens here is never closed; close it."
        return problem("yaml_syntax", message, source.range(context, context + 1))
    if "flow" in words and context < place:
        opening = source.text[context : context + 1]
        closing = {"[": "]", "{": "}"}.get(opening, "bracket")
        message = (
            f"A ',' or {closing!r} is missing here; the {opening!r} opened in line {source.position(context)[0] + 1}."
        )
        related = ((f"the {opening!r}", source.range(context, context + 1)),)
        return problem("yaml_syntax", message, source.range(place, place + 1), related=related)
    return None


def _sentence(source: Source, place: int, words: str) -> Problem:
    known = (sentence for sign, sentence in _SENTENCES if sign in words)
    message = next(known, "This is not YAML here; check brackets, quotes and indentation.")
    return problem("yaml_syntax", message, source.range(place, place + 1))
