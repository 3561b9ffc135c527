"""Known secrets are masked: row X78 of the faults paper."""

import base64
from urllib.parse import quote

import pytest

from sprintwright.secrets import Masker

SECRETS = {
    "OPENAI_API_KEY": "sk-proj-0a1b2c3d4e5f",
    "GITHUB_TOKEN": "ghp_A1b2C3d4E5f6G7h8",
    "DB_PASSWORD": 'p"ss/w+rd=ü x',
    "NESTED_KEY": "abcabcabcabd",
    "LONGER_KEY": "abcabcabcabdabc",
    "REPEATING_TOKEN": "xyxyxyxyxyxz",
}


@pytest.mark.parametrize("name", sorted(SECRETS))
@pytest.mark.parametrize("form", ["plain", "url", "base64"])
def test_x078_a_secret_split_at_any_letter_never_passes(name: str, form: str) -> None:
    text = f"Traceback: {encoded(SECRETS[name], form)} abcabc"
    masker = Masker(SECRETS)
    whole = masker.mask(text)
    assert "[masked " in whole
    for split in range(len(text) + 1):
        stream = masker.stream()
        assert stream.feed(text[:split]) + stream.feed(text[split:]) + stream.close() == whole
    stream = masker.stream()
    assert "".join(map(stream.feed, text)) + stream.close() == whole


def encoded(text: str, form: str) -> str:
    if form == "url":
        return quote(text, safe="")
    return base64.b64encode(text.encode()).decode() if form == "base64" else text


def test_x078_text_that_only_begins_like_a_secret_arrives_whole() -> None:
    stream = Masker(SECRETS).stream()
    assert stream.feed("sk-pro") + stream.feed("m queen, and ghp") + stream.close() == "sk-prom queen, and ghp"


def test_x078_the_word_test_as_a_key_masks_nothing() -> None:
    assert Masker({"API_KEY": "test"}).mask("the test") == "the test"
