"""`sprintwright run` without all that it needs: one question at a time, back and forth, then a whole request."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from sprintwright.agents.registry import BUILT_IN
from sprintwright.app.config import Settings
from sprintwright.app.doctor import problem_of
from sprintwright.app.live import World
from sprintwright.app.resolve import resolve_roles, used_roles
from sprintwright.app.start import StartRequest, catalogue, find_definition
from sprintwright.cli.prompter import Prompter
from sprintwright.cli.typed import as_command
from sprintwright.errors import Refused
from sprintwright.model.definition import AgentTurn, Definition, Loop, stage_to_review
from sprintwright.text import clean, fold, one_line

BACK = ("back", "<")
_INTRO = "Enter takes what stands in [brackets]. `back` goes one question back; Ctrl-C starts nothing.\n"
_Step: TypeAlias = Callable[[StartRequest], StartRequest | None]
"""Asks one thing and puts the answer in; None goes one question back."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What there is to choose from."""

    world: World
    settings: Settings


def is_complete(request: StartRequest, setting: Setting) -> bool:
    """Whether nothing has to be asked: there are a workflow, a task, and an agent for each role."""
    if not request.workflow or not request.task.strip():
        return False
    _, definition = find_definition(setting.world.places, _seen_from(request), request.workflow)
    try:
        resolve_roles(definition, setting.settings, setting.world.registry, request.roles)
    except Refused as refused:
        if refused.code != "agent_missing":
            raise
        return False
    return True


def fill(given: StartRequest, setting: Setting, prompter: Prompter) -> StartRequest:
    """Ask for everything that was not given.

    Raises:
        GivenUp: nothing is to be started; `KeyboardInterrupt` for Ctrl-C.
        Refused: what was given can't be.
    """
    prompter.say(_INTRO)
    wizard, request, at = _Wizard(given, setting, prompter), given, 0
    while at < len(steps := wizard.steps(request)):
        answer = steps[at](request)
        at = max(0, at - 1) if answer is None else at + 1
        request = answer or request
    prompter.say(f"\nThe same without questions:\n  {as_command(request)}\n")
    return request


def _seen_from(request: StartRequest) -> Path | None:
    """The folder whose own workflows count."""
    return None if request.untrusted else request.folder


class _Wizard:
    def __init__(self, given: StartRequest, setting: Setting, prompter: Prompter) -> None:
        self._given, self._prompter = given, prompter
        self._world, self._settings = setting.world, setting.settings
        self._definitions: dict[str, Definition] = {}
        self._listed = False

    def steps(self, request: StartRequest) -> list[_Step]:
        """The questions in order, as far as they are known: those about roles need a workflow."""
        given, steps = self._given, list[_Step]()
        if not given.workflow:
            steps.append(self._workflow)
        if not given.task.strip():
            steps.append(self._task)
        if request.workflow:
            definition, roles = self._definition(request.workflow), {fold(role) for role in given.roles}
            steps += [partial(self._role, role) for role in used_roles(definition) if fold(role) not in roles]
            if not given.pause_after and (stage := stage_to_review(definition)) is not None:
                steps.append(partial(self._review, stage))
        return steps

    def _definition(self, name: str) -> Definition:
        if name not in self._definitions:
            self._definitions[name] = find_definition(self._world.places, _seen_from(self._given), name)[1]
        return self._definitions[name]

    def _workflow(self, request: StartRequest) -> StartRequest | None:
        entries = catalogue(self._world.places, _seen_from(request)).entries
        width = max((len(one_line(entry.name, 30)) for entry in entries), default=0)
        self._prompter.say("Which workflow?")
        for number, entry in enumerate(entries, start=1):
            value = entry.loaded.value
            words = (value.title or value.description) if value else "can't be run: see `sprintwright validate`"
            room = max(20, shutil.get_terminal_size().columns - width - 8)
            self._prompter.say(f"  {number:>2}  {one_line(entry.name, 30):<{width}}  {one_line(words, room)}")
        while True:
            answer = self._prompter.line("number or name: ").strip()
            if answer.lower() in BACK:
                return None
            if answer.isdecimal() and 0 < int(answer) <= len(entries):
                answer = entries[int(answer) - 1].name
            try:
                definition = self._definition(answer) if answer else None
            except Refused as refused:
                self._prompter.say(clean(refused.message, newlines=True))
                continue
            if definition is not None:
                kept = {role: agent for role, agent in request.roles.items() if role in definition.roles}
                roles = {**kept, **self._given.roles}
                return replace(request, workflow=definition.name, roles=roles, pause_after=self._given.pause_after)

    def _task(self, request: StartRequest) -> StartRequest | None:
        self._prompter.say("\nWhat is to be done? Several lines are fine; an empty line ends them.")
        lines: list[str] = []
        while True:
            line = self._prompter.line("> ")
            if not lines and line.strip().lower() in BACK:
                return None
            if line.strip() or (lines and self._prompter.more()):  # an empty line amid what is pasted ends nothing
                lines.append(line)
            elif lines:
                return replace(request, task="\n".join(lines))

    def _role(self, role: str, request: StartRequest) -> StartRequest | None:
        self._list_agents()
        about = one_line(self._definition(request.workflow).roles[role].description, 60)
        default = self._default(role, request)
        prompt = f"Who plays {one_line(role, 40)}?" + (f" {about}" if about else "")
        while True:
            answer = self._prompter.line(f"{prompt} [{default}] " if default else f"{prompt} ").strip()
            if answer.lower() in BACK:
                return None
            try:
                asked = {**self._others(role, request), role: answer or default}
                found = resolve_roles(self._definition(request.workflow), self._settings, self._world.registry, asked)
            except Refused as refused:
                self._prompter.say(clean(refused.message, newlines=True))
                continue
            agent = self._world.registry.get(found.roles[role])
            if problem := problem_of(agent, request.folder, self._world.environment):
                self._prompter.say(clean(f"{agent.name} can't: {problem}", newlines=True))
                continue
            return replace(request, roles={**request.roles, role: agent.name})

    def _list_agents(self) -> None:
        if self._listed:
            return
        self._listed = True
        names = [one_line(name, 40) for name in self._world.registry.names()]
        self._prompter.say(f"\nAgents: {', '.join(names)}")
        if not set(self._settings.agents) - set(BUILT_IN):
            self._prompter.say("(No agent but you is configured; `sprintwright init` looks for those that you have.)")

    def _others(self, role: str, request: StartRequest) -> dict[str, str]:
        """Somebody for each other role, so that only this one can be refused."""
        definition = self._definition(request.workflow)
        asked = {other: "human" for other in used_roles(definition) if other != role}
        return {**{k: v for k, v in self._given.roles.items() if k == "primary" or k not in asked}, **asked}

    def _default(self, role: str, request: StartRequest) -> str:
        try:
            asked = self._others(role, request)
            found = resolve_roles(self._definition(request.workflow), self._settings, self._world.registry, asked)
        except Refused as refused:
            if refused.code not in ("agent_missing", "unknown_agent"):
                raise
            return ""
        return found.roles[role]

    def _review(self, stage: AgentTurn | Loop, request: StartRequest) -> StartRequest | None:
        what = stage.artifact.file if stage.artifact is not None else ""
        words = f"Review {one_line(what, 40)} before going on?" if what else f"Pause after {stage.id} for a look?"
        while True:
            answer = self._prompter.line(f"{words} [Y/n] ").strip().lower()
            if answer in BACK:
                return None
            if answer in ("", "y", "yes", "n", "no"):
                wanted = () if answer.startswith("n") else (stage.id,)
                return replace(request, pause_after=wanted)
