"""docs/protocol.md and the golden messages say what the code does (R88): what was not made anew fails here."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from sprintwright import errors
from sprintwright.errors import RefusalCode, SprintwrightError
from sprintwright.lsp import methods
from sprintwright.lsp.commands import handlers
from sprintwright.lsp.server import make_server
from sprintwright.model.effects import Effect
from tests.protocol import golden
from tests.protocol.support import RawClient
from tests.support.terminal import PROGRAM, Place, dev_script

MAKE_ANEW = "make it anew with: python -m tests.protocol.golden --write"
TEXT = golden.DOCUMENT.read_text(encoding="utf-8")
NAMES = [value for key, value in vars(methods).items() if key.isupper() and key not in ("PROTOCOL", "SECTION")]


@pytest.mark.parametrize(("name", "model"), golden.goldens().items())
def test_r088_a_golden_message_is_one_of_its_model_byte_for_byte(name: str, model: type[BaseModel]) -> None:
    text = (golden.FOLDER / name).read_text(encoding="utf-8")
    assert golden.normal(model, text) == text, MAKE_ANEW


def test_r088_there_is_a_golden_file_of_every_message_and_no_other() -> None:
    assert {path.name for path in golden.FOLDER.iterdir()} == {*golden.goldens(), golden.NAMES}
    assert (golden.FOLDER / golden.NAMES).read_text(encoding="utf-8") == golden.names(), MAKE_ANEW


def test_r088_every_name_of_the_protocol_has_its_messages() -> None:
    assert sorted(NAMES) == sorted([*golden.COMMANDS, *golden.PUSHED, *golden.ASKED])


def test_r088_the_tables_of_the_document_are_those_of_the_code() -> None:
    assert golden.document(TEXT) == TEXT, MAKE_ANEW


def test_r088_every_model_of_the_wire_has_its_table_in_the_document() -> None:
    tables = re.findall(r"^<!-- fields: (\w+) -->$", TEXT, re.MULTILINE)
    assert sorted(tables) == sorted(set(golden.models()) - {"Wire"})
    assert sorted(re.findall(r"^<!-- words: (\w+) -->$", TEXT, re.MULTILINE)) == sorted(
        {*golden.WORDS} - {"RefusalCode"}
    )


def test_r088_every_link_within_the_document_leads_to_a_heading() -> None:
    headings = {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in re.findall(r"^#+ (.*)$", TEXT, re.M)}
    assert set(re.findall(r"\]\(#([\w-]+)\)", TEXT)) <= headings


def test_r088_every_command_is_in_the_document_with_what_it_takes_and_gives() -> None:
    rows = {cells[0].strip("`"): cells for cells in _rows("Commands")}
    assert list(rows) == list(golden.COMMANDS)
    for name, (argument, results) in golden.COMMANDS.items():
        linked = re.findall(r"\[(\w+)\]", " ".join(rows[name][2:]))
        assert linked == [argument.__name__, *(model.__name__ for model in results.values())], name
    for method in (*golden.PUSHED, *golden.ASKED):
        assert f"\n### {method}\n" in TEXT


def test_r088_every_error_code_and_every_effect_is_in_the_document() -> None:
    codes = [cells[0].strip("`") for cells in _rows("Errors") if cells[0] != "`data.code`"]
    assert sorted(codes) == sorted({*get_args(RefusalCode), *_codes()})
    assert sorted(cells[0].strip("`") for cells in _rows("Effects")) == sorted(get_args(Effect))


async def test_r088_each_command_takes_the_argument_that_is_documented() -> None:
    server = make_server()
    server.session.trusted = True
    registered = handlers(server.session)
    assert list(registered) == list(golden.COMMANDS)
    for name, (argument, _) in golden.COMMANDS.items():
        with pytest.raises(ValidationError) as refused:
            await asyncio.wait_for(registered[name]({"notAField": 1}), 5)
        assert refused.value.title == argument.__name__, name
    await server.session.close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, dev_script())


@pytest.fixture
def client(place: Place) -> Iterator[RawClient]:
    client = RawClient.start([*PROGRAM, "lsp"], cwd=place.project, env=place.environment())
    yield client
    client.close()


def test_r088_a_real_session_says_what_the_document_has(place: Place, client: RawClient) -> None:
    folders = [{"uri": place.project.as_uri(), "name": "project"}]
    options = {"trusted": True, "questions": True, "protocol": methods.PROTOCOL}
    answer = client.initialize(initializationOptions=options, workspaceFolders=folders)
    capabilities = answer["result"]["capabilities"]
    assert capabilities["executeCommandProvider"]["commands"] == list(golden.COMMANDS)
    assert capabilities["experimental"]["sprintwright"]["protocol"] == methods.PROTOCOL

    def call(name: str, word: str = "result", **argument: Any) -> Any:
        result = client.result(name, argument)
        _take(golden.COMMANDS[name][1][word], result)
        return result

    call(methods.WORKFLOW_LIST)
    call(methods.AGENTS_LIST)
    run = call(methods.WORKFLOW_START, workflow="dev", task="Build a thing")["runId"]
    client.wait_for(
        lambda one: one.get("method") == methods.RUN_DID_CHANGE and one["params"]["status"] == "completed"
        and one["params"]["owner"] == "none"
    )  # fmt: skip
    shown = call(methods.RUN_GET, runId=run)
    assert shown["status"] == "completed"
    assert shown["nodes"]
    assert shown["findings"]
    assert call(methods.RUN_LIST)["runs"][0]["runId"] == run
    changes = call(methods.RUN_CHANGES, runId=run, leaf="sprints[1]/passes[2]")
    assert changes["diff"]
    path = next(one["path"] for one in changes["files"] if one["status"] != "deleted")
    assert call(methods.RUN_FILE_AT, runId=run, tree=changes["after"], path=path)["text"]
    assert call(methods.RUN_RERUN, "preview", runId=run, leaf="sprints[3]", preview=True)["again"]
    assert call(methods.RUN_RESTORE, runId=run, to="sprints[3]")["changes"]
    call(methods.WORKFLOW_END, runId=run)
    call(methods.RUN_DELETE, runId=run)
    client.wait_for(lambda one: one.get("method") == methods.RUN_DID_DELETE)
    pushed = [one for one in client.received if one.get("method") in golden.PUSHED]
    assert {one["method"] for one in pushed} == {*golden.PUSHED}
    for one in pushed:
        _take(golden.PUSHED[one["method"]], one["params"])
    assert client.shut_down() == 0


def _take(model: type[BaseModel], value: object) -> None:
    """It is one of the model, in the wire's names, and nothing of the model is left out of it."""
    assert model.model_validate(value, by_alias=True, by_name=False).model_dump(mode="json", by_alias=True) == value


def _rows(heading: str) -> list[list[str]]:
    """The cells of the table rows below a heading, up to the next one; without the head of the table."""
    section = re.split(rf"^#+ {heading}$", TEXT, flags=re.MULTILINE)[1]
    section = re.split(r"^#", section, flags=re.MULTILINE)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    tables = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in rows]
    return [cells for cells in tables if re.match(r"^`[\w.]+`$", cells[0])]


def _codes() -> set[str]:
    """The codes that errors have of themselves."""
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, SprintwrightError)]
    return {one.default_code for one in kinds}
