"""A workflow written down. The field docs here are the hover texts and the JSON Schema's descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import Field, PositiveFloat, PositiveInt, field_validator

from sprintwright.model.limits import Limits
from sprintwright.model.value import Value
from sprintwright.model.verdict import VerdictRule
from sprintwright.text import fold

Permissions = Literal["read_only", "ask", "workspace_write", "full"]
CheckFormat = Literal["auto", "pytest", "junit", "sarif", "ruff", "gcc"]


class Role(Value):
    """A part that an agent plays."""

    description: str = Field(default="", description="What this role does, for the wizard and the lists.")
    permissions: Permissions = Field(
        default="workspace_write",
        description="What the role's agent may do: `read_only`, `ask`, `workspace_write` or `full`.",
    )


class ArtifactSpec(Value):
    """A file that a stage must leave in the run's `artifacts/`, and when it counts as good."""

    file: str = Field(description="Name of the file; may hold numbers, as in `loop-review-{{pass}}.md`.")
    text: str | None = Field(default=None, description="Template of the content; without it the turn's answer.")
    marker: str | None = Field(default=None, description="Line that the file must hold on a line of its own.")
    contains: str | None = Field(default=None, description="Text that the file must hold, to the letter.")
    min_bytes: PositiveInt | None = Field(default=None, description="Smallest size that counts, in bytes.")


class ArtifactExists(Value):
    """The condition that an artifact is already there."""

    artifact_exists: str = Field(description="Name of the artifact.")


SkipWhen: TypeAlias = Literal["no_git_history", "empty_project"] | ArtifactExists


class Retry(Value):
    """How often a turn is tried again after an operational failure; a bad verdict is not one."""

    attempts: int = Field(
        default=0, description="Tries in all, the first one included. 0: the default, 3. Negative: one try."
    )
    wait_seconds: float = Field(default=1, ge=0, description="Wait before the second try, in seconds.")
    factor: float = Field(default=2, ge=1, description="Each further wait is so many times longer, up to a minute.")
    jitter: float = Field(
        default=1, ge=0, le=1, description="1: a wait is drawn between 0 and twice its length; 0: it is exact."
    )


class _Stage(Value):
    id: str = Field(description="Name of the stage; part of the key of everything that it records.")


_Verdict = Annotated[
    dict[str, VerdictRule], Field(description="The verdict keys that this stage may give, each with its action.")
]
_SaveAs = Annotated[str, Field(description="Variable that takes the output of this stage.")]
_From = Annotated[str, Field(description="Variable whose text holds the headings, or the scalar of the limit.")]
_Over = Annotated[str, Field(description="Label of the headings to go over, such as `Sprint` for `## Sprint 1`.")]
_Artifact = Annotated[ArtifactSpec | None, Field(description="File that this stage leaves in the run's `artifacts/`.")]


def _file_alone(value: object) -> object:
    return {"file": value} if isinstance(value, str) else value


class AgentTurn(_Stage):
    """One turn of a role's agent."""

    kind: Literal["agent_turn"] = Field(description="One turn of a role's agent.")
    role: str = Field(description="Role whose agent takes the turn.")
    prompt: str = Field(description="Template of the prompt.")
    save_as: _SaveAs = ""
    artifact: _Artifact = None
    verdict: _Verdict = {}
    skip_user_checkpoint_marker: str = Field(
        default="",
        description="Line that says `no questions`; without it in the answer, the answer is a question to the user.",
    )
    on_answer_prompt: str = Field(default="", description="Prompt of the second turn, after the user's answer.")
    empty_output_fallback: Literal["", "git_diff"] = Field(
        default="", description="`git_diff`: an empty answer is replaced by what the turn changed in the folder."
    )
    run_unless_marker_in: str = Field(
        default="", description="Variable that is searched for the line `run_unless_contains`."
    )
    run_unless_contains: str = Field(
        default="", description="Line in `run_unless_marker_in` that skips this stage (case does not matter)."
    )
    session: Literal["continue", "fresh"] = Field(
        default="continue", description="Whether a later pass of this stage continues the agent's session."
    )
    retry: Retry | None = Field(default=None, description="Tries after an operational failure.")
    pause_after: bool = Field(default=False, description="Park the run when this stage is done.")
    skip_when: SkipWhen | None = Field(
        default=None, description="Skip when `no_git_history`, `empty_project` or `{artifact_exists: name}`."
    )
    use_memory: bool = Field(default=False, description="Of the older engine; accepted and ignored.")

    _artifact = field_validator("artifact", mode="before")(_file_alone)


class Check(_Stage):
    """Runs real commands; the exit status decides, the output becomes findings."""

    kind: Literal["check"] = Field(description="Runs real commands such as tests or linters.")
    commands: tuple[tuple[str, ...], ...] = Field(
        min_length=1,
        description="Commands, each a list of program and arguments; there is no shell. `{sprintwright}` as the "
        "program is this one; `{artifacts}` at the start of an argument is the run's folder of artifacts.",
    )
    format: CheckFormat = Field(default="auto", description="How the output is read for findings.")
    verdict: _Verdict = {}
    save_as: _SaveAs = ""
    timeout_seconds: PositiveFloat = Field(default=600, description="Longest time of one command, in seconds.")
    skip_when: SkipWhen | None = Field(
        default=None, description="Skip when `no_git_history`, `empty_project` or `{artifact_exists: name}`."
    )


