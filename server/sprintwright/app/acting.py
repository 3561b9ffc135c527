"""The verbs that act on a run, wherever it is: with its owner, over the control socket, or here, where it has none."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeVar

from sprintwright.app import decisions as decided
from sprintwright.app import owners
from sprintwright.app.artifacts import ArtifactChoice, decide
from sprintwright.app.consent import consent_items, require_consent
from sprintwright.app.decisions import Decision
from sprintwright.app.effects import Step, on_continue, on_end
from sprintwright.app.live import LiveRun, World
from sprintwright.app.places import Places
from sprintwright.app.resolve import known_roles
from sprintwright.app.resume import Prepared, go_on, player_of, prepare, preview, take
from sprintwright.app.runs import definition_file
from sprintwright.app.serving import MOST_SAID
from sprintwright.app.start import find_definition, frozen_text
from sprintwright.app.user_state import UserState
from sprintwright.engine.question import storable
from sprintwright.errors import Refused
from sprintwright.journal.store import RunFolder
from sprintwright.model.definition import Definition
from sprintwright.model.effects import Outcome
from sprintwright.model.outline import outline_of
from sprintwright.model.records import Decided, Said
from sprintwright.paths import write_atomic
from sprintwright.secrets import Masker
from sprintwright.state.fold import RunState, fold
from sprintwright.threads import in_thread

T = TypeVar("T")
_TRIES = 5


async def continue_run(
    place: RunFolder,
    world: World,
    *,
    artifacts: ArtifactChoice | None = None,
    consent: str | None = None,
    concurrent: bool = False,
) -> LiveRun | Outcome:
    """`run.continue`: the run goes on here, or with its owner. Raises `Refused`."""

    async def here() -> LiveRun | Outcome:
        prepared = await prepare(place, world)
        return await _carried_out(prepared, on_continue(prepared.situation, artifacts), world, consent, concurrent)

    return await _somewhere(place, world, {"verb": "continue"}, here, _outcome)


async def answer(
    place: RunFolder,
    world: World,
    text: str,
    *,
    question: str = "",
    artifacts: ArtifactChoice | None = None,
    consent: str | None = None,
    concurrent: bool = False,
) -> LiveRun | Outcome:
    """`run.answer`: the first answer counts, from wherever it comes. Raises `Refused` (`no_question`) for others."""

    # Which question is meant is settled before anybody is asked: an answer that comes too late never hits the next one.
    asked = question or decided.only_question(await in_thread(_state_of, place))

    async def here() -> LiveRun | Outcome:
        prepared = await prepare(place, world)
        found = [*decide(prepared.differences, artifacts), decided.answer(prepared.state, text, asked)]
        if asked.rpartition("/")[0] in await preview(prepared, found, world):
            raise Refused(
                "no_question",
                f"With your version {asked.rpartition('/')[0]} is done again, and may ask something else. "
                f"Go on first: sprintwright resume {place.run_id} --artifacts mine",
            )
        return await go_on(prepared, found, world, consent=consent, concurrent=concurrent)

    return await _somewhere(place, world, {"verb": "answer", "question": asked, "text": text}, here, _outcome)


async def end(place: RunFolder, world: World, *, artifacts: ArtifactChoice | None = None) -> Outcome:
    """`workflow.end`: `closed`, or `endBlocked` with what is missing. Raises `Refused`."""
    prepared = await prepare(place, world)
    step = on_end(prepared.situation, artifacts)
    if step.decisions is not None:
        live = await take(prepared, step.decisions, world, acts=False)
        await live.close()
    return step.outcome


async def say(place: RunFolder, world: World, text: str, *, lane: str = "") -> dict[str, Any]:
    """`run.say`: the user's words for the next prompt of a lane, or of any. Raises `Refused`."""
    if not text.strip():
        raise Refused("bad_argument", "There is nothing to say: give the words, in quotes.")
    if len(text) > MOST_SAID:
        raise Refused(
            "bad_argument",
            f"That is {len(text):,} characters; a prompt has room for {MOST_SAID:,}. Name a file instead.",
        )

    async def here() -> dict[str, Any]:
        prepared = await prepare(place, world)
        if lane and lane not in prepared.state.nodes:
            raise Refused("unknown_leaf", f"There is no {lane!r} in this run; see `sprintwright show --json`.")
        return await _recorded(prepared, [(lane, Said(text=Masker(world.environment).mask(storable(text))))], world)

    return await _somewhere(place, world, {"verb": "say", "lane": lane, "text": text}, here, dict)


async def dismiss(place: RunFolder, world: World, finding: str) -> dict[str, Any]:
    """`finding.dismiss`, by the finding's identity; it stays dismissed when it is found again. Raises `Refused`."""
    return await _decide(place, world, "dismiss", finding)


async def mark_fixed(place: RunFolder, world: World, finding: str) -> dict[str, Any]:
    """A finding, by its identity, was mended by a run of its own. Raises `Refused`."""
    return await _decide(place, world, "fixed", finding)


