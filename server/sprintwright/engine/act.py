"""What agent turns and checks share: the look at the folder before and after, and what the answer comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import TurnAnswer
from sprintwright.engine.question import storable
from sprintwright.engine.run import Run
from sprintwright.errors import Operational, PathRefused, WorkspaceError
from sprintwright.model.definition import ArtifactSpec
from sprintwright.model.finding import Finding
from sprintwright.model.results import ArtifactVersion, Changed
from sprintwright.model.verdict import UNKNOWN, Verdict, VerdictRule
from sprintwright.paths import artifact_name, relative_inside
from sprintwright.prompts.template import parse_template
from sprintwright.reading.fence import without_fence
from sprintwright.reading.findings import read_findings
from sprintwright.reading.gate import not_approved
from sprintwright.reading.verdict import read_verdict

Rules: TypeAlias = Mapping[str, VerdictRule]

_CODE = (".yaml", ".yml", ".json", ".toml")
"""Files that a program reads: a fence around the whole answer is not part of them."""
MOST_FILES = 500
"""Changed files that are recorded by name; the rest is in the snapshots."""


@dataclass(frozen=True, slots=True)
class Before:
    """The folder before a leaf."""

    tree: str = ""
    not_covered: tuple[str, ...] = ()
    note: str = ""


async def look(run: Run) -> Before:
    """A snapshot; where none can be taken the reason takes its place and the run goes on."""
    try:
        snapshot = await run.ports.workspace.take()
    except WorkspaceError as error:
        return Before(note=error.message)
    return Before(snapshot.tree, snapshot.not_covered)


async def compare(run: Run, key: str, before: str, note: str, together: tuple[str, ...]) -> Changed:
    """What is different now."""
    if not before:
        return Changed(note=note or "No snapshot was taken before.")
    after = await look(run)
    if not after.tree:
        return Changed(before=before, note=after.note)
    try:
        files = await run.ports.workspace.changes(before, after.tree) if after.tree != before else ()
    except WorkspaceError as error:
        return Changed(note=error.message)
    return Changed(
        before=before,
        after=after.tree,
        files=files[:MOST_FILES],
        more=max(0, len(files) - MOST_FILES),
        together_with=together,
        not_covered=after.not_covered,
    )


async def shown_changes(run: Run, changes: Changed | None) -> str:
    """What a turn without words changed, as text for the next prompt; never empty (behaviours-milk.md 6.4)."""
    if changes is None or not changes.after:
        return "The turn ended without an answer, and what it changed is not known."
    if not changes.files:
        return "The turn ended without an answer and changed no files."
    names = "\n".join(f"- {change.status}: {change.path}" for change in changes.files)
    try:
        diff = await run.ports.workspace.diff(changes.before, changes.after, limit=32_768)
    except WorkspaceError as error:
        diff = f"(The difference can't be shown: {error.message})"
    return f"The turn ended without an answer. It changed these files:\n\n{names}\n\n{diff}"


def read_only_warnings(permissions: str, changes: Changed | None) -> tuple[str, ...]:
    """A read-only role that changed something, in words."""
    if permissions != "read_only" or changes is None or not changes.files or changes.together_with:
        return ()
    names = ", ".join(change.path for change in changes.files[:5])
    more = f" and {len(changes.files) + changes.more - 5} more" if len(changes.files) + changes.more > 5 else ""
    return (f"The role is read-only, but these files changed during its turn: {names}{more}.",)


def read_answer_findings(run: Run, text: str) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Findings in an evaluator's words, and warnings about those that could not be placed."""
    folder = Path(run.started.folder)
    reading = read_findings(text, lambda path: relative_inside(path, folder))
    return reading.findings, reading.warnings


def judge(
    answer: TurnAnswer, text: str, rules: Rules, findings: tuple[Finding, ...], tool: str | None = None
) -> Verdict:
    """The verdict of a stage: by exit status for real commands, else as `read_verdict` reads it."""
    if answer.passed is None:
        return _with_action(read_verdict(text, rules, tool=tool, findings=findings), rules)
    action = "break" if answer.passed else "retry"
    key = next((name for name, rule in rules.items() if rule.action == action and name != UNKNOWN), UNKNOWN)
    return _with_action(Verdict(key=key, source="check"), rules)


def _with_action(verdict: Verdict, rules: Rules) -> Verdict:
    rule = rules.get(verdict.key)
    return verdict.model_copy(update={"action": rule.action}) if rule else verdict


async def write_artifact(
    run: Run, spec: ArtifactSpec, lane: Lane, save_as: str, text: str, key: str
) -> tuple[ArtifactVersion, str]:
    """Write a stage's artifact from its template or its answer; with it, why it is not approved.

    Raises:
        Operational: with cause ``artifact``, when there is nothing to write or it can't be written.
    """
    own = {**lane.vars, "previous": text, **({save_as: text} if save_as else {})}
    try:
        name = artifact_name(parse_template(spec.file).render(own))
        plain = without_fence(text) if name.endswith(_CODE) else text
        content = plain if spec.text is None else storable(parse_template(spec.text).render(own))
        if not content.strip():
            raise Operational("artifact", f"{key!r} must leave {name!r}, but there is nothing to write: it is empty.")
        version = await run.ports.artifacts.write(name, content)
        return version, not_approved(spec, content)
    except PathRefused as error:
        raise Operational("artifact", f"{key!r} can't leave its artifact: {error.message}") from error
    except OSError as error:
        raise Operational("artifact", f"{key!r} can't write its artifact: {error.strerror or error}.") from error
