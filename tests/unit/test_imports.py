"""Imports go one way (design.md section 2), and what `--help` and `list` load stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "server" / "sprintwright"

BASE = {"errors", "text", "paths", "pulse", "secrets", "processes", "stops", "threads"}
BELOW = BASE | {"model", "definitions", "prompts", "reading", "engine", "state", "journal", "agents", "workspace"}
MAY = {
    **dict.fromkeys(BASE, BASE),
    "model": BASE,
    "definitions": BASE | {"model", "prompts", "reading"},
    "prompts": BASE | {"model"},
    "reading": BASE | {"model"},
    "engine": BASE | {"model", "prompts", "reading"},
    "state": BASE | {"model"},
    "journal": BASE | {"model", "engine"},
    "agents": BASE | {"model", "reading", "engine"},
    "workspace": BASE | {"model", "engine"},
    "app": BELOW,
    "language": BASE | {"model", "definitions", "prompts", "reading"},
    "lsp": BELOW | {"app", "language"},
    "cli": BELOW | {"app", "lsp"},
}


def imports_of(path: Path) -> set[str]:
    """Second part of each `sprintwright.…` name that a module imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("sprintwright.")}
    return found


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "demo" not in path.parts]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if part in ("__init__", "__main__"):
        return
    assert imports_of(path) - {"__version__", part} <= MAY[part]


def test_nothing_but_lsp_knows_the_language_server_libraries() -> None:
    for path in modules():
        if path.relative_to(PACKAGE).parts[0] == "lsp":
            continue
        assert not {"pygls", "lsprotocol"} & imported_roots(path), path


def test_nothing_but_agents_knows_the_libraries_by_which_they_are_reached() -> None:
    for path in modules():
        if path.relative_to(PACKAGE).parts[0] != "agents":
            assert not {"mcp", "mcp_types"} & imported_roots(path), path


def imported_roots(path: Path) -> set[str]:
    roots: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            roots.add(node.module.split(".")[0])
    return roots


def test_x022_there_is_no_shell_anywhere() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        for word in ("shell=True", "os.system", "create_subprocess_shell", "os.popen"):
            assert word not in text, f"{word} in {path}"


@pytest.mark.parametrize("module", ["cli.main", "cli.listing", "agents.bridge"])
def test_light_commands_load_no_heavy_package(module: str) -> None:
    code = f"import sys, sprintwright.{module}; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"acp", "mcp", "pydantic_ai", "pygls", "lsprotocol", "rich", "defusedxml", "regex"}
    if module == "cli.main":
        heavy |= {"pydantic", "yaml", "asyncio"}
    assert not heavy & set(loaded)
