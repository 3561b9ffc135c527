"""Ties docs/protocol.md and tests/golden/protocol/ to the wire models: ``python -m tests.protocol.golden --write``.

The golden files are example messages, kept by hand, one a file; writing only brings them into the model's form (every
field, the model's order). The TypeScript tests read the same files. In the document the tables between markers are
generated; the words around them are kept by hand.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast, get_args

from pydantic import BaseModel

from sprintwright.errors import RefusalCode
from sprintwright.lsp import arguments, asked_wire, methods, wire
from sprintwright.lsp.early import CAPABILITIES
from sprintwright.lsp.protocol import HardenedProtocol
from sprintwright.lsp.server import make_server
from sprintwright.model.effects import Effect
from sprintwright.model.records import QuestionKind
from sprintwright.state.node import NodeKind, NodeStatus, RunStatus

if TYPE_CHECKING:
    from sprintwright.lsp.transport.outbox import Outbox

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "protocol.md"
FOLDER = ROOT / "tests" / "golden" / "protocol"
NAMES = "names.json"
MODULES = (arguments, wire, asked_wire)

_OUTCOME, _STATUS, _PREVIEW = wire.OutcomeResult, wire.StatusResult, wire.PreviewResult
COMMANDS: dict[str, tuple[type[BaseModel], dict[str, type[BaseModel]]]] = {
    methods.WORKFLOW_LIST: (arguments.NoArguments, {"result": wire.WorkflowsResult}),
    methods.WORKFLOW_CREATE: (arguments.CreateArguments, {"result": wire.WorkflowFileResult}),
    methods.WORKFLOW_START: (arguments.StartArguments, {"result": _OUTCOME}),
    methods.WORKFLOW_RESUME: (arguments.ResumeArguments, {"result": _OUTCOME, "preview": _PREVIEW}),
    methods.WORKFLOW_END: (arguments.EndArguments, {"result": _OUTCOME}),
    methods.RUN_CONTINUE: (arguments.GoOnArguments, {"result": _OUTCOME}),
    methods.RUN_ANSWER: (arguments.AnswerArguments, {"result": _OUTCOME}),
    methods.RUN_SAY: (arguments.SayArguments, {"result": _STATUS}),
    methods.RUN_PAUSE: (arguments.RunArguments, {"result": _STATUS}),
    methods.RUN_CANCEL: (arguments.RunArguments, {"result": _STATUS}),
    methods.RUN_RECONFIGURE: (arguments.ReconfigureArguments, {"result": wire.ReconfigureResult}),
    methods.RUN_RERUN: (arguments.RerunArguments, {"result": _OUTCOME, "preview": _PREVIEW}),
    methods.RUN_RESTORE: (arguments.RestoreArguments, {"result": wire.RestoreResult}),
    methods.RUN_DELETE: (arguments.RunArguments, {"result": wire.DeleteResult}),
    methods.RUN_LIST: (arguments.NoArguments, {"result": wire.RunsResult}),
    methods.RUN_GET: (arguments.RunArguments, {"result": wire.RunResult}),
    methods.RUN_CHANGES: (arguments.ChangesArguments, {"result": wire.ChangesResult}),
    methods.RUN_FILE_AT: (arguments.FileAtArguments, {"result": wire.FileAtResult}),
    methods.AGENTS_LIST: (arguments.NoArguments, {"result": wire.AgentsResult}),
    methods.FINDING_DISMISS: (arguments.FindingArguments, {"result": _STATUS}),
    methods.FINDING_FIX: (arguments.FixArguments, {"result": _OUTCOME}),
    methods.DEMO_START: (arguments.NoArguments, {"result": _OUTCOME}),
}
"""Every command: what it takes, and what it gives by the word in the golden file's name."""
PUSHED: dict[str, type[BaseModel]] = {
    methods.RUN_DID_CHANGE: wire.DidChange,
    methods.RUN_DID_DELETE: wire.DidDelete,
    methods.RUN_DID_OUTPUT: wire.DidOutput,
}
ASKED: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {
    methods.QUESTION_ASK: (asked_wire.AskParams, asked_wire.AskResult),
    methods.PERMISSION_REQUEST: (asked_wire.AskParams, asked_wire.AskResult),
    methods.LANGUAGE_MODEL_REQUEST: (asked_wire.LanguageModelParams, asked_wire.LanguageModelResult),
}
WORDS: dict[str, tuple[str, ...]] = {
    "Effect": get_args(Effect),
    "RunStatus": get_args(RunStatus),
    "NodeStatus": get_args(NodeStatus),
    "NodeKind": get_args(NodeKind),
    "QuestionKind": get_args(QuestionKind),
    "RefusalCode": get_args(RefusalCode),
}
"""Closed sets of words that have a name in the document."""

_BLOCK = re.compile(r"(<!-- (fields|words): (\w+) -->\n).*?(<!-- end -->)", re.S)


def goldens() -> dict[str, type[BaseModel]]:
    """Every golden file of a message, and its model."""
    files: dict[str, type[BaseModel]] = {}
    for name, (argument, results) in COMMANDS.items():
        stem = name.removeprefix("sprintwright.")
        files[f"{stem}.argument.json"] = argument
        files.update({f"{stem}.{word}.json": model for word, model in results.items()})
    for name, model in PUSHED.items():
        files[f"{_stem(name)}.params.json"] = model
    for name, (params, result) in ASKED.items():
        files[f"{_stem(name)}.params.json"] = params
        files[f"{_stem(name)}.result.json"] = result
    return files


