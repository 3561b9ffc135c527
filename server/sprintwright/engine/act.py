"""What agent turns and checks share: what the answer comes to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import TurnAnswer
from sprintwright.engine.question import storable
from sprintwright.engine.run import Run
from sprintwright.errors import Operational, PathRefused
from sprintwright.model.definition import ArtifactSpec
from sprintwright.model.finding import Finding
from sprintwright.model.results import ArtifactVersion
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
