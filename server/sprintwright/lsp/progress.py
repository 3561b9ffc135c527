"""`$/progress` of the runs that this server carries on: one token a run, an `end` on every path, cancel cancels."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sprintwright.lsp.plain import plain_line
from sprintwright.lsp.runs import Shown
from sprintwright.state.fold import RunState
from sprintwright.state.node import Node
from sprintwright.state.tree import ancestors

log = logging.getLogger(__name__)
_ENDED = ("done", "skipped", "failed", "blocked")


class Progress:
    """Shows runs as work done progress, where the client can."""

    def __init__(self, server: LanguageServer, cancel: Callable[[str], None]) -> None:
        self._server, self._cancel = server, cancel
        self._word = secrets.token_hex(4)  # a client may still hold the tokens of a server before us (R83)
        self._tokens: dict[str, str] = {}
        self._made: set[str] = set()
        """Tokens that the client took: what begins with them also ends."""
        self._told: dict[str, tuple[str, int | None]] = {}

    async def begin(self, run: Shown) -> None:
        """Ask for a token, and begin as soon as it is known what the run is."""
        window = self._server.client_capabilities.window
        if not (window and window.work_done_progress):
            return
        run_id = run.place.run_id
        token = f"sprintwright/{run_id}/{self._word}/{secrets.token_hex(2)}"
        self.forget(run_id)  # it may go on before its end was shown
        self._tokens[run_id] = token
        try:
            made = types.WorkDoneProgressCreateParams(token=token)
            await self._server.protocol.send_request_async(types.WINDOW_WORK_DONE_PROGRESS_CREATE, made)
        except Exception as error:
            log.info("the client shows no progress: %s", error)
            if self._tokens.get(run_id) == token:
                del self._tokens[run_id]
            return
        if self._tokens.get(run_id) != token:  # the run ended while the client was asked
            self._begin(run, token)
            self._end(run, token)
            return
        self._made.add(token)
        self.report(run)

    def report(self, run: Shown) -> None:
        """Say where the run is, if that is news."""
        run_id = run.place.run_id
        token = self._tokens.get(run_id)
        if token not in self._made or run.state.started is None:
            return
        told = self._told.get(run_id)
        if told is None:
            self._begin(run, token)
        now = (message_of(run.state), percentage_of(run.state))
        if now != told:
            self._told[run_id] = now
            self._send(token, types.WorkDoneProgressReport(message=now[0], percentage=now[1], cancellable=True))

    def end(self, run: Shown) -> None:
        """The run ended, whatever came of it."""
        run_id = run.place.run_id
        token, told = self._tokens.pop(run_id, None), self._told.pop(run_id, None)
        if token is None or token not in self._made:
            return
        self._made.discard(token)
        if told is None:
            self._begin(run, token)
        self._end(run, token)

    def forget(self, run_id: str) -> None:
        """Nobody will be told how the run ended: it was deleted at once, or the session is over. Its progress ends."""
        token, told = self._tokens.pop(run_id, None), self._told.pop(run_id, None)
        if token in self._made and told is not None:
            self._send(token, types.WorkDoneProgressEnd())
        self._made.discard(token or "")

    def close(self) -> None:
        """End all that is shown still."""
        for run_id in list(self._tokens):
            self.forget(run_id)

    def _begin(self, run: Shown, token: str) -> None:
        started = run.state.started
        title = f"{started.workflow}: {plain_line(started.task, 60)}" if started else "Sprintwright"
        self._send(token, types.WorkDoneProgressBegin(title=title, cancellable=True, message="starting", percentage=0))

    def _end(self, run: Shown, token: str) -> None:
        self._send(token, types.WorkDoneProgressEnd(message=run.state.status.replace("_", " ")))

    def cancelled(self, token: int | str) -> None:
        """The user pressed cancel in the client."""
        for run_id, own in self._tokens.items():
            if own == token:
                self._cancel(run_id)
                return

    def _send(self, token: str, value: object) -> None:
        self._server.protocol.notify(types.PROGRESS, types.ProgressParams(token=token, value=value))


def message_of(state: RunState) -> str:
    """Where a run is: ``Sprint 2/3 · pass 1 · evaluator``."""
    if state.questions:
        return "waits for your answer"
    leaf = _leaf_at_work(state)
    if leaf is None:
        return state.status.replace("_", " ")
    parts = [_of_around(state.nodes[key], state) for key in reversed(ancestors(leaf.id)) if key in state.nodes]
    beside = sum(state.nodes[key].kind in ("turn", "check") for key in state.tree.at_work) - 1
    parts.append(leaf.role or leaf.label)
    parts.append(f"and {beside} beside it" if beside > 0 else "")
    if leaf.status == "waiting":
        parts.append("waits for its agent's limit" if leaf.until else "waits")
    return plain_line(" · ".join(part for part in parts if part), 120)


def percentage_of(state: RunState) -> int | None:
    """How much is done, by the sprints or items of the first outer loop whose number is known; None: not known."""
    for stage in state.children[""]:
        entries = _entries(stage, state)
        if entries and state.nodes[stage].status == "running":
            done = sum(state.nodes[key].status in _ENDED for key in entries)
            return round(100 * done / len(entries))
    return None


def _leaf_at_work(state: RunState) -> Node | None:
    keys = (key for key in state.tree.at_work if state.nodes[key].kind in ("turn", "check", "question"))
    return state.nodes[first] if (first := min(keys, default=None)) is not None else None


def _of_around(node: Node, state: RunState) -> str:
    if node.kind == "pass":
        return f"pass {node.id.rpartition('[')[2][:-1]}"
    if node.kind == "entry":
        word = node.label.partition(":")[0]
        return f"{word}/{len(_entries(node.parent, state))}"
    return ""


def _entries(key: str, state: RunState) -> list[str]:
    return [child for child in state.children.get(key, []) if state.nodes[child].kind == "entry"]