class Loop(_Stage):
    """Repeats its body: once per heading (`over`), or until a verdict breaks it (`max_iterations…`)."""

    kind: Literal["loop"] = Field(description="Repeats its body.")
    over: _Over = ""
    source: _From = Field(default="", alias="from")
    max_iterations: int = Field(default=0, ge=0, description="Most passes; the fall-back of `max_iterations_from`.")
    max_iterations_from: str = Field(
        default="", description="Name of a `name: number` line in the `from` text that holds the limit."
    )
    iteration_var: str = Field(default="", description="Variable with the number of the pass, from 1.")
    goal: str = Field(default="", description="What the loop is for, shown in the tree.")
    artifact: _Artifact = None
    pause_after: bool = Field(default=False, description="Park the run when this stage is done.")
    on_exhausted: Literal["fail", "continue", "ask"] = Field(
        default="fail", description="What happens when the passes are used up without a `break`."
    )
    body: tuple[Stage, ...] = Field(min_length=1, description="Stages of one pass.")

    _artifact = field_validator("artifact", mode="before")(_file_alone)


class ParallelGroup(_Stage):
    """Runs its body once per item, at the same time."""

    kind: Literal["parallel_group"] = Field(description="Runs its body once per item, at the same time.")
    over: _Over
    source: _From = Field(default="", alias="from")
    max_concurrency: int = Field(default=0, description="Items at a time; 0 or less means 1.")
    save_as: _SaveAs = ""
    isolation: Literal["shared", "worktree"] = Field(
        default="shared", description="`shared`: all items work in the folder; `worktree`: each in its own."
    )
    body: tuple[Stage, ...] = Field(min_length=1, description="Stages of one item.")


class UserCheckpoint(_Stage):
    """Asks the user and waits."""

    kind: Literal["user_checkpoint"] = Field(description="Asks the user and waits.")
    prompt: str = Field(description="Template of the question.")
    verdict: Annotated[
        dict[str, VerdictRule],
        Field(
            description="Keys to choose from: the one that the user names is the verdict; any other answer is free "
            "text and counts as the first key with `retry`."
        ),
    ] = {}
    save_as: _SaveAs = ""


class BoardSeed(_Stage):
    """Fills the board from a collection."""

    kind: Literal["board_seed"] = Field(description="Fills the board from headings.")
    source: _From = Field(default="", alias="from")
    over: _Over


Stage: TypeAlias = Annotated[
    AgentTurn | Check | Loop | ParallelGroup | UserCheckpoint | BoardSeed, Field(discriminator="kind")
]
Loop.model_rebuild()
ParallelGroup.model_rebuild()


class Definition(Value):
    """A workflow: roles, variables and stages."""

    name: str = Field(description="Name of the workflow; a later file of the same name replaces an earlier one.")
    title: str = Field(default="", description="One line for lists.")
    description: str = Field(default="", description="What the workflow is for.")
    roles: dict[str, Role] = Field(default={}, description="The parts that agents play: a list of names, or a map.")
    vars: dict[str, str] = Field(default={}, description="Text shared by prompts; `--var name=value` replaces one.")
    board: bool = Field(default=False, description="Opt in to the shared board.")
    limits: Limits = Field(default=Limits(), description="Bounds of turns and of the run.")
    completion: Literal["automatic", "explicit"] = Field(
        default="automatic", description="`explicit`: the finished run waits for `end`."
    )
    outcome: Literal["optional", "required"] = Field(
        default="optional", description="`required`: the last stage is reminded once to call `finish_workflow`."
    )
    close_artifacts: tuple[ArtifactSpec, ...] = Field(
        default=(), description="Artifacts that must be there and good before `end` succeeds."
    )
    stages: tuple[Stage, ...] = Field(min_length=1, description="What is done, in order.")

    @field_validator("roles", mode="before")
    @classmethod
    def _list_of_roles(cls, value: object) -> object:
        if isinstance(value, list | tuple):
            return {name if isinstance(name, str) else str(name): Role() for name in cast("list[Any]", value)}
        return value

    @field_validator("close_artifacts", mode="before")
    @classmethod
    def _list_of_files(cls, value: object) -> object:
        if isinstance(value, list | tuple):
            return [_file_alone(item) for item in cast("list[Any]", value)]
        return value


def walk_stages(stages: tuple[Stage, ...], path: str = "") -> Iterator[tuple[str, Stage]]:
    """Every stage with its path of ids (``sprints/passes/evaluator``), outer ones first, in order."""
    for stage in stages:
        here = f"{path}/{stage.id}" if path else stage.id
        yield here, stage
        if isinstance(stage, Loop | ParallelGroup):
            yield from walk_stages(stage.body, here)


def stage_to_review(definition: Definition) -> AgentTurn | Loop | None:
    """The stage after which a look is worth the most: that of the plan, else the first; never the last one.

    None also where the workflow pauses there anyway.
    """
    stages = [s for s in definition.stages[:-1] if isinstance(s, AgentTurn | Loop)]
    plans = [s for s in stages if s.artifact is not None and "plan" in fold(s.artifact.file)]
    found = next(iter(plans or stages), None)
    return None if found is None or found.pause_after else found
