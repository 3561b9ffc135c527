"""The wizard's questions, over scripted answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from sprintwright.app.compose import make_world, settings_of
from sprintwright.app.start import StartRequest
from sprintwright.cli.people import Absent
from sprintwright.cli.prompter import GivenUp
from sprintwright.cli.typed import as_command
from sprintwright.cli.wizard import Setting, fill, is_complete
from sprintwright.errors import Refused

ABC = """\
name: abc
title: In the order of the roles
roles: {zulu: {description: Goes first.}, alpha: {}, mike: {}}
stages:
  - {id: one, kind: agent_turn, role: mike, prompt: x, artifact: notes.md}
  - {id: two, kind: agent_turn, role: alpha, prompt: x, artifact: my-plan.md}
  - {id: three, kind: agent_turn, role: zulu, prompt: x}
"""


class Scripted:
    """Answers in order; ``None`` is Esc. A line after a marked one is there already, as when pasted."""

    def __init__(self, *answers: str | None) -> None:
        self._answers: Iterator[str | None] = iter(answers)
        self.asked: list[str] = []
        self.said: list[str] = []
        self.pasted = 0

    def say(self, text: str) -> None:
        self.said.append(text)

    def line(self, prompt: str) -> str:
        self.asked.append(prompt.strip())
        answer = next(self._answers)
        if answer is None:
            raise GivenUp
        self.pasted -= 1
        return answer

    def more(self) -> bool:
        return self.pasted > 0

    @property
    def text(self) -> str:
        return "\n".join(self.said)


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return make_setting(tmp_path, primary="bob")


def make_setting(base: Path, primary: str = "", names: tuple[str, ...] = ("ann", "bob")) -> Setting:
    folder = base / "project"
    (base / "config" / "sprintwright" / "workflows").mkdir(parents=True, exist_ok=True)
    (base / "config" / "sprintwright" / "workflows" / "abc.yaml").write_text(ABC)
    folder.mkdir(exist_ok=True)
    agents = {name: {"kind": "cli", "command": [sys.executable]} for name in names}
    config = {"agents": agents, **({"primary": primary} if primary else {})}
    (base / "config" / "sprintwright" / "config.yaml").write_text(yaml.safe_dump(config))
    environment = {"HOME": str(base), "XDG_CONFIG_HOME": str(base / "config"), "PATH": "/usr/bin:/bin"}
    settings = settings_of(environment, folder)
    return Setting(make_world(environment, folder, settings, Absent()), settings)


def request(setting: Setting, workflow: str = "", task: str = "", **roles: str) -> StartRequest:
    folder = Path(setting.world.environment["HOME"]) / "project"
    return StartRequest(workflow=workflow, task=task, folder=folder, roles=roles)


def test_m083_task_asked_again_when_blank_then_roles_in_declared_order_without_those_with_flags(
    setting: Setting,
) -> None:
    person = Scripted("", "  ", "Build it", "", "ann", "", "n")
    filled = fill(request(setting, "abc", alpha="human"), setting, person)
    assert filled.task == "Build it"
    assert filled.roles == {"alpha": "human", "zulu": "ann", "mike": "bob"}
    roles = [question for question in person.asked if question.startswith("Who plays")]
    assert roles == ["Who plays zulu? Goes first. [bob]", "Who plays mike? [bob]"]


def test_m081_the_list_has_all_names_sorted_and_takes_a_number_or_a_name(setting: Setting) -> None:
    for answer in ("1", "ABC"):
        person = Scripted("", "0", "nonsense", answer, "Build it", "", "", "", "", "n")
        filled = fill(request(setting), setting, person)
        assert filled.workflow == "abc"
        names = [line.split()[1] for line in person.said if line.startswith("   ")]
        assert names == sorted(names) and {"abc", "dev", "pair", "swarm"} <= set(names)
        assert "'nonsense'" in person.text


def test_agents_are_named_once_and_a_wrong_one_is_asked_again(setting: Setting) -> None:
    person = Scripted("task", "", "bbo", "ann", "", "", "")
    filled = fill(request(setting, "abc"), setting, person)
    assert filled.roles == {"zulu": "ann", "alpha": "bob", "mike": "bob"}
    assert sum("Agents: ann, bob, human" in line for line in person.said) == 1
    assert "Did you mean 'bob'" in person.text


def test_without_a_default_a_name_is_needed(tmp_path: Path) -> None:
    setting = make_setting(tmp_path)
    person = Scripted("task", "", "", "ann", "ann", "human", "n")
    filled = fill(request(setting, "abc"), setting, person)
    assert filled.roles == {"zulu": "ann", "alpha": "ann", "mike": "human"}
    assert "Who plays alpha?" in person.asked and "Role 'zulu' has no agent" in person.text


def test_the_only_agent_is_the_default(tmp_path: Path) -> None:
    setting = make_setting(tmp_path, names=("ann",))
    filled = fill(request(setting, "abc", "task"), setting, Scripted("", "", "", "n"))
    assert set(filled.roles.values()) == {"ann"}


@pytest.mark.parametrize("word", ["back", "<", " BACK "])
def test_back_goes_one_question_back(setting: Setting, word: str) -> None:
    person = Scripted(word, "abc", "first task", "", word, "second task", "", "ann", word, "human", "", "", "y")
    filled = fill(request(setting), setting, person)
    assert (filled.workflow, filled.task, filled.pause_after) == ("abc", "second task", ("two",))
    assert filled.roles == {"zulu": "human", "alpha": "bob", "mike": "bob"}


def test_going_back_to_another_workflow_forgets_the_roles_of_the_first(setting: Setting) -> None:
    person = Scripted("abc", "task", "", "ann", word := "back", word, word, "pair", "task", "", "", "", "", "")
    filled = fill(request(setting), setting, person)
    assert filled.workflow == "pair" and "zulu" not in filled.roles


@pytest.mark.parametrize("given", [0, 1, 3, 4])
def test_m084_esc_at_any_question_starts_nothing(setting: Setting, given: int) -> None:
    answers: list[str | None] = [*["abc", "task", "", "ann", "ann"][:given], None]
    with pytest.raises(GivenUp):
        fill(request(setting), setting, Scripted(*answers))


def test_a_task_has_several_lines_and_an_empty_line_amid_what_is_pasted_ends_nothing(setting: Setting) -> None:
    person = Scripted("one", "", "two", "", "", "", "", "n")
    person.pasted = 4
    assert fill(request(setting, "abc"), setting, person).task == "one\n\ntwo"


def test_the_plan_is_offered_for_review_only_where_something_follows(setting: Setting, tmp_path: Path) -> None:
    for answer, pauses in (("", ("two",)), ("Y", ("two",)), ("no", ())):
        person = Scripted("", "", "", answer)
        assert fill(request(setting, "abc", "task"), setting, person).pause_after == pauses
        assert person.asked[-1] == "Review my-plan.md before going on? [Y/n]"
    (tmp_path / "config" / "sprintwright" / "workflows" / "one.yaml").write_text(
        "name: one\nroles: [a]\nstages: [{id: x, kind: agent_turn, role: a, prompt: x, artifact: plan.md}]\n"
    )
    assert fill(request(setting, "one", "task"), setting, Scripted("")).pause_after == ()


def test_what_is_given_is_not_asked(setting: Setting) -> None:
    whole = request(setting, "abc", "task", zulu="ann", alpha="ann", mike="ann")
    assert is_complete(whole, setting)
    assert is_complete(request(setting, "abc", "task"), setting)  # primary plays them
    assert not is_complete(request(setting, "abc", " "), setting)
    assert not is_complete(request(setting, "", "task"), setting)


def test_wrong_flags_are_refused_before_the_first_question(tmp_path: Path) -> None:
    setting = make_setting(tmp_path)
    with pytest.raises(Refused, match="nobody"):
        is_complete(request(setting, "abc", "task", zulu="nobody"), setting)
    with pytest.raises(Refused, match="no workflow"):
        is_complete(request(setting, "abd", "task"), setting)


def test_a_broken_workflow_is_listed_and_says_what_is_wrong_when_chosen(setting: Setting, tmp_path: Path) -> None:
    (tmp_path / "config" / "sprintwright" / "workflows" / "broken.yaml").write_text("name: broken\nstages: []\n")
    person = Scripted("broken", "abc", "task", "", "", "", "", "n")
    assert fill(request(setting), setting, person).workflow == "abc"
    assert "broken.yaml:" in person.text


def test_the_command_that_stands_for_the_answers_can_be_typed(setting: Setting) -> None:
    typed = as_command(request(setting, "abc", "say 'hi'; rm -rf", zulu="a b"))
    assert typed == """sprintwright run abc 'say '"'"'hi'"'"'; rm -rf' --role 'zulu=a b'"""
    assert "--task-file FILE" in as_command(request(setting, "abc", "two\nlines"))
    given = replace(request(setting, "abc", "x"), vars={"a": "b c"}, max_passes=2, pause_after=("two",), untrusted=True)
    assert as_command(given).endswith("abc x --var 'a=b c' --pause-after two --max-passes 2 --untrusted")
