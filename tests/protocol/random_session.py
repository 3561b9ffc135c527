"""A client that does anything: it counts what must be answered, answers what it is asked somehow, and keeps what it saw.

Everything random comes from one `random.Random`, so that a seed tells a session, as far as the server's pace allows.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.protocol.golden import COMMANDS, FOLDER
from tests.protocol.support import Message, RawClient, frame
from tests.support.terminal import Place

JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**31, 2**53, "", " ", "x", "last", "\0", "../../etc/passwd", "--help", "$(id)", "[x](command:y)",
    "\u202e\u200b\U000e0041", "😀𠀀", "ü" * 5_000, [], [[]], {}, {"jsonrpc": "2.0"}, {"class": {"from": 1}}, ["a", 1],
)  # fmt: skip
WORKFLOWS = ("quick", "rounds", "asking", "hanging", "dev", "nowhere", "broken", "--help")
_JUDGE = (
    "{id: judge, kind: agent_turn, role: w, save_as: findings, prompt: \"f.txt:1: error: bad\\nVERDICT: no_good\", "
    "verdict: {good_to_go: {action: break}, no_good: {action: retry}}}"
)  # fmt: skip
_TURN = "{id: %s, kind: agent_turn, role: %s, prompt: 'go\\non'}"
_STAGES = {
    "quick": (_TURN % ("a", "w"),),
    "rounds": (f"{{id: passes, kind: loop, max_iterations: 2, on_exhausted: ask, body: [{_JUDGE}]}}",),
    "asking": ("{id: first, kind: user_checkpoint, prompt: 'What?', save_as: said}", _TURN % ("b", "w")),
    "hanging": (_TURN % ("a", "w"), _TURN % ("h", "h")),
    "broken": ("{id: a, kind: nothing}",),
}


def furnish(place: Place) -> None:
    """Workflows that ask, judge and hang, and agents that cost nothing: the prompt is the reply; one that never ends."""
    hang = ["/bin/sh", "-c", f"echo $$ >> '{place.base}/pids'; exec sleep 3600"]
    agents = {"echo": {"kind": "cli", "command": ["/bin/cat"]}, "hang": {"kind": "cli", "command": hang}}
    place.configure(agents=agents, primary="echo", roles={"h": "hang"})
    for name, stages in _STAGES.items():
        lines = "".join(f"  - {stage}\n" for stage in stages)
        roles = "roles: {w: {permissions: workspace_write}, h: {permissions: workspace_write}}"
        place.define(name, f"name: {name}\n{roles}\nstages:\n{lines}")
    (place.project / "f.txt").write_text("one\ntwo\n", encoding="utf-8")


def hung(place: Place) -> list[int]:
    """The processes of the agent that never ends."""
    pids = place.base / "pids"
    return [int(line) for line in pids.read_text(encoding="ascii").split()] if pids.exists() else []


class RandomSession:
    """One client in one session. ``due``: how many answers each id must get; ``runs``: ids that the server named; ``status``: of those
    that are there, as they were told last."""

    def __init__(self, client: RawClient, place: Place, seed: int) -> None:
        self.client, self.place, self.chance = client, place, random.Random(seed)
        self.due = Counter[Any]()
        self.runs: list[str] = []
        self.status: dict[str, str] = {}
        self._asked: list[Any] = []
        self._heard = 0
        self._next = 1000
        self._version = 0
        self._open: set[str] = set()

    # Requests

    def ask(self, method: str, params: Any) -> None:
        """A request with an id of any kind."""
        self._next += 1
        name: Any = self.chance.choice([self._next, str(self._next), f"id {self._next} ü"])
        self.due[name] += 1
        self._asked.append(name)
        self.client.send(id=name, method=method, params=params)

    def start(self, workflow: str) -> None:
        """Start a run for certain."""
        argument = {"workflow": workflow, "task": "do it", "concurrent": True}
        self.ask("workspace/executeCommand", {"command": "sprintwright.workflow.start", "arguments": [argument]})

    def ask_command(self, wild: float) -> None:
        """A command with an argument that was right before it was changed, as often as ``wild`` says."""
        name = self.chance.choice([*COMMANDS, *_OFTEN])
        argument = self._argument(name)
        if self.chance.random() < wild:
            argument = self._changed(argument)
        arguments = [[argument]] * 9 + [[], None, [argument, argument], {}]
        params = {
            "command": name,
            "arguments": arguments[0] if self.chance.random() > wild else self.chance.choice(arguments),
        }
        self.ask("workspace/executeCommand", params)

    def cancel(self) -> None:
        """Cancel a request, which may be answered already, or nothing."""
        name = self.chance.choice([*self._asked[-3:], *JUNK])
        self.client.notify("$/cancelRequest", {"id": name})

    def send_frame(self, body: bytes, *ids: Any) -> None:
        """A body, and the ids that must be answered because of it."""
        self.due.update(ids)
        self.client.send_bytes(frame(body))

    def edit(self) -> None:
        """Open, change, save or close a document: a definition, a file with findings, or one that is none."""
        uri = self.chance.choice(self.uris())
        text = self.chance.choice(
            ["", "name: x\n", "stages: [{id: é, kind: agent_turn}]\n", "😀\n" * 9, "a: &a [*a]\n"]
        )
        self._version += 1
        document: dict[str, Any] = {"uri": uri, "version": self._version}
        if uri not in self._open:
            self._open.add(uri)
            self.client.notify(
                "textDocument/didOpen", {"textDocument": {**document, "languageId": "yaml", "text": text}}
            )
            return
        place = {"line": self.chance.randrange(4), "character": self.chance.randrange(4)}
        match self.chance.randrange(6):
            case 0:
                self._open.discard(uri)
                self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            case 1:
                self.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            case 2:
                kinds = [{"uri": uri, "type": kind} for kind in (1, 2, 3)]
                self.client.notify("workspace/didChangeWatchedFiles", {"changes": kinds})
            case 3:
                self.client.notify(
                    "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
                )
            case _:
                change = {"range": {"start": place, "end": place}, "text": text}
                self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def uris(self) -> list[str]:
        """Documents that it edits."""
        workflows = self.place.base / "config" / "sprintwright" / "workflows"
        paths = [self.place.project / "f.txt", workflows / "quick.yaml", workflows / "not there.yaml"]
        return [*(path.as_uri() for path in paths), "untitled:Untitled-1", "file://host/x"]

    # What comes

    def hear(self) -> None:
        """Take in what came: answer what is asked, in any way; keep the ids of runs."""
        while self._heard < len(self.client.received):
            message = self.client.received[self._heard]
            self._heard += 1
            if "method" in message and "id" in message:
                self._reply(message)
            found = message.get("result") or message.get("params") or {}
            run_id = found.get("runId") if isinstance(found, dict) else None
            if run_id and run_id not in self.runs:
                self.runs.append(run_id)
            match message.get("method", "").removeprefix("sprintwright/run/"):
                case "didChange":
                    self.status[found["runId"]] = found["status"]
                case "didDelete":
                    self.status.pop(found["runId"], None)
                case _:
                    pass

    def _reply(self, message: Message) -> None:
        answers: list[dict[str, Any]] = [{"result": None}] * 3 + [{"result": {"text": "go on"}}] * 3 + [
            {"error": {"code": -1, "message": "no"}}, {"result": self.chance.choice(JUNK)}, {},
        ]  # fmt: skip
        answer = self.chance.choice(answers)
        if answer:
            self.client.send(id=message["id"], **answer)

    def settle(self) -> None:
        """Wait until everything that must be answered is."""
        self.client.wait_until(lambda: not self.due - self.answers())
        self.hear()

    def let_runs_go_on(self) -> None:
        """Wait until a run that is at work comes to a stand; a moment, for some never do."""
        self.hear()
        seen = len(self.client.received)
        if "running" in self.status.values():
            self.client.wait_until(lambda: any(map(_is_stand, self.client.received[seen:])), seconds=0.5)
        self.hear()

    def answers(self) -> Counter[Any]:
        """How often each id was answered."""
        return Counter(one["id"] for one in self.client.received if is_answer(one))

    # Arguments

    def _argument(self, name: str) -> Any:
        stem = name.removeprefix("sprintwright.")
        given = json.loads((FOLDER / f"{stem}.argument.json").read_text(encoding="utf-8"))
        choose = self.chance.choice
        known: dict[str, Callable[[], Any]] = {
            "runId": lambda: choose([*[*self.status] * 4, *self.runs[-2:], "last", "20260101-000000000-none"]),
            "folder": lambda: choose([str(self.place.project), None]),
            "workflow": lambda: choose([*WORKFLOWS[:4] * 3, *WORKFLOWS]),
            "task": lambda: choose(["do it", "x [y](command:z) \x1b[31m", *filter(bool, map(str, JUNK))]),
            "roles": lambda: choose([{}, {"w": "hang"}, {"w": "human"}, {"nobody": "echo"}]),
            "vars": dict,
            "pauseAfter": lambda: choose([[], [], ["a"], ["nothing"]]),
            "startToken": lambda: choose(["", "", "token"]),
            "concurrent": lambda: choose([True, True, False]),
            "consent": lambda: None,
            "leaf": lambda: choose(["a", "passes[1]", "passes[2]/judge", "first", ""]),
            "question": lambda: choose(["", "first", "passes"]),
            "text": lambda: choose(["go on", "", "nothing [x](y)"]),
            "to": lambda: choose(["start", "a", "undo:1"]),
            "finding": lambda: choose(["1", "2", "5f0c"]),
        }
        return {key: known[key]() if key in known else value for key, value in given.items()}

    def _changed(self, argument: dict[str, Any]) -> Any:
        field = self.chance.choice([*argument, "colour"])
        match self.chance.randrange(4):
            case 0:
                return self.chance.choice(JUNK)
            case 1:
                return {key: value for key, value in argument.items() if key != field}
            case _:
                return {**argument, field: self.chance.choice(JUNK)}


_OFTEN = tuple(
    f"sprintwright.{name}"
    for name in ("workflow.start", "workflow.start", "workflow.start", "run.cancel", "run.pause", "run.continue", "run.answer",
                 "run.delete", "workflow.resume", "run.get")
)  # fmt: skip


def is_answer(message: Message) -> bool:
    """Whether it answers a request of the client."""
    return "id" in message and "method" not in message


def _is_stand(message: Message) -> bool:
    """Whether it says of a run that it stands still now."""
    return message.get("method") == "sprintwright/run/didChange" and message["params"]["status"] not in ("running", "")
