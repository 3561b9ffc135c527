"""The workflow in the README is one that loads without a word."""

import re
from pathlib import Path

from sprintwright.agents.config import Config
from sprintwright.definitions.load import load_definition, load_model

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")


def test_the_readmes_yaml_is_valid() -> None:
    workflow, settings = re.findall(r"```yaml\n(.*?)```", README, re.S)
    assert load_definition(workflow).problems == () and load_definition(workflow).value is not None
    assert load_model(settings, Config).problems == ()
