"""What the owner of a run does for other programs of the same user: the verbs that come over its control socket."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any, Literal

from sprintwright import __version__
from sprintwright.app.effects import standing
from sprintwright.engine.question import storable
from sprintwright.errors import Refused
from sprintwright.model.effects import Outcome
from sprintwright.model.records import Decided
from sprintwright.processes import descends_from_turn

if TYPE_CHECKING:
    from sprintwright.app.live import LiveRun


MOST_SAID = 12_000
"""Characters that `say` can add to a prompt; as many as a variable of it may have."""


class Serving:
    """The owner's answers; one object a live run."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live

    async def handle(self, request: dict[str, Any], pid: int | None) -> dict[str, Any]:
        """Do one verb. Raises `Refused`, or `ValueError` for a request that is none.

        Args:
            request: ``{"verb": …}`` and its arguments.
            pid: the caller's process; one that descends from a turn may only look.
        """
        verb = str(request.get("verb", ""))
        if verb == "who":
            return self._who()
        self._refuse_agents(verb, pid)
        match verb:
            case "cancel":
                self._live.cancel()
                return {"runId": self._live.place.run_id}
            case "pause":
                self._live.pause()
                return {"runId": self._live.place.run_id}
            case "continue":
                return self._continue().model_dump()
            case "answer":
                return self._answer(str(request.get("question", "")), str(request.get("text", ""))).model_dump()
            case "say":
                return await self._say(str(request.get("lane", "")), str(request.get("text", "")))
            case "dismiss" | "fixed":
                return await self._decide(verb, str(request.get("finding", "")))
            case _:
                raise ValueError(f"unknown verb {verb!r}")

    def _who(self) -> dict[str, Any]:
        return {
            "runId": self._live.place.run_id,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "program": f"sprintwright {__version__}",
            "status": self._live.state.status,
        }

    def _refuse_agents(self, verb: str, pid: int | None) -> None:
        if pid is None or not descends_from_turn(pid, self._live.turn_pids()):
            return
        self._live.note("refused_caller", f"An agent of this run tried to {verb or 'act on'} the run itself; refused.")
        raise Refused("within_turn", f"{verb!r} is the user's to say: a program that an agent started can't.")

    def _continue(self) -> Outcome:
        live = self._live
        if live.run is not None and live.run.unpark():
            return self._standing("advanced", "The pause is taken back.")
        pausing = [key for key, question in live.state.questions.items() if question.kind == "pause"]
        if pausing:
            live.questions.answer(pausing[0], "continue")
            return self._standing("advanced", "The run goes on.")
        if live.state.questions:
            key = next(iter(live.state.questions))
            text = f"{key} waits for an answer: sprintwright answer {live.place.run_id} TEXT"
            return self._standing("noOp", text).model_copy(update={"reason": "question"})
        return self._standing("noOp", "The run is going on already.")

    def _answer(self, key: str, text: str) -> Outcome:
        answered = self._live.questions.answer(key, text)
        return self._standing("advanced", f"{answered} is answered; the run goes on.")

    def _standing(self, effect: str, text: str) -> Outcome:
        live = self._live
        found = standing(live.place.run_id, live.state, live.definition)
        return found.model_copy(update={"effect": effect, "message": text})

    async def _say(self, lane: str, text: str) -> dict[str, Any]:
        if not text.strip():
            raise Refused("bad_argument", "There is nothing to say.")
        if len(text) > MOST_SAID:
            raise Refused("bad_argument", f"That is more than {MOST_SAID:,} characters.")
        run = self._live.run
        if run is None or self._live.state.status not in ("running", "waiting"):
            raise Refused("run_owned", "The run is just being closed; say it again in a moment.")
        if lane and lane not in self._live.state.nodes:
            raise Refused("unknown_leaf", f"There is no {lane!r} in this run; see `sprintwright show --json`.")
        run.say(lane, run.ports.mask(storable(text)))
        await run.ports.journal.sync()
        return {"runId": self._live.place.run_id}

    async def _decide(self, what: Literal["dismiss", "fixed"], finding: str) -> dict[str, Any]:
        live = self._live
        if live.run is None or finding not in {one.finding.identity for one in live.state.ledger}:
            raise Refused("unknown_finding", f"There is no finding {finding!r} in this run.")
        live.run.ports.journal.append("", Decided(what=what, text=finding))
        await live.run.ports.journal.sync()
        return {"runId": live.place.run_id}
