"""Which agent plays which role: decided once, at the start, and recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sprintwright.agents.acp.presets import PRESETS
from sprintwright.agents.registry import BUILT_IN, Registry
from sprintwright.app.config import Settings
from sprintwright.errors import Refused
from sprintwright.model.definition import AgentTurn, Definition, walk_stages
from sprintwright.text import did_you_mean, fold

HOW = (
    f"Install one that is known by name ({', '.join(PRESETS)}), such as: {PRESETS['claude'].install}\n"
    "or name any other in ~/.config/sprintwright/config.yaml: agents: {mine: {kind: acp, command: [my-agent, --acp]}}\n"
    "or play roles yourself: --primary human. See it work without any agent: sprintwright demo"
)
"""What to do where no agent is there: to install, to set, or neither."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """Role to agent, in the spelling of the configuration, and what the user should know about the choice."""

    roles: dict[str, str]
    notices: tuple[str, ...] = ()


def used_roles(definition: Definition) -> list[str]:
    """The roles that some stage really has, in the order of `roles`."""
    used = {fold(stage.role) for _, stage in walk_stages(definition.stages) if isinstance(stage, AgentTurn)}
    return [name for name in definition.roles if fold(name) in used]


def resolve_roles(definition: Definition, settings: Settings, registry: Registry, asked: Mapping[str, str]) -> Resolved:
    """An agent for each role: asked for, else configured for the role, else primary, else the only one there is.

    Args:
        asked: the user's own choice by role; the key ``primary`` replaces the configured primary agent.

    Raises:
        Refused: `unknown_role`, `unknown_agent` or `agent_missing`; nothing was started.
    """
    roles = used_roles(definition)
    asked = known_roles(definition, asked)
    configured = {fold(role): agent for role, agent in settings.roles.items()}
    primary, notices = asked.get("primary", settings.primary), list[str]()
    if not primary and (only := _only_agent(settings)):
        primary = only
        if any(fold(role) not in asked and fold(role) not in configured for role in roles):
            notices.append(f"No primary agent is set; {only!r} is the only one here and plays every other role.")
    resolved: dict[str, str] = {}
    for role in roles:
        name = asked.get(fold(role)) or configured.get(fold(role)) or primary
        if not name:
            raise _nobody(role, settings)
        resolved[role] = registry.get(_without_alias(name, primary, settings.escalation)).name
    return Resolved(resolved, tuple(notices))


def known_roles(definition: Definition, asked: Mapping[str, str]) -> dict[str, str]:
    """The given agents by folded role. Raises `Refused` (`unknown_role`)."""
    known = {fold(name): name for name in definition.roles}
    for role in asked:
        if fold(role) not in known and role != "primary":
            hint = did_you_mean(role, definition.roles)
            raise Refused(
                "unknown_role",
                f"Workflow {definition.name!r} has no role {role!r}.{hint} Its roles: {', '.join(definition.roles)}.",
                known=list(definition.roles),
            )
    return {fold(role): agent for role, agent in asked.items()}


def _only_agent(settings: Settings) -> str:
    """The one that is configured, whatever else is found; else the one that is found."""
    for found in (False, True):
        agents = [agent for name, agent in settings.agents.items() if name not in BUILT_IN]
        names = [agent.name for agent in agents if (agent.origin == "found") is found]
        if names:
            return names[0] if len(names) == 1 else ""
    return ""


def _without_alias(name: str, primary: str, escalation: str) -> str:
    alias = name.strip().casefold()
    if alias in ("primary", "escalation"):
        target = primary if alias == "primary" else escalation
        if not target:
            raise Refused("agent_missing", f"The alias {alias!r} names no agent. Set `{alias}:` in the configuration.")
        return target
    return name


def _nobody(role: str, settings: Settings) -> Refused:
    names = sorted(name for name in settings.agents if name not in BUILT_IN)
    if names:
        return Refused(
            "agent_missing",
            f"Role {role!r} has no agent, and no `primary` is set. Choose one of {', '.join(names)}, human: "
            f"--{role} NAME, or --primary NAME, or `primary:` in the configuration.",
            role=role,
            known=names,
        )
    return Refused("agent_missing", f"Role {role!r} has no agent: none is there. {HOW}", role=role, known=[])
