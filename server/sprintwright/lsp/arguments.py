"""What commands take: one object each, checked as it comes in.

Held to `docs/protocol.md` and the golden files by a test, like `wire.py`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt

from sprintwright.lsp.wire import Wire
from sprintwright.model.limits import Limits

_MOST_TEXT = 4 * 1024 * 1024
Text = Annotated[str, Field(max_length=_MOST_TEXT)]
Name = Annotated[str, Field(min_length=1, max_length=4096)]
Amount = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
ArtifactsField = Literal["mine", "back"] | None


class NoArguments(Wire):
    """Nothing has to be said."""

    folder: Name | None = None
    """One of the open folders; without it all of them."""


class CreateArguments(Wire):
    """A workflow file of the folder's own."""

    folder: Name | None = None
    """One of the open folders; may be left out when there is only one."""
    name: Name
    """Name of the workflow, and of its file."""
    copy_known: StrictBool = False
    """Copy the workflow of that name that is known, built in or the user's own, instead of the starter."""


class RunArguments(Wire):
    """A run."""

    run_id: Name
    """The run's id; in an open folder also a part of it, or `last`."""


class LimitsArgument(Wire):
    """Limits of a run; they can lower what is configured, never raise it."""

    turn_seconds: Amount | None = None
    """Longest time of one turn."""
    idle_seconds: Amount | None = None
    """Longest silence of an agent within a turn."""
    turns: StrictInt | None = Field(default=None, gt=0)
    """Most turns in the run."""
    tokens: StrictInt | None = Field(default=None, gt=0)
    """Most tokens in the run."""
    cost: Amount | None = None
    """Most cost of the run, in US dollars."""
    wall_seconds: Amount | None = None
    """Longest time of the run."""
    items: StrictInt | None = Field(default=None, gt=0)
    """Most items of one group or loop that begin without the user being asked."""

    def limits(self) -> Limits:
        """The same as the engine takes it."""
        return Limits.model_validate(self.model_dump(exclude_none=True))


class StartArguments(Wire):
    """A workflow and a task."""

    workflow: Name
    """Its name, as `workflow.list` has it."""
    task: Text
    """What is to be done, in the user's words."""
    roles: dict[str, str] = {}
    """Role to agent; `primary` stands for the roles that are not named."""
    folder: Name | None = None
    """One of the open folders; may be left out when there is only one."""
    vars: dict[str, str] = {}
    """Values for the workflow's variables, by name."""
    limits: LimitsArgument | None = None
    max_passes: StrictInt = Field(default=0, ge=0)
    """Most passes of bounded loops; 0: what the workflow says."""
    pause_after: tuple[str, ...] = ()
    """Stages after which the run pauses."""
    start_token: str = ""
    """Made by the client: the same one again is the same run."""
    concurrent: StrictBool = False
    """Start although a run that may write is live in the folder."""
    consent: str | None = None
    """The hash that a `consent_needed` named, once the user has agreed."""


class GoOnArguments(RunArguments):
    """A run that is gone on with."""

    artifacts: ArtifactsField = None
    """What counts where files are not as the run left them."""
    consent: str | None = None
    """The hash that a `consent_needed` named, once the user has agreed."""
    concurrent: StrictBool = False
    """Go on although a run that may write is live in the folder."""


class ResumeArguments(GoOnArguments):
    """How to resume."""

    definition: Literal["frozen", "current"] = "frozen"
    """The workflow as the run began with it, or as it is now."""
    interrupted: Literal["redo", "keep", "stop"] | None = None
    """What is done with turns that were cut off; without it `needs_choice` says which."""
    limits: LimitsArgument | None = None
    """Limits from here on."""
    max_passes: StrictInt = Field(default=0, ge=0)
    """Most passes of bounded loops from here on; 0: as before."""
    accept_shorter: StrictBool = False
    """Go on although the journal is shorter than it was (`journal_shortened`)."""
    preview: StrictBool = False
    """Only say what would be done again."""


class RerunArguments(GoOnArguments):
    """From which leaf, pass or sprint."""

    leaf: Name
    """Key of a leaf, a pass or a sprint: it, and what came after it, is done again."""
    interrupted: Literal["redo", "keep", "stop"] | None = None
    """What is done with turns that were cut off."""
    preview: StrictBool = False
    """Only say what would be done again."""


class EndArguments(RunArguments):
    """The run that is to be closed."""

    artifacts: ArtifactsField = None
    """What counts where files are not as the run left them."""


class AnswerArguments(GoOnArguments):
    """The user's answer."""

    text: Text
    question: str = ""
    """Key of the question; may be left out when only one is open."""


class SayArguments(RunArguments):
    """Words for the next prompt."""

    text: Text
    lane: str = ""
    """Key of the item that is meant in a parallel group; empty: the whole run."""


class ReconfigureArguments(RunArguments):
    """Role to agent, from the next turn on."""

    roles: dict[str, str]


class RestoreArguments(RunArguments):
    """`start`, or what to be before."""

    to: Name = "start"
    """`start`, or the key of what the files are to be before, or an `undo`."""
    apply: StrictBool = False
    """Without it nothing is changed: the answer is a preview."""


class ChangesArguments(RunArguments):
    """The diff of a leaf, a pass or a sprint; of the whole run without one."""

    leaf: str = ""
    """Key of a leaf, a pass or a sprint; empty: the whole run."""
    diff: StrictBool = True
    """Without it the files are only named, and `diff` is empty."""


class FileAtArguments(RunArguments):
    """A file at a moment of a run."""

    tree: Name
    """One that `run.changes` told for this run."""
    path: Name
    """In the folder, with `/`."""


class FindingArguments(RunArguments):
    """A finding: its identity, its beginning, or its number."""

    finding: Name
    """Its identity (`id`, or `data.finding` of a diagnostic), the beginning of it, or its number."""


class FixArguments(FindingArguments):
    """How the fixing run is started."""

    roles: dict[str, str] = {}
    """Role to agent, as for `workflow.start`."""
    consent: str | None = None
    """The hash that a `consent_needed` named, once the user has agreed."""
    concurrent: StrictBool = False
    start_token: str = ""
    """Made by the client: the same one again is the same run."""
