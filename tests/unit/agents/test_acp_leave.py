"""What leave to change a file covers, and what an agent reads and writes through us: the thing itself, nothing else."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from sprintwright.agents.acp.leave import MOST_PATHS
from sprintwright.engine import permits
from sprintwright.engine.ports import Act
from tests.unit.agents.acp_case import Case, FakeDesk


@pytest.fixture
async def case(tmp_path: Path) -> AsyncGenerator[Case]:
    made = Case(tmp_path)
    yield made
    await made.pool.leave("r1")


def request(path: str, new: str, *, old: str | None = None, title: str = "Edit", also: tuple[str, ...] = ()) -> Any:
    change = {"type": "diff", "path": path, "oldText": old, "newText": new}
    places = [{"path": one} for one in (path, *also)]
    return ["permit", {"toolCallId": "1", "title": title, "kind": "edit", "locations": places, "content": [change]}]


def write(path: str, content: str) -> Any:
    return ["call", "fs/write_text_file", {"path": path, "content": content}]


def workspace_write(case: Case) -> FakeDesk:
    return FakeDesk(lambda act: permits.decide("workspace_write", act, case.folder)[0] == "allow")


@pytest.mark.parametrize("place", [".vscode", ".claude", ".git"])
async def test_x032_a_protected_place_is_one_under_its_own_name_wherever_its_link_leads(case: Case, place: str) -> None:
    (case.folder / "elsewhere").mkdir()
    (case.folder / place).symlink_to("elsewhere")
    case.desk = workspace_write(case)
    await case.turn([write(f"{place}/settings.json", "x")])
    assert list((case.folder / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("place", [".git", "../outside", ".vscode"])
async def test_x057_leave_is_asked_for_where_the_links_of_a_path_lead(case: Case, place: str) -> None:
    (case.folder / place).mkdir()
    (case.folder / "link").symlink_to(case.folder / place)
    case.desk = workspace_write(case)
    answer = await case.turn([request("link/config", "x"), ["outcome"]])
    assert '"optionId": "n"' in answer.text
    assert any(place.removeprefix("../") in path for path in case.desk.acts[0].paths)


async def test_x057_more_files_than_anybody_reads_are_refused_at_once(case: Case) -> None:
    asked = request("a.txt", "x", also=tuple(f"b{number}" for number in range(MOST_PATHS)))
    answer = await case.turn([asked, ["outcome"]])
    assert '"optionId": "n"' in answer.text and case.desk.acts == []


def test_x057_every_file_is_named_whatever_else_has_its_letters() -> None:
    act = Act(kind="edit", title="Edit .env.example", text="+see .env", paths=(".env", ".env.example"))
    assert permits.shown(act) == "edit Edit .env.example (.env)\n\n+see .env"


async def test_x057_leave_covers_the_file_whose_change_was_shown_and_no_other(case: Case) -> None:
    (case.folder / ".env.example").write_text("a=1\n")
    answers = iter([True, False])
    case.desk = FakeDesk(lambda _act: next(answers))
    await case.turn([request(".env.example", "a=2\n", also=(".env",)), write(".env", "SECRET=evil\n")])
    assert len(case.desk.acts) == 2 and not (case.folder / ".env").exists()


@pytest.mark.parametrize(
    ("old", "new", "content", "covered"),
    [
        (None, "whole\n", "whole\n", True),
        ("one", "1", "1 two one\n", True),
        ("one", "1", "1 two 1\n", True),
        ("one", "1", "1 two one\nand more\n", False),
        (None, "whole\n", "other\n", False),
    ],
)
async def test_x057_leave_covers_the_change_that_was_shown_and_no_other(
    case: Case, old: str | None, new: str, content: str, covered: bool
) -> None:
    (case.folder / "a.txt").write_text("one two one\n")
    answers = iter([True, False])
    case.desk = FakeDesk(lambda _act: next(answers))
    await case.turn([request("a.txt", new, old=old), write("a.txt", content)])
    assert (case.folder / "a.txt").read_text() == (content if covered else "one two one\n")
    assert len(case.desk.acts) == (1 if covered else 2)


async def read(case: Case, path: str, **more: Any) -> str:
    answer = await case.turn([["call", "fs/read_text_file", {"path": path, **more}], ["outcome"]])
    return answer.text


async def test_lines_are_counted_as_editors_count_them(case: Case) -> None:
    (case.folder / "a.txt").write_bytes("a\fb\u2028c\r\nSECOND\rTHIRD\n".encode())
    assert await read(case, "a.txt", line=2, limit=1) == '{"content": "SECOND\\r"}'
    assert await read(case, "a.txt", line=3) == '{"content": "THIRD\\n"}'


async def test_a_large_file_is_read_in_parts_and_never_passed_off_as_empty(case: Case) -> None:
    (case.folder / "big.txt").write_text("first\n" + "x" * 5_600_000 + "\nlast\n")
    assert "too large; read it in parts" in await read(case, "big.txt")
    assert await read(case, "big.txt", line=3) == '{"content": "last\\n"}'
    case.desk = FakeDesk(lambda _act: False)
    await case.turn([write("big.txt", "new")])
    assert "can't be shown" in case.desk.acts[0].text


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
async def test_a_file_that_cannot_be_read_is_an_error(case: Case) -> None:
    (case.folder / "a.txt").write_text("x")
    (case.folder / "a.txt").chmod(0)
    assert "was not read" in await read(case, "a.txt")


async def test_what_is_no_text_is_said_to_be_replaced(case: Case) -> None:
    (case.folder / "a.bin").write_bytes(b"caf\xe9")
    case.desk = FakeDesk(lambda _act: False)
    await case.turn([write("a.bin", "x")])
    assert "is no text and can't be shown" in case.desk.acts[0].text


async def test_a_name_that_is_spelled_otherwise_is_refused_and_no_second_file_is_made(case: Case) -> None:
    name = "cafe\u0301.txt"
    (case.folder / name).write_text("old")
    for step in (write(name, "x"), ["call", "fs/read_text_file", {"path": name}]):
        assert "rename it first" in (await case.turn([step, ["outcome"]])).text
    assert [file.name for file in case.folder.iterdir()] == [name]
    assert case.desk.acts == []


async def test_half_a_letter_is_not_written(case: Case) -> None:
    answer = await case.turn([write("a.txt", "x\ud800y"), ["outcome"]])
    assert "half a letter" in answer.text and not (case.folder / "a.txt").exists()
