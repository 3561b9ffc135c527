"""Time-outs never look at the time of day: it can be set, and then they would end early or late (faults.md R52)."""

from __future__ import annotations

import ast

from tests.unit.test_imports import PACKAGE, imported_roots, modules

WALL = {"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
SHOWS_TIMES = {
    "agents/model/editor.py": "when a message was written, for the editor's model",
    "agents/model/history.py": "how old kept sessions are, in weeks",
    "app/live.py": "the clock of a run, whose `now` is for waits that are recorded",
    "cli/words.py": "how long something has been going on, as it is shown",
    "journal/store.py": "the name of a run",
    "journal/writer.py": "when something was recorded",
}
"""Modules that look at the time of day, and for what: nothing that they wait for."""
WAITS = {"engine/waiting.py", "engine/retry.py"}
"""Modules of the engine that look at a run's `now`; how is held by `tests/unit/engine/test_retry.py`."""


def calls_of(text: str) -> set[str]:
    """Names that are called in a module, their last two parts."""
    called = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return {".".join(ast.unparse(function).split(".")[-2:]) for function in called}


def users_of(*names: str) -> set[str]:
    return {str(path.relative_to(PACKAGE)) for path in modules() if calls_of(path.read_text("utf-8")) & set(names)}


def test_r052_only_modules_that_show_or_record_times_look_at_the_time_of_day() -> None:
    assert users_of(*WALL) == set(SHOWS_TIMES)


def test_r052_only_recorded_waits_look_at_the_time_of_day_of_a_run() -> None:
    assert users_of("clock.now") == WAITS


def test_r052_r056_the_engine_has_no_clock_chance_or_environment_of_its_own() -> None:
    for path in sorted((PACKAGE / "engine").glob("*.py")):
        found = imported_roots(path) & {"time", "random", "secrets", "uuid", "os", "locale", "platform", "socket"}
        assert found <= ({"random"} if path.name == "ports.py" else set()), path


def test_r052_the_clock_is_never_imported_under_a_name_that_hides_it() -> None:
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.module == "time"), path
