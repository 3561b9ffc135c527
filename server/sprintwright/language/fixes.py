"""Quick fixes: what problems bring along, and further ones for the same problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sprintwright.definitions.insertion import add_key, add_role, as_scalar, is_json
from sprintwright.definitions.nodes import MappingNode
from sprintwright.language.diagnosis import diagnose
from sprintwright.language.document import Document, overlaps
from sprintwright.model.problem import Edit, Fix, Problem, Range

_TABS = re.compile(r"^[ ]*\t[ \t]*", re.MULTILINE)


def fixes(document: Document, where: Range) -> tuple[tuple[Problem, Fix], ...]:
    """The quick fixes of the problems that touch a range, each with its problem; the likeliest first."""
    found = list[tuple[Problem, Fix]]()
    for one in diagnose(document):
        if overlaps(one.range, where):
            further = _FURTHER.get(one.code)
            given = [one.fix] if one.fix else []
            added = [fix for fix in further(document, one) if fix not in given] if further else []
            found.extend((one, fix) for fix in (*given, *added))
    return tuple(found)


def _text_of(document: Document, where: Range) -> str:
    start, end = _offsets(document, where)
    return document.text[start:end]


def _offsets(document: Document, where: Range) -> tuple[int, int]:
    starts = document.source.line_starts
    return starts[where.line] + where.column, starts[where.end_line] + where.end_column


def _declare_role(document: Document, one: Problem) -> Iterator[Fix]:
    written = _text_of(document, one.range).strip("'\"").strip()
    if written and (fix := add_role(document.outline, written)):
        yield fix


def _declare_variable(document: Document, one: Problem) -> Iterator[Fix]:
    name = _text_of(document, one.range)
    if not re.fullmatch(r"[^\W\d][\w-]*", name):
        return
    root = document.outline.root
    variables = root.get("vars")
    json = is_json(root)
    if isinstance(variables, MappingNode):
        fix = add_key(variables, name, "''" if not json else '""', title=f"Add {name!r} to 'vars'")
    elif variables is None:
        value = "{" + as_scalar(name, json=json) + (': ""}' if json else ": ''}")
        fix = add_key(root, "vars", value, title=f"Add {name!r} to 'vars'")
    else:
        fix = None
    if fix:
        yield fix


def _all_tabs(document: Document, one: Problem) -> Iterator[Fix]:
    found = list(_TABS.finditer(document.text))
    if len(found) > 1:
        edits = tuple(
            Edit(range=document.source.range(match.start(), match.end()), text=match[0].replace("\t", "  "))
            for match in found[:1000]
        )
        yield Fix(title="Replace all tabs of the file", edits=edits)


def _remove_line(document: Document, one: Problem) -> Iterator[Fix]:
    """Take out a key that is alone on its line with its value."""
    start, _ = _offsets(document, one.range)
    line_start, line_end = document.source.line_at(start)
    line = document.text[line_start:line_end]
    following = document.text[line_end:].lstrip("\r\n")
    indent = start - line_start
    deeper = len(following) - len(following.lstrip(" \t-")) > indent
    if line[:indent].strip() or deeper or re.search(r":[ \t]*(?:[|>\[{&].*)?$", line):
        return
    starts = document.source.line_starts
    end = starts[one.range.line + 1] if one.range.line + 1 < len(starts) else line_end
    yield Fix(title="Remove the line", edits=(Edit(range=document.source.range(line_start, end), text=""),))


_FURTHER: dict[str, Callable[[Document, Problem], Iterator[Fix]]] = {
    "unknown_role": _declare_role,
    "unknown_variable": _declare_variable,
    "tab_indentation": _all_tabs,
    "unknown_key": _remove_line,
    "ignored_key": _remove_line,
    "prompt_without_marker": _remove_line,
    "limit_unused": _remove_line,
}
