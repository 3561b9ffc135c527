"""How the `model` agent is configured and started: where it may send what, and whose key goes with it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import ValidationError

from sprintwright.agents.config import ModelAgentConfig
from sprintwright.agents.model import launch
from sprintwright.agents.registry import Configured
from sprintwright.app.consent import agent_items
from sprintwright.app.doctor import problem_of
from sprintwright.errors import Operational
from sprintwright.processes import Leftovers

PARENT = {"PATH": "/usr/bin", "HOME": "/h", "OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a",
          "OPENAI_BASE_URL": "https://evil.example", "MINE": "sk-m"}  # fmt: skip


def config(**fields: object) -> ModelAgentConfig:
    return ModelAgentConfig.model_validate({"kind": "model", "model": "m", **fields})


def environment(made: ModelAgentConfig, tmp_path: Path, origin: str = "user") -> Mapping[str, str]:
    return launch.launch_of("mine", made, origin, "r1", PARENT, Leftovers(tmp_path / "processes"), tmp_path).env


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/v1",
        "http://localhost.evil.example",
        "ftp://x",
        "https://",
        "https://u:p@x/v1",
        "x",
        "https://x/v1?k=1",
        "http://[::2]/v1",
    ],
)
def test_x011_plain_http_is_for_this_machine_and_a_url_has_no_secrets(url: str) -> None:
    with pytest.raises(ValidationError):
        config(base_url=url)


@pytest.mark.parametrize(
    "url", ["http://localhost:1/v1", "http://127.0.0.2/v1", "http://[::1]:1/v1", "https://api.example/v1"]
)
def test_an_endpoint_of_ones_own_is_fine(url: str) -> None:
    assert config(base_url=url).endpoint == url


def test_x011_each_gets_the_key_of_its_own_provider_and_no_other(tmp_path: Path) -> None:
    keys = {name for name in PARENT if PARENT[name].startswith("sk-")}
    for made, expected in (
        (config(), {"OPENAI_API_KEY"}),
        (config(provider="anthropic"), {"ANTHROPIC_API_KEY"}),
        (config(base_url="https://other.example"), set[str]()),
        (config(base_url="https://other.example", key_env="MINE"), {"MINE"}),
        (config(provider="ollama"), set[str]()),
    ):
        env = environment(made, tmp_path)
        assert set(env) & keys == expected
        assert "OPENAI_BASE_URL" not in env


def test_x011_an_endpoint_or_variable_that_a_folder_names_gets_no_key(tmp_path: Path) -> None:
    for made in (config(base_url="http://127.0.0.1:1", key_env="OPENAI_API_KEY"), config(key_env="MINE")):
        env = environment(made, tmp_path, "workspace")
        assert not [value for value in env.values() if value.startswith("sk-")]
    assert environment(config(), tmp_path, "workspace")["OPENAI_API_KEY"] == "sk-o"  # the provider's own, agreed to


def test_x009_a_folders_endpoint_is_agreed_to_by_its_url_model_and_key(tmp_path: Path) -> None:
    told = Configured("mine", config(base_url="http://127.0.0.1:1/v1", key_env="MINE"), "workspace", tmp_path)
    (item,) = agent_items([told], tmp_path)
    assert "http://127.0.0.1:1/v1, model m, without any key" in item
    (item,) = agent_items([Configured("mine", config(), "workspace", tmp_path)], tmp_path)
    assert "https://api.openai.com/v1, model m, with your key in OPENAI_API_KEY" in item
    assert agent_items([Configured("mine", config(), "user", tmp_path)], tmp_path) == []


def test_what_is_missing_is_said_with_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    google = Configured("mine", config(provider="google"), "user", tmp_path)
    assert problem_of(google, tmp_path, PARENT) == "the variable GEMINI_API_KEY is not set"
    with pytest.raises(Operational, match="set the variable GEMINI_API_KEY") as caught:
        environment(config(provider="google"), tmp_path)
    assert caught.value.cause == "sign_in"

    def find_spec(_name: str) -> None:
        return None

    monkeypatch.setattr(launch, "find_spec", find_spec)
    with pytest.raises(Operational, match=r"pip install 'sprintwright\[models\]'") as caught:
        environment(config(), tmp_path)
    assert (caught.value.cause, caught.value.data["transient"]) == ("spawn", False)
    assert "pip install" in problem_of(Configured("mine", config(), "user", tmp_path), tmp_path, PARENT)


def test_without_its_libraries_the_program_says_what_to_type(tmp_path: Path) -> None:
    made = launch.launch_of("mine", config(), "user", "r1", PARENT, Leftovers(tmp_path / "processes"), tmp_path)
    bare = [made.argv[0], "-S", *made.argv[1:]]  # -S: no site-packages
    ended = subprocess.run(bare, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "pip install 'sprintwright[models]'" in ended.stderr


def test_x016_it_is_started_isolated_by_an_absolute_path_and_no_secret_is_an_argument(tmp_path: Path) -> None:
    made = launch.launch_of("mine", config(), "user", "r1", PARENT, Leftovers(tmp_path / "processes"), tmp_path)
    assert made.argv[1:4] == ("-I", "-X", "utf8")
    assert Path(made.argv[4]).is_absolute() and Path(made.argv[4]).is_file()
    settings = json.loads(made.argv[5])
    assert settings["sessions"] == str(tmp_path / "model") and "sk-" not in made.argv[5]
