"""The answer to `initialize`, given before pygls and its types are loaded, which takes ten times as long (section 11).

`capabilities.json` is what pygls answers; `python -m tests.protocol.golden --write` makes it, and a test holds it to
the server. The request itself is worked off by pygls as soon as it is there, only without a second answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from sprintwright import __version__
from sprintwright.lsp import methods
from sprintwright.lsp.transport.messages import MessageId, Request, read_message
from sprintwright.lsp.transport.wire import encode_json, framed

CAPABILITIES = Path(__file__).with_name("capabilities.json")
_ENCODINGS = ("utf-32", "utf-16", "utf-8")


def early_answer(value: object) -> tuple[MessageId, bytes] | None:
    """The frame that answers a decoded `initialize`, and its id; None for what pygls should look at first."""
    message = read_message(value)
    if not isinstance(message, Request) or message.method != "initialize" or not _is_plain(message.params):
        return None
    client: dict[str, Any] = message.params["capabilities"]
    result = json.loads(CAPABILITIES.read_text(encoding="utf-8"))
    result["serverInfo"] = {"name": "sprintwright", "version": __version__}
    result["capabilities"]["experimental"] = experimental()
    result["capabilities"]["positionEncoding"] = _encoding(client)
    if not _at(client, "textDocument", "rename", "prepareSupport"):
        result["capabilities"]["renameProvider"] = True
    return message.id, framed(encode_json({"jsonrpc": "2.0", "id": message.id, "result": result}))


def experimental() -> dict[str, Any]:
    """What our own clients look for in the answer (R88)."""
    return {"sprintwright": {"protocol": methods.PROTOCOL, "version": __version__}}


def _is_plain(params: object) -> bool:
    """Whether nothing about the request can be wrong in a way that pygls would refuse; deep down it may still be."""
    if not isinstance(params, dict):
        return False
    given = cast("dict[str, Any]", params)
    client, process, root = given.get("capabilities"), given.get("processId"), given.get("rootUri")
    if not isinstance(client, dict) or not _is_list_of_folders(given.get("workspaceFolders")):
        return False
    encodings = _at(cast("dict[str, Any]", client), "general", "positionEncodings")
    return (
        (process is None or (isinstance(process, int) and not isinstance(process, bool)))
        and (root is None or isinstance(root, str))
        and (encodings is None or _is_list_of(encodings, str))
    )


def _is_list_of_folders(value: object) -> bool:
    if value is None:
        return True
    return _is_list_of(value, dict) and all(
        isinstance(one.get("uri"), str) and isinstance(one.get("name"), str) for one in cast("list[Any]", value)
    )


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(one, kind) for one in cast("list[Any]", value))


def _encoding(client: dict[str, Any]) -> str:
    """As pygls chooses: the client's first one that is known; UTF-16 without any."""
    wanted = cast("list[str]", _at(client, "general", "positionEncodings") or [])
    return next((one for one in wanted if one in _ENCODINGS), "utf-16")


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
    return value
