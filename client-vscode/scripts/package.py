"""Builds the extension's package, with everything that a machine without a network needs: ``make vsix``.

Run by the project's own Python. Wheels of the packages that the server needs are fetched by name and held to the hashes
of ``requirements.lock``; our own is built here. What is in the package is held to ``contents.txt``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

CLIENT = Path(__file__).resolve().parents[1]
ROOT = CLIENT.parent
LOCK = ROOT / "requirements.lock"
BUNDLED = CLIENT / "bundled"
TARGET = "linux-x64"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_17_x86_64")
"""Any system that VS Code itself runs on has these."""
MOST_BYTES = 35_000_000
"""More would be a surprise. Wheels for four Pythons are most of it; 5 MB are `cryptography`, which `mcp` loads whatever
it does; 3.5 MB are what agents of kind `editor` need."""
SAME_MAKER = {"logfire_api": "pydantic_graph"}
"""Packages without a text of their licence (by their metadata the same one), and one of their makers that has it."""
REPRODUCIBLE = {**os.environ, "SOURCE_DATE_EPOCH": "1577836800"}
INSTALLER = "pip"
"""Carried to install the others with; not installed itself."""

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)==(?P<version>\S+)(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})+)")


def main() -> None:
    """Build it."""
    run("node", "esbuild.mjs")
    copy(ROOT / "LICENSE", CLIENT / "LICENSE")
    copy(ROOT / "definitions" / "workflow.schema.json", CLIENT / "schemas" / "workflow.schema.json")
    (CLIENT / "dist" / "ThirdPartyNotices.txt").write_text(notices(), encoding="utf-8")
    bundle()
    version = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))["version"]
    package = CLIENT / f"sprintwright-{TARGET}-{version}.vsix"
    options = ("--no-dependencies", "--no-rewrite-relative-links", "--target", TARGET)
    run("node_modules/.bin/vsce", "package", *options, "-o", str(package))
    even_out(package)
    problems = wrong_in(package)
    if problems:
        package.unlink()
        sys.exit("\n".join(problems))
    print(f"{package.relative_to(ROOT)}: {package.stat().st_size / 1e6:.1f} MB")


def bundle() -> None:
    """Make the folder of wheels anew, with ``requirements.txt``, which names each with its hash."""
    shutil.rmtree(BUNDLED, ignore_errors=True)
    shutil.copytree(fetched(), BUNDLED)
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(BUNDLED), cwd=ROOT)
    lines: dict[str, list[str]] = {}
    for wheel in sorted(BUNDLED.glob("*.whl")):
        name, version, *_ = wheel.name.split("-")
        hashes = lines.setdefault(f"{name.replace('_', '-').lower()}=={version}", [])
        hashes.append(f"--hash=sha256:{digest(wheel)}")
    installed = [pin for pin in lines if not pin.startswith(f"{INSTALLER}==")]
    text = "".join(f"{pin} {' '.join(lines[pin])}\n" for pin in installed)
    (BUNDLED / "requirements.txt").write_text(text, encoding="utf-8")


def fetched() -> Path:
    """The folder of all wheels of the lock file, fetched when they are not there yet."""
    pins = locked(LOCK.read_text(encoding="utf-8"))
    key = hashlib.sha256(json.dumps([pins, PYTHONS, PLATFORMS]).encode()).hexdigest()[:16]
    folder = CLIENT / "out" / f"wheels-{key}"
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            wheels = Path(made) / "wheels"
            for python in PYTHONS:
                platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
                run(
                    sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                    "--require-hashes", "--only-binary", ":all:", "--python-version", python, *platforms,
                    "--dest", str(wheels), "--requirement", str(LOCK),
                )  # fmt: skip
            wheels.rename(folder)
    for wheel in folder.iterdir():
        if digest(wheel) not in {one for hashes in pins.values() for one in hashes}:
            sys.exit(f"{wheel} is not what {LOCK.name} has: remove {folder} and try again.")
    return folder


def locked(text: str) -> dict[str, list[str]]:
    """The hashes of each ``name==version``."""
    pins: dict[str, list[str]] = {}
    for line in re.sub(r" \\\n +", " ", text).splitlines():
        found = _REQUIREMENT.fullmatch(line)
        if found is None:  # pip would judge a marker by the Python that fetches, not by the one that is fetched for
            sys.exit(f"{LOCK.name}: {line[:80]!r} has a marker, or is no pinned requirement; package.py can't take it.")
        pins[f"{found['name']}=={found['version']}"] = re.findall("[0-9a-f]{64}", found["hashes"])
    return pins


def notices() -> str:
    """The licences of the JavaScript packages that are bundled into ``dist/extension.js``."""
    listed = run("npm", "ls", "--omit=dev", "--all", "--parseable").splitlines()[1:]
    parts = ["Parts of other projects in dist/extension.js, with their licences.\n"]
    for folder in sorted(map(Path, listed)):
        about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        texts = [file for file in sorted(folder.iterdir()) if re.match(r"licen[cs]e", file.name, re.IGNORECASE)]
        if not texts:
            sys.exit(f"{folder} has no file of its licence.")
        parts.append(f"{'-' * 80}\n{about['name']} {about['version']} ({about['license']})\n")
        parts += [text.read_text(encoding="utf-8").strip() + "\n" for text in texts]
    return "\n".join([*parts, *notices_of_wheels()])


def notices_of_wheels() -> Iterator[str]:
    """The licences of Python packages whose own wheels have no text of theirs; the others carry it."""
    for wheel in sorted(fetched().glob("*.whl")):
        name, version, *_ = wheel.name.split("-")
        if licence_in(wheel):
            continue
        if name not in SAME_MAKER:
            sys.exit(f"{wheel.name} has no file of its licence.")
        (theirs,) = fetched().glob(f"{SAME_MAKER[name]}-*.whl")
        yield f"{'-' * 80}\n{name} {version}, in bundled/, by the makers of {SAME_MAKER[name]} and under its licence\n"
        yield licence_in(theirs).strip() + "\n"


def licence_in(wheel: Path) -> str:
    """The text of the licence that a wheel carries; empty: none."""
    with zipfile.ZipFile(wheel) as archive:
        found = [
            name for name in archive.namelist() if re.search(r"dist-info/.*(licen[cs]e|copying)", name, re.IGNORECASE)
        ]
        texts = (archive.read(name).decode("utf-8", "replace") for name in found)
        return next(filter(None, texts), "")


def even_out(package: Path) -> None:
    """Write the archive again without what is of this machine: the modes and the order of files."""
    with zipfile.ZipFile(package) as archive:
        files = {name: archive.read(name) for name in sorted(archive.namelist())}
    with zipfile.ZipFile(package, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)


def wrong_in(package: Path) -> list[str]:
    """What is in the package and should not be, and what should be and is not."""
    with zipfile.ZipFile(package) as archive:
        names = archive.namelist()
    patterns = (Path(__file__).with_name("contents.txt")).read_text(encoding="utf-8").split()
    extra = [name for name in names if not any(fits(name, pattern) for pattern in patterns)]
    missing = [pattern for pattern in patterns if not any(fits(name, pattern) for name in names)]
    problems = [f"{name} does not belong into the package." for name in extra]
    problems += [f"{pattern} is missing in the package." for pattern in missing]
    if package.stat().st_size > MOST_BYTES:
        problems.append(f"The package has {package.stat().st_size} bytes; {MOST_BYTES} are the most.")
    return problems


def fits(name: str, pattern: str) -> bool:
    """Whether a pattern means this file; ``*`` stands for no slash."""
    parts, wanted = name.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def digest(file: Path) -> str:
    """Its SHA-256."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def copy(source: Path, target: Path) -> None:
    """Copy a file; its folder is made."""
    target.parent.mkdir(exist_ok=True)
    shutil.copyfile(source, target)


def run(*argv: str, cwd: Path = CLIENT) -> str:
    """Run a program; what it said is shown only when it failed."""
    done = subprocess.run(argv, cwd=cwd, env=REPRODUCIBLE, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{argv[0]} failed ({done.returncode}).")
    return done.stdout


if __name__ == "__main__":
    main()
