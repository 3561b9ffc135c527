"""An agent's own error in words: one sentence behind the other, also on one line."""

from __future__ import annotations

import re

import pytest

from sprintwright.agents.acp.failures import AUTH_REQUIRED, died, refused
from sprintwright.agents.acp.presets import PRESETS
from sprintwright.agents.failures import sentence
from sprintwright.text import one_line


@pytest.mark.parametrize(
    ("said", "told"), [("no", "no."), ("no.", "no."), ("why?", "why?"), ("cut…", "cut…"), ("no\n", "no.")]
)
def test_what_was_said_has_an_end(said: str, told: str) -> None:
    assert sentence(said) == told


def test_what_an_agent_said_and_our_words_are_sentences_of_their_own() -> None:
    told = one_line(refused("a", PRESETS["claude"].sign_in, "Authentication required", AUTH_REQUIRED).message, 500)
    assert "Authentication required. Sign in with `claude /login`, or with ANTHROPIC_API_KEY, then" in told
    assert refused("a", "", "Method not found", -32601).message.endswith("Method not found.")
    assert "not logged in. Sign in" in one_line(died("a", "x", 1, "You are not logged in").message, 500)


@pytest.mark.parametrize("name", PRESETS)
def test_how_to_sign_in_is_a_sentence_for_every_known_agent(name: str) -> None:
    told = refused(name, PRESETS[name].sign_in, "Authentication required", AUTH_REQUIRED).message
    assert re.search(r"\nSign in with `[^`]+`.*, then resume the run\.$", told) and "sign in, or" not in told
