"""Journals that somebody else made: a file of any content costs its own run only, never a list or a watcher (X14).

A journal is a file that anybody can write: its checksums find accidents and are no signatures.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support.terminal import Place, dev_script, swarm_script

from sprintwright.app.follow import Follower
from sprintwright.app.look import list_runs, see
from sprintwright.app.places import Places
from sprintwright.journal.store import RunFolder
from sprintwright.lsp import shapes

RUN = "20260101-000000001-evil"


def line(record: object) -> bytes:
    """A line with the right checksum."""
    head = json.dumps(record).encode()[:-1]
    return head + b',"sum":"%08x"}\n' % zlib.crc32(head)


def sealed(head: bytes) -> bytes:
    """A line that is whole and no record."""
    return head + b',"sum":"%08x"}\n' % zlib.crc32(head)


JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**70, float("nan"), "", "x", "\0", "a/b[1]/c", "items[99999]", "\ud800", [], {}, [1],
)  # fmt: skip
AROUND = {"v": 1, "at": "2026-01-01T00:00:00.000Z", "clock": 1.0, "key": "a", "synced": 0, "epoch": "e"}
OPENED = line({**AROUND, "seq": 1, "kind": "opened", "key": "", "data": {"pid": 1, "host": "h", "program": "p"}})
NOTED: dict[str, Any] = {**AROUND, "seq": 2, "kind": "noted", "data": {"code": "x", "text": "y"}}
FINISHED = {**NOTED, "kind": "finished", "data": {"after": "", "value": {"verdict": True, "findings": [5]}}}
JOURNALS = {
    "half a character": OPENED + line({**NOTED, "data": {"code": "x", "text": "\ud800"}}),
    "no UTF-8": OPENED + sealed(b'{"v":"\xff"'),
    "too deep": OPENED + sealed(b'{"v":' + b"[" * 100_000),
    "a list": sealed(b"[1]"),
    "a number that is a word": OPENED + line({**NOTED, "seq": "2"}),
    "no number": OPENED + line({**NOTED, "clock": float("nan")}),
    "a moment that is a number": OPENED + line({**NOTED, "at": 5}),
    "a key that is a map": OPENED + line({**FINISHED, "key": {}}),
    "an epoch that is a list": OPENED + line({**NOTED, "epoch": []}),
    "a value of another form": OPENED + line(FINISHED),
    "a text elsewhere": OPENED + line({**NOTED, "data": {"code": "x", "text": {"$blob": "../../x"}}}),
    "whole without a mark": b"x\n" + sealed(b"x"),
}


@pytest.mark.parametrize("name", JOURNALS)
def test_x014_a_journal_of_any_content_is_shown_or_said_to_be_unreadable(tmp_path: Path, name: str) -> None:
    assert_shown(tmp_path, JOURNALS[name])


def assert_shown(base: Path, journal: bytes) -> None:
    """Whatever it is: the list, a look and a watcher take it."""
    run = RunFolder(base, RUN)
    run.path.mkdir(parents=True, exist_ok=True)
    (run.path / "journal.jsonl").write_bytes(journal)
    places = Places.of({"HOME": str(base)})
    (head,) = list_runs(places, base)
    assert head.place == run
    shapes.run(see(places, run), "none").model_dump_json()
    with Follower(places, run) as follower:
        follower.poll()


def test_x014_a_text_beside_a_journal_that_is_a_fifo_or_no_text_is_said_to_be_unreadable(tmp_path: Path) -> None:
    for number, make in enumerate(_BLOBS):
        folder = tmp_path / str(number)
        name = make(folder / ".sprintwright" / "runs" / RUN / "blobs")
        started = {"what": "turn", "after": "", "role": {"$blob": name}, "agent": "a"}
        assert_shown(folder, OPENED + line({**NOTED, "kind": "started", "data": started}))


def _fifo(blobs: Path) -> str:
    blobs.mkdir(parents=True)
    os.mkfifo(blobs / "x")
    return "x"


def _no_text(blobs: Path) -> str:
    blobs.mkdir(parents=True)
    (blobs / (name := hashlib.sha256(b"\xff").hexdigest())).write_bytes(b"\xff")
    return name


_BLOBS: tuple[Callable[[Path], str], ...] = (_fifo, _no_text)


@pytest.mark.exhaustive
@pytest.mark.parametrize("workflow", ["dev", "swarm"])
def test_x014_a_real_journal_with_anything_in_it_changed_is_shown_or_said_to_be_unreadable(
    tmp_path: Path, workflow: str
) -> None:
    scripts = {"dev": dev_script(), "swarm": swarm_script()}
    place = Place(tmp_path / "real", {**scripts[workflow], "*": [{"text": "VERDICT: good_to_go"}]})
    assert place.call("run", workflow, "x").returncode == 0
    (journal,) = place.project.glob(".sprintwright/runs/*/journal.jsonl")
    records = [json.loads(one) for one in journal.read_bytes().splitlines()]
    for one in records:
        del one["sum"]
    for seed in range(1000):
        chance = random.Random(seed)
        changed = list(records)
        for at in chance.choices(range(len(records)), k=chance.choice([1, 3])):
            field = chance.choice(["data"] * 9 + [*changed[at]])
            changed[at] = {**changed[at], field: mutated(changed[at][field], chance)}
        try:
            assert_shown(tmp_path, b"".join(map(line, changed)))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def mutated(value: Any, chance: random.Random) -> Any:
    """A value with something in it made another."""
    if value and isinstance(value, dict) and chance.random() < 0.8:
        mapping = cast("dict[str, Any]", value)
        key = chance.choice([*mapping])
        return {**mapping, key: mutated(mapping[key], chance)}
    if value and isinstance(value, list) and chance.random() < 0.8:
        items = cast("list[Any]", value)
        at = chance.randrange(len(items))
        return [*items[:at], mutated(items[at], chance), *items[at + 1 :]]
    return chance.choice(JUNK)
