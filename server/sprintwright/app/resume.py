"""Going on with a run that nobody owns: look at it, append the user's decisions, walk. There is no second code path.

prepared = await prepare(place, world)          # what is recorded, what was cut off, which files were changed
decisions = to_resume(prepared, choice, …)      # what the user decides about that
live = await go_on(prepared, decisions, world)        # take the lock, look again, record, walk
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sprintwright.agents.registry import Configured
from sprintwright.app import decisions as decided
from sprintwright.app import owners
from sprintwright.app.active import one_at_a_time, refuse_beside_another
from sprintwright.app.artifacts import ArtifactChoice, Difference, decide, differences
from sprintwright.app.consent import agent_items, require_consent
from sprintwright.app.cut_off import refuse_cut_off
from sprintwright.app.decisions import Decision
from sprintwright.app.doctor import problem_of
from sprintwright.app.effects import Situation
from sprintwright.app.files import RunFiles
from sprintwright.app.live import LiveRun, World, ports_of
from sprintwright.app.preview import done_again
from sprintwright.app.runs import definition_of, end_leftovers, read_own, require_unowned
from sprintwright.app.user_state import UserState
from sprintwright.engine.folder import MOST_FILES
from sprintwright.engine.history import History
from sprintwright.engine.ports import Workspace
from sprintwright.errors import Refused, WorkspaceError
from sprintwright.journal.blobs import Blobs, inline
from sprintwright.journal.memory import InMemoryJournal
from sprintwright.journal.reader import Loaded
from sprintwright.journal.store import RunFolder
from sprintwright.model.changes import Change
from sprintwright.model.definition import AgentTurn, Definition, walk_stages
from sprintwright.model.limits import Limits
from sprintwright.model.records import Decided, Payload, Started
from sprintwright.model.results import Changed
from sprintwright.state.attempts import Attempts
from sprintwright.state.fold import RunState, fold
from sprintwright.state.tree import without_numbers
from sprintwright.threads import in_thread
from sprintwright.workspace.snapshots import Snapshots

Choice = Literal["redo", "keep", "stop"]


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A leaf that was started and not finished, and what is different in the folder since its first try began."""

    key: str
    started: Started
    changes: tuple[Change, ...]
    compared: bool
    """Whether the changes are known at all."""
    can_keep: bool
    left: Changed | None = None
    """The same as it is recorded with the decision; None where it is not known, or files were restored since."""

    @property
    def needs_choice(self) -> bool:
        """A check that changed nothing is simply done again (R35)."""
        return self.started.what == "turn" or bool(self.changes) or not self.compared


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can be gone on with, as it was found. Nothing of it was changed."""

    place: RunFolder
    loaded: Loaded
    state: RunState
    definition: Definition
    interrupted: list[Interrupted]
    differences: list[Difference]
    reaped: int
    """Agent processes that a killed owner had left at work, and that were ended."""

    @property
    def situation(self) -> Situation:
        """The same for the verbs' effects."""
        read = RunFiles(self.place).read
        return Situation(self.place.run_id, self.state, self.definition, self.differences, read)


async def prepare(place: RunFolder, world: World, *, accept_shorter: bool = False) -> Prepared:
    """Read an own run that nobody owns; end what a killed owner left at work, and then look at the folder.

    Raises:
        Refused: `run_unreadable`, `not_own_run`, `run_owned`, `journal_shortened`, `unknown_run`, `not_supported`,
            `restore_cut_off`.
    """
    loaded, definition, state, cut_off = await in_thread(_read, place, world, accept_shorter)
    reaped = await end_leftovers(world.places, place, world.leftovers)
    interrupted = await _interrupted(cut_off, definition, state.attempts, world.workspace)
    found = await in_thread(differences, loaded.records, state, definition, RunFiles(place))
    return Prepared(place, loaded, state, definition, interrupted, found, reaped)


def _read(
    place: RunFolder, world: World, accept_shorter: bool
) -> tuple[Loaded, Definition, RunState, dict[str, Started]]:
    """What is recorded, what it comes to, and the leaves that were cut off."""
    loaded = read_own(world.places, place, accept_shorter=accept_shorter)
    require_unowned(world.places, place)
    definition = definition_of(place, loaded.records)
    state = fold(loaded.records)
    if state.status in ("running", "waiting"):
        state.leave()
    refuse_cut_off(place, state)
    return loaded, definition, state, History.load(loaded.records).open


