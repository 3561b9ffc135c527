"""The JSON Schema of definition files, made from the model, for editors that know nothing of Sprintwright."""

from __future__ import annotations

import json
from typing import Any, cast

from sprintwright.model.definition import Definition

_ID = "https://sprintwright.dev/workflow.schema.json"
_SCALARS = ["string", "number", "boolean"]
"""Types that YAML editors give to plain scalars; where text is expected all of them are text."""


def schema() -> dict[str, Any]:
    """The schema (draft 2020-12)."""
    generated = Definition.model_json_schema(by_alias=True)
    top: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": _ID, **generated}
    top["title"] = "Sprintwright workflow"
    _string_first(top)
    properties, kinds = top["properties"], top["$defs"]
    properties["roles"] = _list_or_map(properties["roles"])
    spec = {"$ref": "#/$defs/ArtifactSpec"}
    file = {"type": "string", "description": kinds["ArtifactSpec"]["properties"]["file"]["description"]}
    properties["close_artifacts"]["items"] = {"anyOf": [file, spec]}
    for kind in ("AgentTurn", "Loop"):
        kinds[kind]["properties"]["artifact"]["anyOf"] = [file, spec, {"type": "null"}]
    return top


def _list_or_map(roles: dict[str, Any]) -> dict[str, Any]:
    names = {"type": "array", "items": {"type": list(_SCALARS)}}
    role = {"anyOf": [roles["additionalProperties"], {"type": "null"}]}
    return {
        "description": roles["description"],
        "default": [],
        "anyOf": [names, {"type": "object", "additionalProperties": role}],
    }


def schema_text() -> str:
    """The schema as it is written to `definitions/workflow.schema.json`: the same bytes for the same model."""
    return json.dumps(schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _string_first(node: object) -> None:
    """Wherever free text is expected, allow what editors take plain scalars for; drop what only OpenAPI knows."""
    if isinstance(node, list):
        for item in cast("list[object]", node):
            _string_first(item)
    elif isinstance(node, dict):
        table = cast("dict[str, Any]", node)
        if table.get("type") == "string" and not {"enum", "const"} & table.keys():
            table["type"] = list(_SCALARS)
        if isinstance(table.get("discriminator"), dict):
            del table["discriminator"]
        if isinstance(table.get("properties"), dict):
            for field in table["properties"].values():
                field.pop("title", None)
        for value in table.values():
            _string_first(value)
