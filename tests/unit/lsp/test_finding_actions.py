"""What a menu offers for a finding."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from sprintwright.lsp.finding_actions import code_actions

RUN, FINDING = "20260101-000000000-aaaa", "0123456789abcdef"
FOLDER = Path("/w/my app")


def diagnostic(message: str = "It is wrong", data: Any = None, source: str | None = "sprintwright") -> types.Diagnostic:
    where = types.Range(types.Position(0, 0), types.Position(0, 1))
    data = {"runId": RUN, "finding": FINDING} if data is None else data
    return types.Diagnostic(where, message, source=source, data=data)


def actions(*diagnostics: types.Diagnostic) -> list[types.CodeAction]:
    return code_actions(diagnostics, lambda run_id: FOLDER if run_id == RUN else None)


def commands(found: list[types.CodeAction]) -> list[tuple[str, Any]]:
    return [(one.command.command, (one.command.arguments or [None])[0]) for one in found if one.command]


def test_a_finding_can_be_mended_dismissed_and_read_about() -> None:
    about = diagnostic("It is wrong\nSuggestion: do it right")
    found = actions(about)
    assert [one.title for one in found] == [
        "Fix with an agent: “It is wrong”",
        "Dismiss this finding: “It is wrong”",
        f"Open the findings report of run {RUN}",
    ]
    which = {"runId": RUN, "finding": FINDING}
    report = f"file:///w/my%20app/.sprintwright/runs/{RUN}/findings.md"
    assert commands(found) == [
        ("sprintwright.finding.fix", which),
        ("sprintwright.finding.dismiss", which),
        ("sprintwright.openFindings", {"runId": RUN, "uri": report}),
    ]
    assert all(one.kind == types.CodeActionKind.QuickFix and one.diagnostics == [about] for one in found)


def test_the_report_is_offered_once_a_run_and_only_for_a_known_one() -> None:
    other = {"runId": "20260102-000000000-bbbb", "finding": FINDING}
    found = actions(diagnostic(), diagnostic("two"), diagnostic("three", other))
    assert [name for name, _ in commands(found)].count("sprintwright.openFindings") == 1
    assert len(found) == 7


@pytest.mark.parametrize(
    "data",
    [
        {}, {"runId": RUN}, {"finding": FINDING}, {"runId": "../../etc", "finding": FINDING}, [RUN, FINDING], "x", 3,
        {"runId": RUN, "finding": "$(x)"}, {"runId": 1, "finding": FINDING}, {"runId": RUN + "/..", "finding": FINDING},
    ],
)  # fmt: skip
def test_data_that_is_not_ours_offers_nothing(data: Any) -> None:
    assert actions(diagnostic(data=data)) == []


@pytest.mark.parametrize("source", ["ruff", None, ""])
def test_diagnostics_of_others_offer_nothing(source: str | None) -> None:
    assert actions(diagnostic(source=source)) == []


@pytest.mark.parametrize(
    "message",
    ["[ok](command:workbench.action.terminal.new)", "$(alert) now", "a\u202eb\x1b[31mc\x07", "x" * 5_000, "$$((a]]((b"],
)
def test_x048_no_link_and_no_icon_can_be_made_of_a_title(message: str) -> None:
    for one in actions(diagnostic(message)):
        assert "](" not in one.title
        assert "$(" not in one.title
        assert one.title.isprintable()
        assert len(one.title) < 90


def test_x054_a_place_with_hundreds_of_findings_has_a_menu_that_can_be_read() -> None:
    assert len(actions(*(diagnostic(f"n{number}") for number in range(199)))) == 41
