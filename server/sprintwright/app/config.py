"""The user's and the workspace's configuration, read and put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sprintwright.agents.config import AgentConfig, Config
from sprintwright.agents.registry import BUILT_IN, Configured
from sprintwright.definitions.load import decode, load_model
from sprintwright.errors import Refused
from sprintwright.model.limits import Limits
from sprintwright.model.problem import Problem
from sprintwright.paths import is_link

_MOST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """What is in force in a folder: the workspace chooses among agents, the user's file is below it."""

    agents: dict[str, Configured]
    primary: str
    escalation: str
    roles: dict[str, str]
    limits: Limits
    """Upper bounds of every run here: the user's, which the folder's file can only lower."""
    warnings: tuple[str, ...]
    """What is odd in the files, each with its place; it stops nothing."""
    history_runs: int | None = None
    """How many finished runs a folder keeps; None: all."""


def load_settings(
    user_file: Path, folder: Path | None, editor: Config | None = None, found: Mapping[str, AgentConfig] = {}
) -> Settings:
    """Read both files; a missing one is empty.

    Args:
        editor: the settings of the editor that started us; they stand above both files.
        found: agents that are there without being configured; of one that is, the configuration counts.

    Raises:
        Refused: `config_invalid`, with every problem of a bad file.
    """
    levels, warnings = [("user", user_file)], list[str]()
    if folder is not None and not is_link(ours := folder / ".sprintwright"):
        if is_link(file := ours / "config.yaml"):  # what a link leads to is not this folder's
            warnings.append(f"{file}: it is a symbolic link, so it is not read. Replace it by the real thing.")
        else:
            levels.append(("workspace", file))
    agents = {name: Configured(name, config, "builtin", Path()) for name, config in BUILT_IN.items()}
    agents |= {name: Configured(name, config, "found", Path()) for name, config in found.items()}
    primary, escalation, roles = "", "", dict[str, str]()
    limits, history_runs = Limits(), None
    read = [(origin, file, _read(file, warnings)) for origin, file in levels]
    for origin, file, config in [*read, ("editor", user_file, editor)]:
        if config is None:
            continue
        for name, agent in config.agents.items():
            agents[name] = Configured(name, agent, origin, file.parent)
        primary, escalation = config.primary or primary, config.escalation or escalation
        roles.update(config.roles)
        limits = lowest(limits, config.limits)
        if config.history.runs is not None and origin != "workspace":
            history_runs = config.history.runs
        elif config.history.runs is not None:
            warnings.append(f"{file}: `history` counts in your own configuration only; here it is ignored.")
    return Settings(agents, primary, escalation, roles, limits, tuple(warnings), history_runs)


def lowest(*given: Limits | None) -> Limits:
    """Of each limit the lowest that is given."""
    bounds: dict[str, float] = {}
    for limits in given:
        for name, value in (limits.model_dump(exclude_none=True) if limits else {}).items():
            bounds[name] = min(value, bounds.get(name, value))
    return Limits.model_validate(bounds)


def _read(file: Path, warnings: list[str]) -> Config | None:
    try:
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise Refused("config_invalid", f"{str(file)!r} can't be read: {error.strerror}.") from error
    text, problems = decode(data)
    loaded = load_model(text, Config)
    errors = [p for p in (*problems, *loaded.problems) if p.severity == "error"]
    if errors or loaded.value is None:
        # A key that is only ignored elsewhere can be the one that is missing here, misspelt.
        lines = [_line(file, p) for p in (*problems, *loaded.problems) if p in errors or p.code == "unknown_key"]
        raise Refused("config_invalid", "The configuration can't be used:\n" + "\n".join(lines), file=str(file))
    warnings += [_line(file, p) for p in (*problems, *loaded.problems)]
    return loaded.value


def _line(file: Path, problem: Problem) -> str:
    return f"{file}:{problem.range.line + 1}:{problem.range.column + 1}: {problem.message}"
