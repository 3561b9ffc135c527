"""What users are given is what was tested: the two lock files agree, and name no address."""

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def pins(name: str) -> dict[str, str]:
    """Version and hashes of each package."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    found = re.findall(
        r"^([\w.-]+)(==\S+)(?: ; [^\\\n]+)?((?: \\\n +--hash=sha256:[0-9a-f]{64})+)$", text, re.MULTILINE
    )
    return {name: version + hashes for name, version, hashes in found}


def test_x081_packages_in_the_extension_are_those_that_tests_run_with() -> None:
    bundled, tested = pins("requirements.lock"), pins("requirements-dev.lock")
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert " ; " not in text, "a line with a marker"
    assert len(bundled) == len(re.findall("^[^ ]", text, re.MULTILINE)), "a line without a hash"
    assert bundled.pop("pip"), "what the others are installed with"
    assert bundled and bundled.items() <= tested.items()


@pytest.mark.parametrize("name", ["launch.py", "set_up.py"])
def test_r115_scripts_of_the_extension_can_be_read_by_an_old_python_that_they_then_tell_off(name: str) -> None:
    text = (ROOT / "client-vscode" / name).read_text(encoding="ascii")  # Python 2 takes nothing else
    ast.parse(text, feature_version=(3, 4))


def test_x081_packages_the_extension_is_built_with_are_pinned_by_hash_and_name_no_address() -> None:
    lock = json.loads((ROOT / "client-vscode" / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: about for name, about in lock["packages"].items() if name}
    assert len(packages) > 100
    assert [name for name, about in packages.items() if "integrity" not in about or "resolved" in about] == []
