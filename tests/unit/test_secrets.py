"""`sprintwright.secrets`: known secrets never pass."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from sprintwright.secrets import Masker

SECRET = 'sk-Zü/9+ "quoted" =x'
ENVIRONMENT = {"OPENAI_API_KEY": SECRET, "HOME": "/home/somebody", "PATH": "/usr/bin:/bin"}


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "MYSQL_PWD",
        "GH_PAT",
        "apikey",
    ],
)
def test_names_of_secrets_are_known(name: str) -> None:
    assert Masker({name: "s3cr3t-value"}).mask("a s3cr3t-value b") == f"a [masked {name}] b"


@pytest.mark.parametrize(
    "name", ["PATH", "PWD", "SSH_AUTH_SOCK", "KEYBOARD", "MONKEY", "TOKEN_FILE", "COMPASS", "AWS_ACCESS_KEY_ID"]
)
def test_names_of_other_things_are_not(name: str) -> None:
    assert Masker({name: "some-value-here"}).mask("some-value-here") == "some-value-here"


@pytest.mark.parametrize(
    "value", ["test", "testtest", "test-key", "your-api-key", "changeme", "password", "xxxxxxxxx", "short"]
)
def test_common_words_and_short_values_mask_nothing(value: str) -> None:
    assert Masker({"API_KEY": value}).mask(f"a {value} b") == f"a {value} b"


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        quote(SECRET, safe="").replace("%C3%BC", "%c3%bc").replace("F", "f").replace("B", "b").replace("D", "d"),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        repr(SECRET)[1:-1],
        base64.b64encode(SECRET.encode()).decode().rstrip("="),
    ],
)
def test_each_form_is_masked(form: str) -> None:
    masked = Masker(ENVIRONMENT).mask(f"before {form} after")
    assert form not in masked
    assert "[masked OPENAI_API_KEY]" in masked


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
def test_a_secret_inside_a_longer_base64_text_is_masked(before: str) -> None:
    key = "super-secret-value"
    text = base64.b64encode(f"{before}{key}:more".encode()).decode()
    masked = Masker({"TOKEN": key}).mask(text)
    assert "[masked TOKEN]" in masked


def test_the_longer_of_two_secrets_is_masked_whole() -> None:
    masker = Masker({"A_KEY": "abcdefgh", "B_KEY": "abcdefghij"})
    assert masker.mask("abcdefghij abcdefgh") == "[masked B_KEY] [masked A_KEY]"


def test_known_secrets_count_whatever_their_name() -> None:
    assert Masker({}, {"bridge": "0123abcd4567"}).mask("x0123abcd4567") == "x[masked bridge]"


def test_without_secrets_text_is_itself() -> None:
    text = "nothing to see"
    assert Masker({}).mask(text) is text
