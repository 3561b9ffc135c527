"""What is answered where nobody can be asked: the table of design.md section 10."""

from __future__ import annotations

from sprintwright.engine.ports import Answer, Question

DEFAULTS = "Use your defaults."
NOBODY = "Nobody is here to answer. Decide yourself, do not ask again, and say in your answer what you decided."
_DENY = "deny"


def answer_for(question: Question, *, agreed: bool) -> Answer | None:
    """The answer in the user's place, recorded as not asked; None: the run parks.

    Args:
        agreed: the user said `--yes`: empty answers and defaults, but never a permission or a used-up loop.
    """
    match question.kind:
        case "ask":
            return _given(NOBODY)
        case "permission":
            return _given(_DENY)
        case "exhausted":
            return _given("stop")
        case "pause" if agreed:
            return _given("continue")
        case "questions" if agreed:
            return _given(DEFAULTS)
        case "checkpoint" if agreed:
            return _given(question.choices[0] if question.choices else "")
        case "turn" if agreed:
            return _given("")
        case _:
            return None


def _given(text: str) -> Answer:
    return Answer(text=text, asked=False)