def _stem(method: str) -> str:
    return method.removeprefix("sprintwright/").replace("/", ".")


def normal(model: type[BaseModel], text: str) -> str:
    """A golden file as it must be. Raises `ValidationError` for what the model does not take."""
    value = model.model_validate_json(text, by_alias=True, by_name=False)
    return as_json(value.model_dump(mode="json", by_alias=True))


def as_json(value: object) -> str:
    """JSON as it stands in the golden files."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def names() -> str:
    """The file that ties a client's list of names to ours."""
    found = {
        "protocol": methods.PROTOCOL,
        "commands": list(COMMANDS),
        "notifications": list(PUSHED),
        "requests": list(ASKED),
        "words": {name: list(words) for name, words in WORDS.items()},
    }
    return as_json(found)


def document(text: str) -> str:
    """The document with its tables made anew. Raises `KeyError` for a marker that names nothing."""
    make: dict[str, Callable[[str], str]] = {"fields": fields, "words": _words}
    return _BLOCK.sub(lambda block: f"{block[1]}{make[block[2]](block[3])}{block[4]}", text)


def models() -> dict[str, type[BaseModel]]:
    """The wire's models by name."""
    return {
        name: value
        for module in MODULES
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, BaseModel) and value.__module__ == module.__name__
    }


def fields(name: str) -> str:
    """The table of a model's fields. What the server sends is complete, so defaults are told of what it takes only."""
    model = models()[name]
    schema = model.model_json_schema(by_alias=True, mode="validation")
    takes = name.endswith(("Arguments", "Argument")) or model in (
        asked_wire.AskResult,
        asked_wire.LanguageModelResult,
        asked_wire.LanguageModelFacts,
        asked_wire.LanguageModelPart,
    )
    rows = ["| field | type | default | |", "|---|---|---|---|"] if takes else ["| field | type | |", "|---|---|---|"]
    needed = schema.get("required", [])
    for field, info in model.model_fields.items():
        alias = info.alias or field
        cells = [f"`{alias}`", _kind(schema["properties"][alias]).replace("|", "\\|")]
        if takes:
            default = info.get_default(call_default_factory=True)
            cells.append("required" if alias in needed else f"`{json.dumps(default)}`")
        rows.append(f"| {' | '.join(cells)} | {_described(model, field)} |")
    return "\n".join(rows) + "\n"


def _words(name: str) -> str:
    return " · ".join(f"`{word}`" for word in WORDS[name]) + "\n"


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " | ".join(_kind(one) for one in schema["anyOf"])
    if "enum" in schema:
        named = [name for name, words in WORDS.items() if words == tuple(schema["enum"])]
        return f"[{named[0]}](#words)" if named else " | ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
    match schema.get("type"):
        case "array":
            return f"list of {_kind(schema['items'])}"
        case "object" if isinstance(inner := schema.get("additionalProperties"), dict):
            return f"map of {_kind(inner)}"
        case kind:
            return {"integer": "whole number", "null": "`null`"}.get(str(kind), str(kind))


def _described(model: type[BaseModel], field: str) -> str:
    """The docstring below a field, of the class or the nearest one that it inherits the field from."""
    texts = (_docstrings().get(base.__name__, {}).get(field) for base in model.__mro__)
    return next((" ".join(text.split()) for text in texts if text), "").replace("|", "\\|")


@cache
def _docstrings() -> dict[str, dict[str, str]]:
    """Read from the source: collecting them at import (`use_attribute_docstrings`) costs each server start 30 ms."""
    found: dict[str, dict[str, str]] = {}
    for part in (one for module in MODULES for one in ast.parse(inspect.getsource(module)).body):
        if not isinstance(part, ast.ClassDef):
            continue
        own = found[part.name] = {}
        for line, below in zip(part.body, part.body[1:], strict=False):
            match line, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    own[name] = text
                case _:
                    pass
    return found


async def initialize_result(client: dict[str, Any]) -> dict[str, Any]:
    """What the server itself answers to `initialize`."""
    sent: asyncio.Queue[bytes] = asyncio.Queue()
    server = make_server()
    assert isinstance(server.protocol, HardenedProtocol)
    server.protocol.connect(
        cast("Outbox", SimpleNamespace(put=sent.put_nowait, room=True)), end_work=server.session.close
    )
    params = {"processId": None, "rootUri": None, "capabilities": client}
    server.protocol.receive({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    frame = await sent.get()
    await server.protocol.close()
    return json.loads(frame.partition(b"\r\n\r\n")[2])["result"]


def kept_capabilities() -> str:
    """What the early answer is made of."""
    result = asyncio.run(initialize_result({"textDocument": {"rename": {"prepareSupport": True}}}))
    del result["serverInfo"], result["capabilities"]["experimental"]
    return json.dumps(result, indent=1) + "\n"


def write() -> None:
    """Bring the golden files and the document up to the code."""
    DOCUMENT.write_text(document(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    CAPABILITIES.write_text(kept_capabilities(), encoding="utf-8")
    (FOLDER / NAMES).write_text(names(), encoding="utf-8")
    for name, model in goldens().items():
        path = FOLDER / name
        path.write_text(normal(model, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.protocol.golden --write")
    write()
