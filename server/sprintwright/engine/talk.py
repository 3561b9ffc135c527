"""Conversations with agents: which turns belong to one, and how it is continued."""

from __future__ import annotations

from collections.abc import Sequence

from sprintwright.model.definition import AgentTurn, Definition, Loop, ParallelGroup, Stage
from sprintwright.model.results import Session


def talk_of(definition: Definition, stage: AgentTurn, key: str) -> str:
    """The name of the conversation that a leaf of a stage belongs to. Pure.

    It is the stage's key without the numbers of passes: later passes continue it, while each sprint and each item has
    its own (design.md section 5). With ``session: fresh`` each pass has its own, too; a second turn and a reminder are
    always of the conversation of their stage.

    Args:
        key: of the leaf, such as ``sprints[2]/passes[3]/evaluator/reminder``.
    """
    parts: list[str] = []
    stages: Sequence[Stage] = definition.stages
    for part in key.split("/"):
        name = part.partition("[")[0]
        found = next((one for one in stages if one.id == name), None)
        passes = isinstance(found, Loop) and not found.over
        parts.append(name if passes and stage.session == "continue" else part)
        if not isinstance(found, Loop | ParallelGroup):
            break
        stages = found.body
    return "/".join(parts)


class Talks:
    """The sessions that later turns may continue. A run has few conversations and many turns."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}

    def session(self, talk: str, agent: str) -> Session | None:
        """The session to continue; None for a new one, also when another agent plays now."""
        known = self._sessions.get(talk)
        return known if known is not None and known.agent == agent else None

    def took(self, talk: str, session: Session | None) -> None:
        """Keep the session that the newest turn of a conversation had."""
        if session is None:
            self._sessions.pop(talk, None)
        else:
            self._sessions[talk] = session
