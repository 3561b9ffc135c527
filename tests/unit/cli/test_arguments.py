"""What is typed, and what a command gets of it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from sprintwright.cli.arguments import Arguments
from sprintwright.cli.commands import COMMANDS, find, overview
from sprintwright.cli.main import main


def parse(name: str, *typed: str) -> dict[str, Any]:
    command = find(name)
    assert command is not None
    arguments = Arguments(command.name, command.text)
    command.arguments(arguments)
    return vars(arguments.parse(typed, roles=command.roles))


def test_every_command_has_its_module_and_its_line_in_the_help() -> None:
    shown = overview()
    for command in COMMANDS:
        assert callable(import_module(f"sprintwright.cli.{command.module or command.name}").run)
        assert f"\n  {command.name} " in shown
    assert all(len(line) <= 90 for line in shown.splitlines())
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself(command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command.name, "--help"])
    shown = capsys.readouterr().out
    assert end.value.code == 0 and shown.startswith(f"usage: sprintwright {command.name}")
    assert command.text in " ".join(shown.split()) and "--folder" in shown


@pytest.mark.parametrize(
    "typed",
    [
        ("dev", "Build", "it", "--evaluator", "human", "--designer=ann"),
        ("--evaluator", "human", "dev", "Build", "--designer=ann", "it"),
        ("dev", "--evaluator", "human", "Build", "it", "--designer=ann"),
        ("dev", "--evaluator", "human", "--designer=ann", "--", "Build", "it"),
    ],
)
def test_flags_may_stand_anywhere_and_a_roles_agent_is_no_part_of_the_task(typed: tuple[str, ...]) -> None:
    known = parse("run", *typed)
    assert (known["workflow"], known["task"]) == ("dev", ["Build", "it"])
    assert known["rest"] == ["--evaluator", "human", "--designer=ann"]


def test_workflow_and_task_may_be_missing_and_run_options_are_lists() -> None:
    known = parse("run", "--pause-after", "a", "--pause-after", "b", "--var", "x=y", "--yes")
    assert (known["workflow"], known["task"], known["rest"]) == ("", [], [])
    assert (known["pause_after"], known["var"], known["yes"]) == (["a", "b"], ["x=y"], True)


def test_what_looks_like_an_option_is_text_behind_two_dashes() -> None:
    assert parse("answer", "last", "--question", "k", "--", "--yes", "-", "--")["text"] == ["--yes", "-", "--"]
    assert parse("say", "last", "-")["text"] == ["-"]


def test_a_run_is_the_newest_where_nothing_else_is_said() -> None:
    for name in ("resume", "continue", "show", "pause", "cancel", "end", "reconfigure"):
        assert parse(name)["run"] == "last"
        assert parse(name, "abc")["run"] == "abc"
    assert parse("reconfigure", "abc", "--evaluator", "human")["rest"] == ["--evaluator", "human"]
    assert parse("fix", "last", "2", "--generator", "ann")["rest"] == ["--generator", "ann"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["shwo"], ("'shwo'", "Did you mean 'show'", "--help")),
        (["dev", "x"], ("'dev'", "run NAME")),
        (["show", "--bogus"], ("--bogus", "show --help")),
        (["show", "a", "b"], ("'b'", "show --help")),
        (["answer"], ("RUN", "answer --help")),
        (["dismiss", "last"], ("FINDING",)),
        (["resume", "--interrupted", "maybe"], ("maybe", "redo")),
        (["resume", "--turns", "many"], ("many", "--turns")),
        (["run", "-x"], ("-x",)),
        (["run\x1b[2J"], ("x1b",)),
    ],
)
def test_m082_wrong_input_is_one_sentence_and_2(
    typed: list[str], words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(typed)
    except SystemExit as end:
        code = end.code
    shown = capsys.readouterr().err
    assert code == 2 and len(shown.splitlines()) <= 2 and "\x1b" not in shown
    for word in words:
        assert word.replace("'b'", "b") in shown


def test_help_and_version_need_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == main(["-h"]) == main(["--version"]) == 0
    assert main([]) == 2
    assert "act on a run:" in capsys.readouterr().out
