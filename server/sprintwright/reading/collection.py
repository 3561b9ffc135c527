"""Sprints and items: numbered headings of a plan, their dependencies, and single numbers (design.md section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sprintwright.reading.lines import LIMIT, LIST_MARK, Page, read_page
from sprintwright.text import fold

_LONGEST = 2_000
"""Characters of a heading line; longer ones are text."""
_HEADING = re.compile(r"(?P<marks>#{2,6}+)[ \t]++(?P<body>\S.*)")
_ANY_LABEL = re.compile(r"[^\W\d]\S*+[ \t]+[0-9]")
_NUMBER = re.compile(r"[ \t]+(?P<number>[0-9]{1,9})(?![^\W_]|[.,][0-9]|_++\w)")
_DEPENDS = re.compile(r"\([ \t]*+depends[_ -]on[ \t]*+:(?P<list>[^()]*+)(?P<end>\)?+)", re.IGNORECASE)
_DEPENDENCY = re.compile(r"#?([0-9]{1,9})")
_SCALAR = re.compile(r"(?P<name>[^:]{1,200}+):[ \t*_`]*+(?P<digits>[0-9]{1,9})[ \t*_`]*+")


@dataclass(frozen=True, slots=True)
class Item:
    """One element: its number is its name. ``section`` is its text with the heading; ``line`` is 1-based."""

    number: int
    title: str
    depends_on: tuple[int, ...]
    section: str
    line: int


@dataclass(frozen=True, slots=True)
class Collection:
    """What a plan declares, in document order.

    ``problems`` forbid any use; ``dependency_problems`` only a fan-out, since a sequential loop ignores
    dependencies. Both are sentences, and so are ``warnings``.
    """

    items: tuple[Item, ...] = ()
    problems: tuple[str, ...] = ()
    dependency_problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_collection(text: str, label: str) -> Collection:
    """Find the items of a text: ``## Sprint 1: title (depends_on: 2)`` (behaviours-milk.md section 3).

    The label is compared without case, in NFC. Two to six ``#`` at the start of a line, outside fences and
    comments; emphasis around the words is taken off. A section goes to the next numbered heading of the same
    label, or of any label that is not deeper: ``### Task 1`` belongs to its ``## Sprint 1``. Headings without a
    number belong to the section. A text that is longer than 1,000,000 characters is a problem, for a part of a
    plan is another plan.
    """
    if len(text) > LIMIT:
        return Collection(problems=(f"The text has {len(text)} characters; a plan of more than {LIMIT} is not read.",))
    page = read_page(text)
    wanted = " ".join(fold(label).split())
    warnings: list[str] = []
    heads = list(_headings(page, wanted)) if wanted else []
    items = tuple(_items(page, heads, warnings))
    return Collection(items, tuple(_twice(items)), tuple(_dependency_problems(items)), tuple(warnings))


def read_scalar(text: str, name: str) -> int | None:
    """The number on the last line that is only ``name: number``; None when there is none, or it is 0.

    The name is compared without case; list and emphasis marks are taken off; code does not count.
    """
    wanted = fold(name).strip().strip("*_`")
    value = None
    if not wanted:
        return None
    for line in read_page(text).lines:
        bare = line.text.strip()
        if line.kind != "plain" or ":" not in bare or len(bare) > _LONGEST:
            continue
        bare = LIST_MARK.sub("", bare, count=1) if LIST_MARK.match(bare) else bare
        match = _SCALAR.fullmatch(bare)
        if match and fold(match["name"]).strip(" \t*`_") == wanted:
            value = int(match["digits"])
    return value or None


def waves(items: Iterable[Item]) -> tuple[tuple[int, ...], ...]:
    """Numbers in waves: each wave needs only earlier ones. Unknown dependencies are ignored, cycles left out."""
    known = {item.number: item for item in items}
    needs = {number: {d for d in item.depends_on if d in known} for number, item in known.items()}
    dependents: dict[int, list[int]] = {}
    for number, needed in needs.items():
        for one in needed:
            dependents.setdefault(one, []).append(number)
    order = {number: place for place, number in enumerate(known)}
    result: list[tuple[int, ...]] = []
    wave = [number for number, needed in needs.items() if not needed]
    while wave:
        result.append(tuple(wave))
        ready: list[int] = []
        for number in wave:
            for one in dependents.get(number, ()):
                needs[one].discard(number)
                if not needs[one]:
                    ready.append(one)
        wave = sorted(ready, key=order.__getitem__)
    return tuple(result)


@dataclass(frozen=True, slots=True)
class _Head:
    line: int
    level: int
    number: int | None
    """None for a numbered heading of another label: it can only end a section."""
    rest: str


def _headings(page: Page, wanted: str) -> Iterable[_Head]:
    for index, line in enumerate(page.lines):
        if line.kind != "plain" or not line.text.startswith("##") or len(line.text) > _LONGEST:
            continue
        match = _HEADING.fullmatch(line.text)
        if match and (head := _head(index, len(match["marks"]), match["body"].lstrip("*_ \t"), wanted)):
            yield head


def _head(index: int, level: int, body: str, wanted: str) -> _Head | None:
    words = len(wanted.split())
    parts = re.split(r"([ \t]+)", body, maxsplit=words)
    label = " ".join(fold("".join(parts[: 2 * words - 1])).split())
    rest = "".join(parts[2 * words - 1 :])
    number = _NUMBER.match(rest)
    if label == wanted and number:
        return _Head(index, level, int(number["number"]), rest[number.end() :])
    return _Head(index, level, None, "") if _ANY_LABEL.match(body) else None


def _items(page: Page, heads: list[_Head], warnings: list[str]) -> Iterable[Item]:
    ends = _section_ends(heads, len(page.lines))
    for head, end in zip(heads, ends, strict=True):
        if head.number is None:
            continue
        depends_on = _depends_on(head, warnings)
        section = "\n".join(line.text for line in page.lines[head.line : end]).strip()
        yield Item(head.number, _title(head.rest), depends_on, section, head.line + 1)


def _section_ends(heads: list[_Head], last: int) -> list[int]:
    """For each heading the line where its section ends; from the back, with the nearest end of each depth."""
    ends: list[int] = []
    nearest = [last] * 7
    for head in reversed(heads):
        ends.append(min(nearest[: head.level + 1]))
        nearest[0 if head.number is not None else head.level] = head.line
    return ends[::-1]


def _depends_on(head: _Head, warnings: list[str]) -> tuple[int, ...]:
    numbers: dict[int, None] = {}
    for match in _DEPENDS.finditer(head.rest):
        if not match["end"]:
            warnings.append(f"Line {head.line + 1}: the depends_on of {head.number} has no closing parenthesis.")
        for part in match["list"].strip().strip("[]").split(","):
            word = part.strip()
            number = _DEPENDENCY.fullmatch(word)
            if number:
                numbers[int(number[1])] = None
            elif word:
                warnings.append(f"Line {head.line + 1}: {word[:100]!r} in depends_on is not a number.")
    return tuple(numbers)


def _title(rest: str) -> str:
    title = _DEPENDS.sub(" ", rest).rstrip("# \t")
    return " ".join(title.split()).strip(" :.–—-*_")


def _twice(items: tuple[Item, ...]) -> Iterable[str]:
    first: dict[int, int] = {}
    for item in items:
        if item.number in first:
            yield f"Number {item.number} stands twice: on line {first[item.number]} and on line {item.line}."
        first.setdefault(item.number, item.line)


def _dependency_problems(items: tuple[Item, ...]) -> Iterable[str]:
    known = {item.number: item for item in items}
    for item in items:
        for one in item.depends_on:
            if one == item.number:
                yield f"{one} depends on itself (line {item.line})."
            elif one not in known:
                yield f"{item.number} depends on {one}, which is not there (line {item.line})."
    if cycle := _cycle(known):
        yield f"These depend on each other in a circle: {' -> '.join(map(str, cycle))}."


def _cycle(known: Mapping[int, Item]) -> list[int]:
    """One cycle of two or more as a path that ends where it begins; empty when there is none."""
    needs = {number: [d for d in one.depends_on if d in known and d != number] for number, one in known.items()}
    others = (replace(one, depends_on=tuple(needs[number])) for number, one in known.items())
    free = {number for wave in waves(others) for number in wave}
    stuck = next((number for number in known if number not in free), None)
    path: dict[int, None] = {}
    while stuck is not None and stuck not in path:
        path[stuck] = None
        stuck = next(one for one in needs[stuck] if one not in free)
    if stuck is None:
        return []
    steps = list(path)
    return [*steps[steps.index(stuck) :], stuck]
