"""`task`, `quick` and `prototype` against behaviours-selesai.md: what they declare, and faults in their files."""

from __future__ import annotations

import pytest

from sprintwright.definitions.load import load_definition
from sprintwright.model.definition import AgentTurn, ArtifactSpec, Loop, walk_stages
from tests.unit.definitions.selesai import ARTIFACTS, CLEAN, NAMES, PHASES, load, text_of


@pytest.mark.parametrize("name", NAMES)
def test_the_top_level_stages_are_the_phases(name: str) -> None:
    assert [stage.id for stage in load(text_of(name)).stages] == PHASES[name]


@pytest.mark.parametrize("name", NAMES)
def test_each_phase_has_its_artifact_and_marker(name: str) -> None:
    specs = {stage.id: artifact_of(stage) for stage in load(text_of(name)).stages}
    assert {phase: (spec.file, spec.marker) for phase, spec in specs.items()} == {
        phase: ARTIFACTS[phase] for phase in PHASES[name]
    }


def artifact_of(stage: object) -> ArtifactSpec:
    """The artifact of a phase: its own, or that of the last stage in it (`review.md`)."""
    assert isinstance(stage, AgentTurn | Loop)
    if stage.artifact is not None:
        return stage.artifact
    assert isinstance(stage, Loop)
    return artifact_of(stage.body[-1])


@pytest.mark.parametrize(
    ("name", "pauses"),
    [
        ("prototype", ["grilling", "research", "plan", "reuse", "handoff"]),
        ("quick", ["grilling", "plan", "reuse", "handoff"]),
        ("task", []),
    ],
)
def test_pauses_are_between_phases_but_not_behind_the_loop(name: str, pauses: list[str]) -> None:
    found = [path for path, stage in walk_stages(load(text_of(name)).stages) if getattr(stage, "pause_after", False)]
    assert found == pauses


@pytest.mark.parametrize("name", NAMES)
def test_completion_close_artifact_and_limits(name: str) -> None:
    definition = load(text_of(name))
    closing = ("loop-complete.md", ARTIFACTS["loop"][1]) if name == "task" else ("review.md", CLEAN)
    assert definition.completion == "explicit"
    assert [(spec.file, spec.marker) for spec in definition.close_artifacts] == [closing]
    limits = {
        stage.id: (stage.max_iterations, stage.on_exhausted) for stage in definition.stages if isinstance(stage, Loop)
    }
    assert limits["loop"] == (3, "ask")
    assert limits.get("audit", (3, "ask")) == (3, "ask")  # F11: bounded too


@pytest.mark.parametrize("name", NAMES)
def test_only_the_generator_may_write(name: str) -> None:
    permissions = {role: spec.permissions for role, spec in load(text_of(name)).roles.items()}
    assert permissions.pop("generator") == "workspace_write"
    assert permissions == dict.fromkeys(("designer", "explorer", "recapper", "evaluator"), "read_only")


@pytest.mark.parametrize("name", NAMES)
def test_each_prompt_names_its_phase_and_its_workflow(name: str) -> None:
    definition = load(text_of(name))
    steps = {stage.id: number for number, stage in enumerate(definition.stages, start=1)}
    for path, stage in walk_stages(definition.stages):
        if isinstance(stage, AgentTurn):
            phase = path.partition("/")[0]
            place = f"in phase `{phase}` ({steps[phase]} of {len(steps)}) of the workflow `{name}`"
            for prompt in filter(None, (stage.prompt, stage.on_answer_prompt)):
                assert place in " ".join(prompt.split())
            if stage.artifact is not None:
                assert f"{{{{artifacts}}}}/{stage.artifact.file}" in stage.prompt


@pytest.mark.parametrize("name", NAMES)
def test_f2_a_review_comes_behind_a_build_of_the_same_round(name: str) -> None:
    loop = next(stage for stage in load(text_of(name)).stages if stage.id == "loop")
    assert isinstance(loop, Loop) and [stage.id for stage in loop.body] == ["build", "review"]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("  - id: handoff\n", "  - id: plan\n", "'plan'"),
        ("    role: recapper\n", "    role: recaper\n", "'recaper'"),
        ("{{handoff}}", "{{handof}}", "'handof'"),
        ("file: handoff.md", "file: ../handoff.md", "handoff.md"),
        ("    max_iterations: 3\n", "    max_iterations: -1\n", "'max_iterations'"),
    ],
)
def test_s057_a_fault_in_a_definition_is_an_error_that_names_it(old: str, new: str, named: str) -> None:
    loaded = load_definition(text_of("task").replace(old, new))
    assert loaded.value is None
    assert any(named in error.message for error in loaded.errors)