async def _decide(place: RunFolder, world: World, what: Literal["dismiss", "fixed"], finding: str) -> dict[str, Any]:
    async def here() -> dict[str, Any]:
        prepared = await prepare(place, world)
        return await _recorded(prepared, [("", Decided(what=what, text=finding))], world)

    return await _somewhere(place, world, {"verb": what, "finding": finding}, here, dict)


async def reconfigure(place: RunFolder, world: World, given: Mapping[str, str]) -> dict[str, str]:
    """`run.reconfigure`: other agents for roles from the next turn on; who plays what then. Raises `Refused`.

    Nothing changes when one name is unknown; progress is untouched.
    """
    prepared = await prepare(place, world)
    known = {name.casefold(): name for name in prepared.state.roles}
    asked = known_roles(prepared.definition, given)
    changed = {
        known[role.casefold()]: world.registry.get(agent).name
        for role, agent in asked.items()
        if role.casefold() in known
    }
    if changed:
        await _recorded(prepared, [decided.roles(changed)], world)
    return {**prepared.state.roles, **changed}


def pause(places: Places, place: RunFolder) -> dict[str, Any]:
    """`run.pause`: the owner parks the run after the turn in hand. Raises `Refused` when nobody carries it on."""
    return _owner_only(places, place, "pause")


def cancel(places: Places, place: RunFolder) -> dict[str, Any]:
    """`run.cancel`: the owner ends the run; what is finished is kept. Raises `Refused` when nobody carries it on."""
    return _owner_only(places, place, "cancel")


def edited_definition(prepared: Prepared, world: World, consent: str | None) -> tuple[Definition, list[Decision]]:
    """The workflow of that name as it is now, kept beside the run, and the decision to go by it.

    Raises:
        Refused: it is gone or broken, asks for consent, or is no other than the run's own.
    """
    started = prepared.state.started
    assert started is not None, "prepare() refuses a run without a start"
    entry, definition = find_definition(world.places, prepared.place.folder, started.workflow)
    text = frozen_text(entry, definition)
    digest = hashlib.sha256(text).hexdigest()
    players = [player_of(prepared.place, world, role, name) for role, name in prepared.state.roles.items()]
    items = consent_items(entry, definition, players, prepared.place.folder)
    require_consent(items, str(prepared.place.folder), consent, UserState(world.places.state))
    missing = [role for role in definition.roles if role not in prepared.state.roles]
    if missing:
        raise Refused(
            "agent_missing",
            f"The edited workflow has new roles ({', '.join(missing)}); start a new run for it.",
            role=missing[0],
        )
    try:
        write_atomic(prepared.place.path, definition_file(digest), text)
    except OSError as error:  # deleted meanwhile, perhaps
        raise Refused("folder_read_only", f"The run can't be written: {error.strerror or error}.") from error
    outline = outline_of(definition.stages)
    return definition, [("", Decided(what="definition", definition_hash=digest, outline=outline))]


async def _carried_out(
    prepared: Prepared, step: Step, world: World, consent: str | None, concurrent: bool
) -> LiveRun | Outcome:
    if not step.walks:
        return step.outcome
    return await go_on(prepared, step.decisions or [], world, consent=consent, concurrent=concurrent)


def _state_of(place: RunFolder) -> RunState:
    return fold(place.read().records)


async def _recorded(prepared: Prepared, decisions: list[Decision], world: World) -> dict[str, Any]:
    live = await take(prepared, decisions, world, acts=False)
    await live.close()
    return {"runId": prepared.place.run_id}


async def _somewhere(
    place: RunFolder,
    world: World,
    request: dict[str, Any],
    here: Callable[[], Awaitable[T]],
    read: Callable[[dict[str, Any]], T],
) -> T:
    """With the owner if there is one, else here; whoever takes the run meanwhile is asked in its turn."""
    for left in reversed(range(_TRIES)):
        reply = await asyncio.to_thread(owners.send, world.places, place.run_id, request)
        if reply is not None:
            return read(_checked(reply))
        try:
            return await here()
        except Refused as refused:
            if refused.code != "run_owned" or not left:
                raise
            await asyncio.sleep(0.05)  # it is being opened or closed there: its socket comes or goes
    raise AssertionError("the last try returns or raises")


def _owner_only(places: Places, place: RunFolder, verb: str) -> dict[str, Any]:
    reply = owners.send(places, place.run_id, {"verb": verb})
    if reply is None:
        raise Refused("bad_argument", f"Run {place.run_id} is not being carried on by anybody; nothing to {verb}.")
    return _checked(reply)


def _checked(reply: dict[str, Any]) -> dict[str, Any]:
    """The owner's answer, or its refusal raised here."""
    if reply.pop("ok", False):
        return reply
    raise Refused(reply.get("code", "bad_argument"), str(reply.get("message", "")), **reply.get("data", {}))


def _outcome(reply: dict[str, Any]) -> Outcome:
    return Outcome.model_validate(reply)
