"""What reading definitions and prompts costs to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

_LIGHT = {
    "sprintwright",
    "pydantic",
    "pydantic_core",
    "yaml",
    "_yaml",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
}


@pytest.mark.parametrize("module", ["sprintwright.prompts.budget", "sprintwright.definitions.discovery"])
def test_nothing_heavy_is_imported(module: str) -> None:
    code = f"import {module}, sys; print(*{{name.partition('.')[0] for name in sys.modules}} - sys.stdlib_module_names)"
    found = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    outside = {name for name in found if not name.startswith(("__", "_distutils", "_editable", "_sysconfigdata"))}
    assert outside <= _LIGHT
