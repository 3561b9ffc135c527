"""Everything that is wrong with a text, also while it can't be read to its end."""

from __future__ import annotations

from sprintwright.definitions.load import check_nodes
from sprintwright.definitions.nodes import Parsed
from sprintwright.language.document import Document
from sprintwright.model.problem import Problem

_LOCAL = frozenset({"unknown_key", "unknown_kind", "wrong_value", "wrong_type", "template_syntax", "template_text",
    "no_shell", "template_in_command", "workflow_name"})  # fmt: skip
"""What shows on its own place and depends on no other: told also while something else can't be read."""


def diagnose(document: Document) -> tuple[Problem, ...]:
    """All problems at once, in the order of the text. Never raises.

    While the text can't be read to its end, there is what stops the reading, and of the rest what is certain: so the
    other problems don't come and go with every letter.
    """
    told = document.loaded.problems
    if document.complete or document.too_large or document.root is None:
        return told
    broken = {line for one in told for line in range(one.range.line, one.range.end_line + 1)}
    broken |= {line for one in told for _, where in one.related for line in (where.line, where.end_line)}
    rest = check_nodes(Parsed(document.source, document.root))
    certain = [one for one in rest if one.code in _LOCAL and one.range.line not in broken]
    return tuple(sorted((*told, *certain), key=lambda one: (one.range.line, one.range.column)))
