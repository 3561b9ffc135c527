"""What the plain server can do: one command for each thing that the transport and the protocol promise."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from lsprotocol import types
from pydantic import BaseModel, ConfigDict, Field
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from sprintwright.errors import Refused
from sprintwright.lsp.protocol import HardenedProtocol, RawJson
from sprintwright.threads import in_thread

LOG = logging.getLogger("sprintwright.plain")


class Model(BaseModel):
    """A result with names of its own on the wire."""

    model_config = ConfigDict(populate_by_name=True)

    run_id: str = Field(alias="runId")
    limit: int = Field(1, ge=1)


class Commands:
    """The commands, and what they did."""

    def __init__(self, server: LanguageServer, protocol: HardenedProtocol, children: list[Any]) -> None:
        self.server, self.protocol, self.children = server, protocol, children
        self.seen: list[Any] = []
        self.stay = asyncio.Event()

    async def echo(self, argument: Any) -> Any:
        """Its argument."""
        return argument

    async def look(self, argument: Any) -> Any:
        """What was seen so far."""
        del argument
        return self.seen

    async def sleep(self, argument: Any) -> None:
        """Waits until it is cancelled."""
        self.seen.append(f"began {argument}")
        try:
            await self.stay.wait()
        except asyncio.CancelledError:
            self.seen.append(f"cancelled {argument}")
            raise

    async def stubborn(self, argument: Any) -> None:
        """Does not let itself be cancelled."""
        del argument
        while True:
            try:
                await self.stay.wait()
            except asyncio.CancelledError:
                self.seen.append("stayed")

    async def thread(self, argument: Any) -> str:
        """Works in a thread."""
        await in_thread(time.sleep, argument)
        return "done"

    async def big(self, argument: Any) -> str:
        """So many letters."""
        return "x" * argument

    async def raw(self, argument: Any) -> RawJson:
        """JSON that is encoded already."""
        return RawJson(str(argument).encode())

    async def model(self, argument: Any) -> Model:
        """A model."""
        return Model.model_validate(argument)

    async def typed(self, argument: Any) -> Any:
        """Values that JSON does not know, within plain ones."""
        del argument
        where = types.Range(types.Position(0, 1), types.Position(2, 3))
        return {"range": where, "model": Model(runId="r", limit=1), "kind": types.DiagnosticSeverity.Warning}

    async def odd(self, argument: Any) -> Any:
        """Values that must not go out as they are."""
        odd: dict[str, Any] = {"nan": [float("nan")], "surrogate": "a\ud800b\ud83d\ude00", "object": object()}
        return odd[argument]

    async def fail(self, argument: Any) -> None:
        """Fails in the way that is asked for."""
        match argument:
            case "refused":
                raise Refused("unknown_run", "There is no run 'x'.", known=["a"])
            case "refused with an object":
                raise Refused("unknown_run", "There is no run 'x'.", known=object())
            case "rpc":
                raise JsonRpcException("as it is", -32099, {"a": 1})
            case "exit":
                sys.exit(5)
            case "cancelled":
                raise asyncio.CancelledError
            case _:
                raise RuntimeError("secret detail\nof the server")

    async def child(self, argument: Any) -> int:
        """A child that would live on."""
        del argument
        child = await asyncio.create_subprocess_exec("/bin/sleep", "1000", start_new_session=True)
        self.children.append(child)
        return child.pid

    async def noise(self, argument: Any) -> None:
        """Everything that may write to descriptor 1."""
        del argument
        print("printed")
        sys.stdout.write("written to stdout\n")
        os.write(1, b"written from C\n")
        warnings.warn("a warning", stacklevel=1)
        faulthandler.dump_traceback()
        child = await asyncio.create_subprocess_exec("/bin/echo", "a child's words")
        await child.wait()

    async def inputs(self, argument: Any) -> Any:
        """What a child finds on its descriptors, and what ours are."""
        del argument
        child = await asyncio.create_subprocess_exec("/bin/ls", "-l", "/proc/self/fd", stdout=-1)
        listed = (await child.communicate())[0].decode()
        return {"child": listed, "read": os.read(0, 10).decode(), "line": sys.stdin.readline()}

    async def log(self, argument: Any) -> None:
        """Log so many lines of a kilobyte, and print as many."""
        for number in range(argument):
            LOG.error("%s %s", number, "x" * 1000)
            print(number, "y" * 1000)

    async def log_line(self, argument: Any) -> None:
        """Log a text."""
        LOG.error("%s", argument)

    async def flood(self, argument: Any) -> int:
        """Notify as long as there is room, and again when there is, until so many were sent; those sent at once."""
        sent = 0

        def go_on() -> None:
            nonlocal sent
            while sent < argument and self.protocol.room:
                self.protocol.notify("plain/state", {"number": sent, "text": "x" * 1000})
                sent += 1
            if sent < argument:
                self.protocol.when_room(go_on)

        go_on()
        return sent

    async def ask(self, argument: Any) -> Any:
        """Ask the client."""
        if argument:
            return await self.protocol.send_request_async("plain/ask", argument)
        params = types.ShowMessageRequestParams(types.MessageType.Info, "?", [types.MessageActionItem("yes")])
        answer = await self.server.window_show_message_request_async(params)
        return answer.title if answer else None

    async def progress(self, argument: Any) -> None:
        """Work done progress from its beginning to its end."""
        progress = self.server.work_done_progress
        await progress.create_async(argument)
        progress.begin(argument, types.WorkDoneProgressBegin("Work"))
        self.seen.append("begun")
        await asyncio.wrap_future(progress.tokens[argument])


def make_server(children: list[Any]) -> LanguageServer:
    """The server with every command, some features and a hook for `initialize`."""
    server = LanguageServer("plain", "1", protocol_cls=HardenedProtocol)
    protocol = server.protocol
    assert isinstance(protocol, HardenedProtocol)
    if path := os.environ.get("PLAIN_LOG"):
        logging.getLogger("sprintwright").addHandler(logging.FileHandler(Path(path), encoding="utf-8"))
    commands = Commands(server, protocol, children)
    for name in vars(Commands):
        if not name.startswith("_"):
            protocol.command(name, getattr(commands, name))

    @server.feature(types.INITIALIZE)
    async def _(params: types.InitializeParams) -> None:
        await asyncio.sleep(0)
        commands.seen.append(["initialize", params.initialization_options])

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def _(params: types.HoverParams) -> types.Hover:
        document = server.workspace.get_text_document(params.text_document.uri)
        return types.Hover(f"{document.version}: {document.source}")

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    async def _(params: types.CompletionParams) -> list[types.CompletionItem]:
        await asyncio.sleep(0)
        return [types.CompletionItem(f"line {params.position.line}", kind=types.CompletionItemKind.Value)]

    @server.feature("plain/echo")
    async def _(params: Any) -> Any:
        return params

    @server.feature("plain/note")
    def _(params: Any) -> None:
        commands.seen.append(params)

    return server
