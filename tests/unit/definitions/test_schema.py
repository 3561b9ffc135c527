"""The JSON Schema that editors get."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from sprintwright.definitions.schema import schema, schema_text
from tests.unit.definitions.support import EXAMPLES, REPOSITORY, TURN

VALIDATOR = Draft202012Validator(schema())


def test_the_schema_in_the_repository_is_the_one_of_the_model() -> None:
    written = (REPOSITORY / "definitions" / "workflow.schema.json").read_text("utf-8")
    assert written == schema_text(), "run: make schema"


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("name", ["careful-change", "fan", "crew"])
def test_m003_the_examples_are_valid_by_the_schema(name: str) -> None:
    VALIDATOR.validate(yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text("utf-8")))


@pytest.mark.parametrize(
    ("change", "good"),
    [
        ("roles: [dev, 7]", True), ("roles: {dev: {permissions: read_only}, other: }", True), ("title: 1.10", True),
        ("roles: {dev: {permissions: all}}", False), ("stages: []", False), ("stages: [{id: a, kind: b}]", False),
        ("vars: {a: 1, b: on, c: x}", True), ("colour: red", False), ("board: perhaps", False),
        ("close_artifacts: [a.md, {file: b.md, marker: OK}]", True), ("limits: {turns: 0}", False),
        (f"stages: [{TURN[:-1]}, artifact: plan.md}}]", True),
        (f"stages: [{TURN[:-1]}, artifact: {{file: plan.md, min_bytes: 3}}}}]", True),
        (f"stages: [{TURN[:-1]}, artifact: {{marker: x}}}}]", False),
    ],
)  # fmt: skip
def test_the_schema_takes_what_the_loader_takes(change: str, good: bool) -> None:
    base: dict[str, Any] = yaml.safe_load(f"name: x\nroles: [dev]\nstages: [{TURN}]")
    assert VALIDATOR.is_valid({**base, **yaml.safe_load(change)}) is good


def test_every_field_has_a_description() -> None:
    table = json.loads(schema_text())
    models = [table, *(model for model in table["$defs"].values() if "properties" in model)]
    assert [
        name for model in models for name, field in model["properties"].items() if not field.get("description")
    ] == []
