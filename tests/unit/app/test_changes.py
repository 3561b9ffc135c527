"""Files as they were at a moment of a run: which moments are a run's, and what is no text."""

import asyncio
import os
from pathlib import Path

import pytest

from sprintwright.app.changes import MOST_BYTES, end_of, file_at, span_of
from sprintwright.app.look import Seen, see
from sprintwright.app.places import Places
from sprintwright.errors import Refused, WorkspaceError
from sprintwright.journal.store import list_run_folders
from sprintwright.workspace.snapshots import Snapshots
from tests.support.terminal import Place

TWO = "name: two\nroles: [w]\nstages:\n" + "".join(
    f"  - {{id: {name}, kind: agent_turn, role: w, prompt: go}}\n" for name in "ab"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, {"a": [{"text": "done", "writes": {"f": "a\n"}}], "b": [{"text": "done"}]})
    made.define("two", TWO)
    (made.project / "f").write_text("mine\n")
    (made.project / "picture").write_bytes(b"\x89PNG\0\1")
    (made.project / "latin").write_bytes(b"caf\xe9")
    (made.project / "large").write_bytes(b"x" * (MOST_BYTES + 1))
    (made.project / "just").write_bytes(b"y" * MOST_BYTES)
    return made


def seen_of(place: Place) -> Seen:
    places = Places.of(os.environ | place.environment())
    return see(places, next(iter(list_run_folders(place.project))))


def read(place: Place, seen: Seen, tree: str, path: str) -> str:
    return asyncio.run(file_at(seen, tree, path, Snapshots(place.project)))


def test_x029_files_are_read_of_a_runs_own_moments_and_only_within_the_folder(place: Place) -> None:
    assert place.call("run", "two", "x").returncode == 0
    seen = seen_of(place)
    span = span_of(seen, "a")
    assert (read(place, seen, span.before, "f"), read(place, seen, span.after, "./f")) == ("mine\n", "a\n")
    assert len(read(place, seen, span.after, "just")) == MOST_BYTES
    (place.project / "f").write_text("later\n")
    later = asyncio.run(Snapshots(place.project).take()).tree
    for tree in (later, "", "HEAD", span.after[:12]):
        with pytest.raises(Refused, match="recorded no files") as refused:
            read(place, seen, tree, "f")
        assert refused.value.code == "bad_argument"
    for path in ("../f", "/etc/passwd", ".", "", "g", f"f\n{later}:f", "C:/f"):
        with pytest.raises(Refused) as refused:
            read(place, seen, span.after, path)
        assert refused.value.code == "bad_argument"


@pytest.mark.parametrize(
    ("path", "words"), [("picture", "is no text: 6 bytes"), ("latin", "is no text"), ("large", "1,000,001 bytes")]
)
def test_what_is_no_text_or_too_large_is_refused_in_words(place: Place, path: str, words: str) -> None:
    assert place.call("run", "two", "x").returncode == 0
    seen = seen_of(place)
    with pytest.raises(Refused, match=words) as refused:
        read(place, seen, span_of(seen, "").before, path)
    assert refused.value.code == "not_supported"


def test_a_turn_that_was_cut_off_ends_now_until_a_restore_says_when(place: Place) -> None:
    place.call("run", "two", "x", SPRINTWRIGHT_TEST_STOP="turn.answered")
    seen = seen_of(place)
    span = span_of(seen, "a")
    assert span.after == "" and read(place, seen, span.before, "f") == "mine\n"
    (change,) = asyncio.run(changes(place, seen))
    assert change == ("f", "modified")
    assert place.call("restore", "last", "--apply").returncode == 0
    seen = seen_of(place)
    assert read(place, seen, span_of(seen, "a").after, "f") == "a\n"


async def changes(place: Place, seen: Seen) -> list[tuple[str, str]]:
    snapshots = Snapshots(place.project)
    span = span_of(seen, "a")
    found = await snapshots.changes(span.before, await end_of(span, snapshots))
    return [(one.path, one.status) for one in found]


def test_snapshots_that_are_gone_are_told_so(place: Place) -> None:
    assert place.call("run", "two", "x").returncode == 0
    seen = seen_of(place)
    tree = span_of(seen, "a").before
    (place.project / ".sprintwright" / "snapshots.git").rename(place.project / "elsewhere")
    with pytest.raises(WorkspaceError, match="are gone"):
        read(place, seen, tree, "f")
