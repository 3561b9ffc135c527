"""The rules of a definition (V1 to V33 and R26 of the papers), on its nodes: all are told, whatever else is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from sprintwright.definitions.name_rules import check_names
from sprintwright.definitions.names import names_in
from sprintwright.definitions.nodes import MappingNode
from sprintwright.definitions.outline import Outline, outline_of
from sprintwright.definitions.stage_rules import check_stage
from sprintwright.definitions.template_rules import check_templates
from sprintwright.model.problem import Problem

_MOST_PROBLEMS = 200
"""Each may be compared with every name of the file: without a bound that is quadratic."""


def check_rules(root: MappingNode) -> Iterator[Problem]:
    """What a definition's model can't say: how its parts must fit each other; at most 200 problems."""
    yield from islice(_every(outline_of(root)), _MOST_PROBLEMS)


def _every(outline: Outline) -> Iterator[Problem]:
    names = names_in(outline)
    yield from check_names(outline, names)
    for stage in outline.every():
        yield from check_stage(stage, outline)
    yield from check_templates(outline, names)
