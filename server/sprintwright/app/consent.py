"""What a folder's own files would run or allow, shown once and asked; the answer is for this content only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from sprintwright.agents.config import (
    AcpAgentConfig,
    CheckAgentConfig,
    CliAgentConfig,
    EditorAgentConfig,
    ModelAgentConfig,
    ReplayAgentConfig,
)
from sprintwright.agents.model.launch import key_of
from sprintwright.agents.registry import Configured
from sprintwright.app.user_state import UserState
from sprintwright.app.vendor_files import vendor_items
from sprintwright.definitions.discovery import Entry
from sprintwright.errors import Refused
from sprintwright.model.definition import Check, Definition, walk_stages
from sprintwright.text import clean

_MOST_BYTES = 16 * 1024 * 1024


def consent_items(entry: Entry, definition: Definition, agents: Iterable[Configured], folder: Path) -> list[str]:
    """Sentences for everything that comes from the workspace itself and would run, write or be allowed."""
    items: list[str] = []
    if entry.origin == "workspace":
        items.extend(_of_definition(entry, definition, folder))
    return items + agent_items(agents, folder)


def agent_items(agents: Iterable[Configured], folder: Path) -> list[str]:
    """Sentences for what the folder makes agents run or write, by its configuration or by their own files in it."""
    named = {agent.name: agent for agent in agents}
    items: list[str] = []
    for name in sorted(named):
        if named[name].origin == "workspace":
            items += _of_agent(named[name], folder)
        items += vendor_items(name, named[name].config, folder)
    return items


def _of_definition(entry: Entry, definition: Definition, folder: Path) -> Iterator[str]:
    if entry.replaces:
        mark = hashlib.sha256(entry.text.encode()).hexdigest()[:12]
        yield f"workflow {definition.name!r} of this folder ({mark}) takes the place of the {entry.replaces} one"
    for path, stage in walk_stages(definition.stages):
        if isinstance(stage, Check):
            for command in stage.commands:
                yield f"stage {path} runs: {_line(command, folder)}"
    for name, role in definition.roles.items():
        if role.permissions == "full":
            yield f"role {name} may do everything without being asked (full)"


def _of_agent(agent: Configured, folder: Path) -> Iterator[str]:
    match agent.config:
        case CliAgentConfig() as config:
            variables = f" with {json.dumps(config.env, ensure_ascii=False)}" if config.env else ""
            model = f", model {config.model}" if config.model else ""
            preset = f" as {config.preset}{model}, with what the role may do" if config.preset else ""
            yield f"agent {agent.name} runs: {_line(config.words, folder)}{preset}{variables}"
        case AcpAgentConfig() as config:
            variables = f" with {json.dumps(config.env, ensure_ascii=False)}" if config.env else ""
            model = f", model {config.model}" if config.model else ""
            yield f"agent {agent.name} runs: {_line(config.words, folder)}{model}{variables}"
        case ModelAgentConfig() as config:
            key = key_of(config, agent.origin)
            yield (
                f"agent {agent.name} sends its prompts and what it reads of this folder to {config.endpoint}, "
                f"model {config.model}, {f'with your key in {key}' if key else 'without any key of yours'}"
            )
        case EditorAgentConfig() as config:
            named = " ".join(config.selector.values()) or "of its choice"
            what = "its prompts and what it reads of this folder"
            yield f"agent {agent.name} sends {what} to your editor's model {named}"
        case CheckAgentConfig() as config:
            for command in config.commands:
                yield f"agent {agent.name} runs: {_line(command, folder)}"
        case ReplayAgentConfig() as config:
            path = agent.base / config.file
            content = _content(path) if path.is_file() else "missing"
            yield f"agent {agent.name} writes files as recorded in {config.file} ({content})"
        case _:
            pass


def _line(command: Iterable[str], folder: Path) -> str:
    """The command, and the content of the folder's own files that it names: they are what runs."""
    words = list(command)
    files = [f"{word} ({_content(folder / word)})" for word in words if word and _is_ours(folder, word)]
    return json.dumps(words, ensure_ascii=False) + (f", with {', '.join(files)}" if files else "")


def _is_ours(folder: Path, word: str) -> bool:
    path = (folder / word).resolve()
    return path.is_relative_to(folder) and path.is_file()


def _content(path: Path) -> str:
    """A short hash of a file's first megabytes."""
    with path.open("rb") as file:
        return hashlib.sha256(file.read(_MOST_BYTES)).hexdigest()[:12]


def content_hash(items: list[str], folder: str) -> str:
    """The hash that stands for this content in this folder."""
    return hashlib.sha256(json.dumps([folder, items]).encode()).hexdigest()[:16]


def require_consent(items: list[str], folder: str, given: str | None, state: UserState) -> None:
    """Return if the user agrees or agreed; else raise `Refused` (`consent_needed`) with items and hash."""
    if not items:
        return
    wanted = content_hash(items, folder)
    if given == wanted:
        state.agree(wanted)
    elif not state.agreed(wanted):
        listed = "\n".join(f"- {clean(item, newlines=False)}" for item in items)
        changed = " What you agreed to has changed since." if given else ""
        raise Refused(
            "consent_needed",
            f"Files of this folder ask for more than a prompt:{changed}\n{listed}\n"
            f"If you agree, say so with: --consent {wanted}",
            items=items,
            hash=wanted,
        )