async def _interrupted(
    cut_off: dict[str, Started], definition: Definition, attempts: Attempts, workspace: Workspace
) -> list[Interrupted]:
    leaves = [key for key, one in cut_off.items() if one.what in ("turn", "check") and not one.person]
    found: list[Interrupted] = []
    for key in leaves:
        before = attempts.begun.get(key, cut_off[key].before)
        after, changes = await _since(workspace, before)
        left = None
        if after and key not in attempts.left_at:
            left = _left(before, after, changes, tuple(one for one in leaves if one != key))
        found.append(Interrupted(key, cut_off[key], changes, bool(after), _can_keep(definition, key), left))
    return found


async def _since(workspace: Workspace, before: str) -> tuple[str, tuple[Change, ...]]:
    """The snapshot that was compared with, and what is different; an empty one where that is not known."""
    if not before:
        return "", ()
    try:
        now = await workspace.take()
        return now.tree, await workspace.changes(before, now.tree)
    except WorkspaceError:
        return "", ()


def _left(before: str, after: str, changes: tuple[Change, ...], beside: tuple[str, ...]) -> Changed:
    more = max(0, len(changes) - MOST_FILES)
    return Changed(before=before, after=after, files=changes[:MOST_FILES], more=more, together_with=beside)


def _can_keep(definition: Definition, key: str) -> bool:
    """Only a turn without verdict and artifact can be kept: nothing of it is missing then but its words."""
    for at, stage in walk_stages(definition.stages):
        if at == without_numbers(key) and isinstance(stage, AgentTurn):
            return not (stage.verdict or stage.artifact or stage.skip_user_checkpoint_marker)
    return False


def policy(leaves: Sequence[Interrupted]) -> Choice:
    """What is done with nobody to ask: redo, but stop where a turn could do everything."""
    return "stop" if any(leaf.started.permissions == "full" for leaf in leaves) else "redo"


def to_resume(
    prepared: Prepared,
    choice: Choice,
    *,
    artifacts: ArtifactChoice | None = None,
    max_passes: int = 0,
    limits: Limits | None = None,
) -> list[Decision]:
    """The decisions of `workflow.resume`. A stage that was not approved is done again; a pause is over.

    Args:
        choice: what is done with the interrupted leaves. `keep` needs every one of them to be keepable.
        artifacts: what counts where files are not as the run left them.
        max_passes: a new limit for bounded loops; 0 leaves it.
        limits: new limits of the run.

    Raises:
        Refused: `already_done`, `stopped`, `needs_choice`, or a choice that can't be carried out.
    """
    state = prepared.state
    if state.status == "completed":
        raise Refused("already_done", f"Run {prepared.place.run_id!r} is completed; there is nothing to resume.")
    found = [*_about_interrupted(prepared.interrupted, choice), *decide(prepared.differences, artifacts)]
    if state.status == "paused":
        mine = {key for key, payload in found if isinstance(payload, Decided) and payload.what == "mine"}
        if (
            state.code == "blocked"
            and not {state.stage, f"{state.stage}/second_turn", f"{state.stage}/artifact"} & mine
        ):
            found.append(decided.again(prepared.loaded.records, _blocked_leaf(prepared)))
        elif state.code == "pause_after":
            found.append((state.stage, Decided(what="answer", text="continue")))
    return [*found, *decided.limits(max_passes, limits)]


def _blocked_leaf(prepared: Prepared) -> str:
    """What is done again where a gate blocks: the stage; of a loop only its artifact, for its passes were good."""
    own = f"{prepared.state.stage}/artifact"
    return own if own in History.load(prepared.loaded.records).finished else prepared.state.stage


def _about_interrupted(leaves: Sequence[Interrupted], choice: Choice) -> list[Decision]:
    if choice == "stop" and leaves:
        raise Refused("stopped", "The run stays as it is.", keys=[leaf.key for leaf in leaves])
    if choice == "keep" and (cannot := [leaf.key for leaf in leaves if not leaf.can_keep]):
        raise Refused(
            "bad_argument",
            f"{', '.join(cannot)} gives a verdict, an artifact or a plan, so it can't be kept half done. "
            "Use redo or stop.",
        )
    return [(leaf.key, Decided(what="keep" if choice == "keep" else "redo", left=leaf.left)) for leaf in leaves]


