"""What the real server puts on an editor's own surfaces from hostile words: plain, bounded, and never a link (X45, X48-X51, X54)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from tests.protocol.support import Message, RawClient
from tests.support.terminal import PROGRAM, Place

from sprintwright.lsp.uris import to_path

WORDS = (
    "x [ok](command:evil) $(alert) ![i](http://127.0.0.1:9/x) <img src=x> [f](file:///etc/passwd) \x1b[31m\x1b]0;t\x07\x1bP1\x1b\\"
    "\x9b31m\x07\x08b\rc \u202e\u200b\U000e0041\u2028 end"
)
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\U000e0041]")
LINK = re.compile(r"\]\(|\$\(")
SAID = "\n".join(
    [
        *(f"f.txt:{number}: warning: {WORDS.splitlines()[0]} {number}" for number in range(1, 300)),
        f"f.txt:1: error: {'long ' * 600}",
        *(
            f"{path}:1: error: elsewhere"
            for path in ("../outside.txt", "/etc/passwd", "file:///etc/passwd", "~/x", "\\\\host\\x")
        ),
        f"no\u202et.txt:1: error: {WORDS}",
        "VERDICT: no_good",
    ]
)
JUDGE = (
    "{id: judge, kind: agent_turn, role: w, prompt: go, save_as: findings, "
    "verdict: {good_to_go: {action: break}, no_good: {action: retry}}}"
)
WORKFLOW = f"""
name: shown
title: 't [x](command:y)'
roles: [w]
stages:
  - {{id: ask, kind: user_checkpoint, prompt: '{{{{task}}}}', save_as: a}}
  - {{id: passes, kind: loop, max_iterations: 1, on_exhausted: continue, body: [{JUDGE}]}}
  - {{id: fails, kind: agent_turn, role: w, prompt: go, retry: {{attempts: 1}}}}
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    fails = {"exit": 3, "stderr": WORDS, "text": WORDS}
    made = Place(tmp_path, {"*": [{"text": SAID, "stderr": WORDS}], "fails": [fails]})
    made.define("shown", WORKFLOW)
    for name in ("f.txt", "no\u202et.txt", "../outside.txt"):
        (made.project / name).write_text("a\n" * 300)
    return made


@pytest.fixture
def client(place: Place) -> Iterator[RawClient]:
    made = RawClient.start((*PROGRAM, "lsp"), cwd=place.base, env=place.environment())
    window: dict[str, Any] = {"workDoneProgress": True, "showMessage": {}}
    made.initialize(
        capabilities={"window": window, "textDocument": {"publishDiagnostics": {"relatedInformation": True}}},
        workspaceFolders=[{"uri": place.project.as_uri(), "name": "x"}],
        initializationOptions={"trusted": True},
    )
    yield made
    made.close()


def test_x045_x048_x050_x051_x054_hostile_words_are_plain_on_every_surface_of_the_editor(
    place: Place, client: RawClient
) -> None:
    client.result("sprintwright.workflow.start", {"workflow": "shown", "task": WORDS})
    assert_words_of_question_and_progress(client)
    published = client.wait_for(lambda one: shows(one, place.project / "f.txt"))["params"]["diagnostics"]
    assert len(published) == 200 and any("long long" in one["message"] for one in published)
    client.wait_for(lambda one: status_of(one) == "failed")
    assert_places(client, place)
    assert client.shut_down() == 0
    surfaces = [one for one in client.received if one.get("method", "").startswith(("window/", "$/"))]
    assert {"window/showMessageRequest", "$/progress"} <= {one["method"] for one in surfaces}
    for text in (text for one in surfaces for text in texts(one["params"])):
        assert not HIDDEN.search(text) and not LINK.search(text) and len(text) <= 1000, ascii(text)
    assert not re.search("[\x1b\x9b\u202e]", client.log)


def assert_words_of_question_and_progress(client: RawClient) -> None:
    """A question by message: what it says is all there, and shown as it is."""
    token = client.wait_for(lambda one: one.get("method") == "window/workDoneProgress/create")
    client.send(id=token["id"], result=None)
    asked = client.wait_for(lambda one: one.get("method") == "window/showMessageRequest")
    assert "\\u{202e}\\u{200b}\\u{e0041}\\u{2028} end" in asked["params"]["message"]
    begun = client.wait_for(lambda one: one.get("method") == "$/progress" and one["params"]["value"]["kind"] == "begin")
    assert begun["params"]["value"]["title"].startswith("shown: x [ok]")
    client.send(id=asked["id"], result=asked["params"]["actions"][0])


def assert_places(client: RawClient, place: Place) -> None:
    """Diagnostics are in the folder, also those that they lead to; they are text, and so are their menus."""
    shown = [one["params"] for one in client.received if one.get("method") == "textDocument/publishDiagnostics"]
    diagnostics = [one for params in shown for one in params["diagnostics"]]
    related = [other for one in diagnostics for other in one.get("relatedInformation", ())]
    assert related and max(len(one.get("relatedInformation", ())) for one in diagnostics) <= 20
    for uri in (*(params["uri"] for params in shown), *(one["location"]["uri"] for one in related)):
        path = to_path(uri)
        assert path is not None and path.parent == place.project, uri
    for one in (*diagnostics, *related):
        assert "codeDescription" not in one and isinstance(one["message"], str)
        assert len(one["message"]) <= 1000 and not HIDDEN.search(one["message"]), ascii(one["message"])
    context = {"diagnostics": diagnostics[:5]}
    about = {"textDocument": {"uri": shown[0]["uri"]}, "range": diagnostics[0]["range"], "context": context}
    actions = client.request("textDocument/codeAction", about)["result"]
    assert actions and not any(HIDDEN.search(one["title"]) or LINK.search(one["title"]) for one in actions)


def shows(message: Message, path: Path) -> bool:
    """Whether it has diagnostics of a file."""
    is_one = message.get("method") == "textDocument/publishDiagnostics" and message["params"]["diagnostics"]
    return bool(is_one) and message["params"]["uri"] == path.as_uri()


def status_of(message: Message) -> str:
    """Of a run that nobody carries on any more."""
    ended = message.get("method") == "sprintwright/run/didChange" and message["params"]["owner"] == "none"
    return message["params"]["status"] if ended else ""


def texts(value: Any) -> Iterator[str]:
    """Every text in a message."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts([*cast("dict[str, Any]", value).values()])
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from texts(one)
