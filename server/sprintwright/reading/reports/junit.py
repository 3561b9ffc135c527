"""JUnit XML, through a parser that knows no DTD, no entities and no network (faults.md X70)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from sprintwright.model.finding import Finding
from sprintwright.reading.places import Confine, make_finding

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_MOST_CHARACTERS = 16_000_000
_MOST_DEPTH = 50
_PLACE = re.compile(
    r"^(?:\s{0,20}File \")?(?P<path>[^\s:\"][^:\"\n]{0,400}?)(?:\", line |:)(?P<line>[0-9]{1,9})\b", re.MULTILINE
)


def read(text: str, confine: Confine) -> Iterator[tuple[Finding, str]]:
    """Each failed test case; nothing when the text is no such report, or one that asks for more than text."""
    if len(text) > _MOST_CHARACTERS:
        return
    try:
        root: Element = fromstring(text.strip().encode("utf-8", "replace"), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError, RecursionError):
        return
    if _is_deep(root):
        return
    for case in root.iter("testcase"):
        for kind in ("failure", "error"):
            if (problem := case.find(kind)) is not None:
                yield _made(case, problem, confine)


def _is_deep(root: Element) -> bool:
    """Whether elements stand deeper within others than any report has them. By levels, without recursion."""
    level = [root]
    for _ in range(_MOST_DEPTH):
        level = [child for element in level for child in element]
        if not level:
            return False
    return True


def _made(case: Element, problem: Element, confine: Confine) -> tuple[Finding, str]:
    body = (problem.text or "")[-20_000:]
    path, line = case.get("file", ""), case.get("line", "")
    for match in _PLACE.finditer(body):
        if not path or match["path"].endswith(path):
            path, line = match["path"], match["line"]
    said = problem.get("message", "") or body.strip().partition("\n")[0]
    name = ".".join(part for part in (case.get("classname", ""), case.get("name", "")) if part)
    return make_finding(
        confine, f"{name}: {said}", severity="error", path=path, line=line, code=problem.get("type", "")
    )
