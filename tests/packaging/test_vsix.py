"""What is in the extension's package, and what is not."""

from __future__ import annotations

import hashlib
import re
import shutil
import zipfile
from pathlib import Path
from types import ModuleType

import pytest


def test_x080_the_package_holds_what_it_should_and_nothing_else(script: ModuleType, package: Path) -> None:
    assert script.wrong_in(package) == []


@pytest.mark.parametrize(
    "name",
    [
        "extension/dist/extension.js.map", "extension/src/extension.ts", "extension/test/unit/text.test.ts", "extension/.env",
        "extension/bundled/__pycache__/x.pyc", "extension/node_modules/x/index.js", "extension/bundled/x-1.0.tar.gz",
        "extension/scripts/package.py", "extension/bundled/deep/x-1-py3-none-any.whl",
    ],
)  # fmt: skip
def test_x080_a_file_that_does_not_belong_is_noticed(
    script: ModuleType, package: Path, tmp_path: Path, name: str
) -> None:
    changed = Path(shutil.copy(package, tmp_path))
    with zipfile.ZipFile(changed, "a") as archive:
        archive.writestr(name, "")
    assert script.wrong_in(changed) == [f"{name} does not belong into the package."]


def test_x080_a_missing_file_and_too_many_bytes_are_noticed(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "x.vsix"
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("extension/package.json", "{}")
    monkeypatch.setattr(script, "MOST_BYTES", 10)
    problems = script.wrong_in(package)
    assert "extension/set_up.py is missing in the package." in problems
    assert problems[-1].endswith("10 are the most.")


def test_the_same_files_make_the_same_package_whatever_their_modes_times_and_order(
    script: ModuleType, tmp_path: Path
) -> None:
    packages = [tmp_path / "one.vsix", tmp_path / "other.vsix"]
    for package, names, mode, year in zip(packages, ("ab", "ba"), (0o600, 0o664), (2021, 2026), strict=True):
        with zipfile.ZipFile(package, "w") as archive:
            for name in names:
                entry = zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0))
                entry.external_attr = mode << 16
                archive.writestr(entry, name)
        script.even_out(package)
    assert packages[0].read_bytes() == packages[1].read_bytes()
    assert zipfile.ZipFile(packages[0]).read("b") == b"b"


def test_each_wheel_is_named_with_its_hash_and_each_python_has_its_own(extension: Path) -> None:
    bundled = extension / "bundled"
    text = (bundled / "requirements.txt").read_text(encoding="utf-8")
    assert "://" not in text
    hashes = re.findall("sha256:([0-9a-f]{64})", text)
    wheels = [wheel for wheel in bundled.glob("*.whl") if not wheel.name.startswith("pip-")]
    assert sorted(hashes) == sorted(hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels)
    for native in ("pydantic_core", "pyyaml", "regex"):
        tags = {wheel.name.split("-")[2] for wheel in bundled.glob(f"{native}-*.whl")}
        assert tags == {"cp311", "cp312", "cp313", "cp314"}


def test_x080_the_licences_of_all_parts_are_in(extension: Path) -> None:
    assert "Apache License" in (extension / "LICENSE.txt").read_text(encoding="utf-8")
    notices = (extension / "dist" / "ThirdPartyNotices.txt").read_text(encoding="utf-8")
    assert all(name in notices for name in ("vscode-languageclient", "vscode-jsonrpc", "minimatch", "semver"))
    noted = re.findall(r"^(\w+) [\d.]+, in bundled/", notices, re.MULTILINE)
    assert noted == ["logfire_api"] and "Pydantic Services" in notices
    for wheel in (extension / "bundled").glob("*.whl"):
        names = zipfile.ZipFile(wheel).namelist()
        carried = any(re.search(r"dist-info/.*(licen[cs]e|copying)", name, re.IGNORECASE) for name in names)
        assert carried or wheel.name.split("-")[0] in noted, wheel.name


def test_our_own_wheel_has_the_program_and_no_tests(extension: Path) -> None:
    (wheel,) = (extension / "bundled").glob("sprintwright-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "sprintwright/lsp/entry.py" in names and "sprintwright/builtin/dev.yaml" in names
    assert not [name for name in names if "__pycache__" in name or "sprintwright" not in name.split("/")[0]]
