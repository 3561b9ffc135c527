"""What `author` and `fix` promise, and what holds for every built-in workflow."""

from __future__ import annotations

import pytest

from sprintwright.definitions.discovery import builtin_folder
from sprintwright.definitions.load import load_definition
from sprintwright.definitions.shape import fields_of
from sprintwright.model.definition import AgentTurn, Check, Definition, Loop, ParallelGroup, UserCheckpoint
from sprintwright.prompts.budget import VALUE_LIMIT

NAMES = sorted(path.stem for path in builtin_folder().glob("*.yaml"))
NOT_TAUGHT = {"use_memory", "session", "retry", "format", "isolation", "max_iterations_from", "id", "kind"}


def builtin(name: str) -> Definition:
    loaded = load_definition((builtin_folder() / f"{name}.yaml").read_text(encoding="utf-8"))
    assert loaded.value is not None and loaded.problems == ()
    return loaded.value


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_is_called_like_its_file_says_what_it_is_for_and_fits_into_prompts(name: str) -> None:
    definition = builtin(name)
    assert definition.name == name and definition.title and definition.description
    assert all(role.description for role in definition.roles.values())
    assert max(map(len, definition.vars.values()), default=0) < VALUE_LIMIT


def test_the_example_that_the_author_is_given_is_valid() -> None:
    example = builtin("author").vars["language"].partition("Example:\n")[2]
    loaded = load_definition(example)
    assert loaded.value is not None and loaded.problems == ()


@pytest.mark.parametrize("kind", [AgentTurn, Check, Loop, ParallelGroup, UserCheckpoint])
def test_the_author_is_told_of_every_field_that_matters(kind: type[AgentTurn]) -> None:
    taught = builtin("author").vars["language"]
    assert [name for name in fields_of(kind) if name not in NOT_TAUGHT and name not in taught] == []