async def preview(
    prepared: Prepared, decisions: Sequence[Decision], world: World, definition: Definition | None = None
) -> list[str]:
    """Finished leaves that would be done again after these decisions, by key; nothing is changed."""
    blobs = Blobs(prepared.place.path)
    journal = InMemoryJournal(resolve=lambda value: inline(value, blobs.read))
    ports = ports_of(world, prepared.place, journal, world.people)

    def walk() -> list[str]:
        known = definition or prepared.definition
        return asyncio.run(done_again(prepared.loaded.records, decisions, known, ports, journal))

    return await in_thread(walk)  # on a loop of its own: it goes through everything that was recorded


async def go_on(
    prepared: Prepared,
    decisions: Sequence[Decision],
    world: World,
    *,
    definition: Definition | None = None,
    consent: str | None = None,
    concurrent: bool = False,
) -> LiveRun:
    """Take the run, look again, record the decisions and walk on; returns when that has begun.

    Args:
        decisions: from `to_resume` and its like, made on what ``prepared`` shows.
        definition: the edited one, by a decision among these; else the run's own.
        consent: the hash that the user agrees to, where the folder's own agents play.
        concurrent: go on although another run is live in the folder.

    Raises:
        Refused: the run is owned by another process or went on meanwhile, another run is live in the folder, or the
            folder's own files ask for consent.
    """
    async with one_at_a_time(world.places, prepared.place.folder):
        if not concurrent:
            gone_by = definition or prepared.definition
            await in_thread(refuse_beside_another, world.places, prepared.place, gone_by)
        live = await take(prepared, decisions, world, definition=definition, consent=consent)
        live.begin()
        return live


async def take(
    prepared: Prepared,
    decisions: Sequence[Decision],
    world: World,
    *,
    definition: Definition | None = None,
    consent: str | None = None,
    acts: bool = True,
) -> LiveRun:
    """As `go_on`, but without walking: for decisions that are only recorded (``acts`` False: no agent is needed)."""
    try:
        live = await LiveRun.open(prepared.place, definition or prepared.definition, world)
    except Refused as refused:
        raise (owners.owned(prepared.place) if refused.code == "run_owned" else refused) from refused
    try:
        _check_still(prepared, live)
        if acts:
            await in_thread(_check_players, live, world, consent, decisions)
        await in_thread(RunFiles(prepared.place).settle, [payload for _, payload in decisions])
        for key, payload in decisions:
            live.record(key, payload)
            await _keep_tree(prepared.place, payload, world.workspace)
    except OSError as error:
        live.abandon()
        raise Refused("folder_read_only", f"The run can't be written: {error.strerror or error}.") from error
    except BaseException:
        live.abandon()
        raise
    return live


async def _keep_tree(place: RunFolder, decision: Payload, workspace: Snapshots) -> None:
    """The files that a kept leaf left can be shown as long as the run is there; no other record names them."""
    if isinstance(decision, Decided) and decision.what == "keep" and decision.left is not None:
        with contextlib.suppress(WorkspaceError):
            await workspace.keep(place.run_id, decision.left.after)


def _check_still(prepared: Prepared, live: LiveRun) -> None:
    """With the lock in hand: nobody went on with the run meanwhile."""
    if live.loaded_last != prepared.loaded.last:
        raise Refused(
            "run_owned",
            f"Run {live.place.run_id!r} was gone on with meanwhile, by another program: what you decided was not "
            "needed any more, or is out of date. Look at it, and say it again if there is something left to do.",
        )


def _check_players(live: LiveRun, world: World, consent: str | None, decisions: Sequence[Decision]) -> None:
    """The agents are there, and are those that the user agreed to, the new ones too (faults.md R54)."""
    roles = dict(live.state.roles)
    for _, payload in decisions:
        if isinstance(payload, Decided):
            roles.update(payload.roles)
    folder = live.place.folder
    items = agent_items([player_of(live.place, world, role, name) for role, name in roles.items()], folder)
    require_consent(items, str(folder), consent, UserState(world.places.state))


def player_of(place: RunFolder, world: World, role: str, name: str) -> Configured:
    """The agent that plays a role of a run. Raises `Refused` with what to type where it can't (faults.md R54)."""
    try:
        agent = world.registry.get(name)
        problem = problem_of(agent, place.folder, world.environment)
    except Refused as refused:
        agent, problem = None, refused.message
    if agent is None or problem:
        raise Refused(
            "agent_missing",
            f"Agent {name!r} can't go on playing role {role!r}: {problem} Or give the role to another agent: "
            f"sprintwright reconfigure {place.run_id} --{role} NAME",
            role=role,
        )
    return agent
