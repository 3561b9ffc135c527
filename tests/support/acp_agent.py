"""An agent that speaks the Agent Client Protocol as a script says; plain lines, so that it can break every rule.

    python acp_agent.py SCRIPT.json LOG.jsonl

The script: ``hang`` (a method that is never answered), ``answers`` (method to its result, or to ``{"error": …}``),
``turns`` (one list of steps a prompt; the last one is used again), ``late`` (steps after the end of each turn),
``stubborn`` (goes on when cancelled). Steps are lists, see `Agent.step`. The log has every message that arrived.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

SCRIPT: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text("utf-8"))
LOG = Path(sys.argv[2]).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115 - open as long as the agent lives


def write_often(descriptor: int, text: bytes, times: int) -> None:
    """Write the text so many times, about a megabyte at once."""
    at_once = max(1, 1_000_000 // len(text))
    while times > 0:
        block = memoryview(text * min(times, at_once))
        while block:
            block = block[os.write(descriptor, block) :]
        times -= at_once


OPTIONS = [
    {"optionId": "a", "name": "Always", "kind": "allow_always"},
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]
"""What the user can answer, if the step does not say."""


class Agent:
    def __init__(self) -> None:
        self.number = 1000
        self.turn = 0
        self.answers: dict[Any, Any] = {}
        self.arrived = threading.Condition()
        self.cancelled = threading.Event()
        self.session = ""
        self.deaf = False
        self.outcome: Any = None
        self.servers: list[dict[str, Any]] = []

    def write(self, message: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def update(self, kind: str, /, **fields: Any) -> None:
        params = {"sessionId": self.session, "update": {"sessionUpdate": kind, **fields}}
        self.write({"method": "session/update", "params": params})

    def ask(self, method: str, /, **params: Any) -> Any:
        self.number += 1
        self.write({"id": self.number, "method": method, "params": {"sessionId": self.session, **params}})
        with self.arrived:
            self.arrived.wait_for(lambda: self.number in self.answers)
        return self.answers[self.number]

    def read(self) -> None:
        for line in sys.stdin:
            if self.deaf:
                time.sleep(600)
            message = json.loads(line)
            LOG.write(json.dumps(message) + "\n")
            method = message.get("method")
            if method is None:
                with self.arrived:
                    self.answers[message["id"]] = message.get("result", message.get("error"))
                    self.arrived.notify_all()
            elif method == "session/cancel":
                self.cancelled.set()
            elif method == "session/prompt":
                threading.Thread(target=self.prompt, args=(message,), daemon=True).start()
            elif method != SCRIPT.get("hang"):
                self.answer(message, method)
        if SCRIPT.get("stays"):
            time.sleep(600)
        os._exit(0)

    def answer(self, message: dict[str, Any], method: str) -> None:
        given = {
            "initialize": {
                "protocolVersion": 1,
                "agentCapabilities": {"loadSession": True},
                "agentInfo": {"name": "scripted", "version": "1"},
            },
            "session/new": {"sessionId": f"s{os.getpid()}"},
            "session/load": {},
            "session/set_mode": {},
        }.get(method, {}) | SCRIPT.get("answers", {}).get(method, {})
        if "error" in given:
            self.write({"id": message["id"], "error": given["error"]})
            return
        if method in ("session/load", "session/resume"):
            self.session = message["params"]["sessionId"]
            self.update("agent_message_chunk", content={"type": "text", "text": "REPLAYED"})
        if method in ("session/load", "session/new"):
            self.servers = message["params"]["mcpServers"]
        if method == "session/new":
            self.session = given["sessionId"]
        self.write({"id": message["id"], "result": given})

    def use(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Call a tool of the first server that we were given."""
        server = self.servers[0]
        pipe = subprocess.Popen(
            [server["command"], *server["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert pipe.stdin and pipe.stdout
        about = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "scripted", "version": "1"},
        }
        messages = [
            {"id": 1, "method": "initialize", "params": about},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list"},
            {"id": 3, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
        ]
        answer: Any = None
        for one in messages:
            pipe.stdin.write(json.dumps({"jsonrpc": "2.0", **one}) + "\n")
            pipe.stdin.flush()
            while "id" in one and (answer := json.loads(pipe.stdout.readline())).get("id") != one["id"]:
                pass
        pipe.stdin.close()
        pipe.wait()
        return answer.get("result", answer)

    def prompt(self, message: dict[str, Any]) -> None:
        self.cancelled.clear()
        turns = SCRIPT.get("turns") or [[["say", "done"]]]
        steps = turns[min(self.turn, len(turns) - 1)]
        self.turn += 1
        end: dict[str, Any] = {"stopReason": "end_turn"}
        for name, *rest in steps:
            if name == "stop":
                end = {"stopReason": rest[0]}
                end.update(*rest[1:])
            elif name == "error":
                self.write({"id": message["id"], "error": rest[0]})
                return
            else:
                self.step(name, rest)
            if self.cancelled.is_set() and not SCRIPT.get("stubborn"):
                end = {"stopReason": "cancelled"}
                break
        self.write({"id": message["id"], "result": end})
        for name, *rest in SCRIPT.get("late", []):
            self.step(name, rest)

    def step(self, name: str, rest: list[Any]) -> None:
        match name, rest:
            case "say", [text, *more]:
                self.update("agent_message_chunk", content={"type": "text", "text": text}, **(more[0] if more else {}))
            case "update", [kind, fields]:
                self.update(kind, **fields)
            case "outcome", []:
                self.update("agent_message_chunk", content={"type": "text", "text": json.dumps(self.outcome)})
            case "tool", [fields]:
                self.update("tool_call", **fields)
            case "progress", [fields]:
                self.update("tool_call_update", **fields)
            case "permit", [call, *more]:
                options = more[0] if more else OPTIONS
                self.outcome = self.ask("session/request_permission", toolCall=call, options=options)
            case "call", [method, params]:
                self.outcome = self.ask(method, **params)
            case "file", [path, text]:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_text(text, "utf-8")
            case "note", []:
                LOG.write(json.dumps({"method": "noted", "params": self.outcome}) + "\n")
            case "wait", []:
                self.cancelled.wait(600)
            case "mcp", [tool, arguments]:
                self.outcome = self.use(tool, arguments)
            case _:
                self.misbehave(name, rest)

    def misbehave(self, name: str, rest: list[Any]) -> None:
        match name, rest:
            case "raw", [text]:
                os.write(1, text.encode("utf-8", "surrogateescape"))
            case "send", [message]:
                self.write(message)
            case "escape", []:  # out of the group and the session, with our output still open
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() == 0:
                        signal.signal(signal.SIGTERM, signal.SIG_IGN)
                        time.sleep(600)
                    os._exit(0)
            case "flood", [text, times]:
                write_often(1, text.encode(), times)
            case "numbered", [text, times]:
                for number in range(times):
                    os.write(1, text.replace("%d", str(number)).encode())
            case "errors", [text, times]:
                write_often(2, text.encode(), times)
            case "stop reading", []:
                self.deaf = True
            case "stderr", [text]:
                os.write(2, text.encode())
            case "close", [descriptor]:
                os.close(descriptor)
            case "spin", [texts]:  # for ever, ten times a second
                while True:
                    for text in texts:
                        os.write(1, text.encode())
                        time.sleep(0.1)
            case "hang", []:
                time.sleep(600)
            case "fork", []:
                if os.fork() == 0:
                    os.setsid() if SCRIPT.get("setsid") else None
                    time.sleep(600)
            case "exit", [code]:
                os._exit(code)
            case "kill", [number]:
                os.kill(os.getpid(), number)
            case _:
                raise ValueError(name)


threading.excepthook = lambda args: os._exit(99)
if SCRIPT.get("deaf"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
Agent().read()
