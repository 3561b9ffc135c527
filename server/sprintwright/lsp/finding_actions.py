"""What can be done about a finding where it is shown: have it mended, dismiss it, read the run's report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from lsprotocol import types

from sprintwright.journal.store import RUN_ID, RunFolder
from sprintwright.lsp.finding_diagnostics import SOURCE
from sprintwright.lsp.uris import to_uri
from sprintwright.text import one_line

FIX = "sprintwright.finding.fix"
DISMISS = "sprintwright.finding.dismiss"
OPEN_FINDINGS = "sprintwright.openFindings"
"""The client's own command: it opens a file."""

_IDENTITY = re.compile(r"[0-9a-f]{16}")
_MOST_SHOWN = 60
_MOST = 20
"""Findings that a menu offers something for; more of them on one place nobody reads."""


def code_actions(
    diagnostics: Iterable[types.Diagnostic], folder_of: Callable[[str], Path | None]
) -> list[types.CodeAction]:
    """The actions for those of the diagnostics that are findings; others, and made-up data, are passed over.

    Args:
        diagnostics: as the client sent them back.
        folder_of: the folder of a run; no report is offered for one that is not known.
    """
    found = list(_findings(diagnostics))[:_MOST]
    actions = [action for kind in (_fix, _dismiss) for action in (kind(*one) for one in found)]
    by_run: dict[str, list[types.Diagnostic]] = {}
    for diagnostic, run_id, _ in found:
        by_run.setdefault(run_id, []).append(diagnostic)
    for run_id, about in by_run.items():
        if (folder := folder_of(run_id)) is not None:
            actions.append(_report(about, RunFolder(folder, run_id)))
    return actions


def _findings(diagnostics: Iterable[types.Diagnostic]) -> Iterator[tuple[types.Diagnostic, str, str]]:
    for one in diagnostics:
        if one.source != SOURCE or not isinstance(one.data, Mapping):
            continue
        data = cast("Mapping[str, Any]", one.data)
        run_id, identity = data.get("runId"), data.get("finding")
        if not isinstance(run_id, str) or not isinstance(identity, str):
            continue
        if RUN_ID.fullmatch(run_id) and _IDENTITY.fullmatch(identity):
            yield one, run_id, identity


def _fix(diagnostic: types.Diagnostic, run_id: str, identity: str) -> types.CodeAction:
    return _action("Fix with an agent", FIX, {"runId": run_id, "finding": identity}, diagnostic)


def _dismiss(diagnostic: types.Diagnostic, run_id: str, identity: str) -> types.CodeAction:
    return _action("Dismiss this finding", DISMISS, {"runId": run_id, "finding": identity}, diagnostic)


def _action(title: str, command: str, argument: dict[str, str], about: types.Diagnostic) -> types.CodeAction:
    return types.CodeAction(
        title=f"{title}: {_quoted(about.message)}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[about],
        command=types.Command(title=title, command=command, arguments=[argument]),
    )


def _report(about: list[types.Diagnostic], place: RunFolder) -> types.CodeAction:
    title = "Open the findings report"
    argument = {"runId": place.run_id, "uri": to_uri(place.path / "findings.md")}
    return types.CodeAction(
        title=f"{title} of run {place.run_id}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=about,
        command=types.Command(title=title, command=OPEN_FINDINGS, arguments=[argument]),
    )


def _quoted(message: str) -> str:
    """The finding's words, as somebody else's (X56), of which no link and no icon can be made (X48)."""
    text = one_line(message.partition("\n")[0], _MOST_SHOWN)
    return f"“{text.replace('](', '] (').replace('$(', '$ (')}”"
