"""Ignore rules that stand above a folder, as they read in it."""

import pytest

from sprintwright.workspace.ignore import rules_below


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("*.log", ["*.log"]),
        ("build/", ["build/"]),
        ("!keep.log", ["!keep.log"]),
        ("/packages/app/dist", ["/dist"]),
        ("packages/app/dist/", ["/dist/"]),
        ("packages/*/dist", ["/dist"]),
        ("!packages/app/dist/keep", ["!/dist/keep"]),
        ("**/node_modules/x", ["**/node_modules/x"]),
        ("/packages/**/tmp", ["**/tmp"]),
        ("/packages/other/dist", []),
        ("/packages/app", []),
        ("/packages/app/", []),
        ("/dist", []),
        ("# comment", []),
        ("  ", []),
    ],
)
def test_rules_of_the_top_read_below(rule: str, expected: list[str]) -> None:
    assert rules_below([rule], "packages/app") == expected


def test_at_the_top_rules_stay() -> None:
    assert rules_below(["/dist\n", "# no", "*.log"], "") == ["/dist", "*.log"]
