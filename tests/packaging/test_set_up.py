"""The environment of the server, made from what the package carries (X81)."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.packaging.support import NAME, OFFLINE, VERSION, carried, command, launched, set_up

REFUSED = 93
pytestmark = pytest.mark.timeout(300)


def test_x081_the_environment_is_made_from_the_package_alone(made: Path) -> None:
    assert sorted(file.name for file in made.iterdir()) == [NAME, f"{NAME}.lock"]
    assert (made / NAME / "complete").is_file()
    assert not (made / NAME / "pip").exists()


def test_one_that_is_there_is_left_and_is_made_anew_when_that_is_wished(extension: Path, tmp_path: Path) -> None:
    packages = tmp_path / "to" / NAME
    packages.mkdir(parents=True)
    (packages / "complete").touch()
    (packages / "mark").touch()
    assert set_up(extension, packages.parent).returncode == 0
    assert (packages / "mark").exists()
    assert set_up(extension, packages.parent, "again").returncode == 0
    assert not (packages / "mark").exists() and (packages / "sprintwright").is_dir()
    assert sorted(file.name for file in packages.parent.iterdir()) == [NAME, f"{NAME}.lock"]


@pytest.mark.parametrize("name", ["sprintwright", "pydantic_core", "rich"])
def test_x081_a_wheel_with_one_byte_changed_is_refused_and_nothing_is_left(
    extension: Path, tmp_path: Path, name: str
) -> None:
    changed = carried(extension, tmp_path / "extension")
    for wheel in (changed / "bundled").glob(f"{name}-*.whl"):
        data = bytearray(wheel.read_bytes())
        data[len(data) // 2] ^= 1
        wheel.write_bytes(data)
    to = tmp_path / "to"
    done = set_up(changed, to)
    assert done.returncode == REFUSED, done.stdout + done.stderr
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert [file.name for file in to.iterdir()] == [f"{NAME}.lock"]


def test_x081_wheels_without_hashes_or_one_that_is_gone_are_refused(extension: Path, tmp_path: Path) -> None:
    changed = carried(extension, tmp_path / "extension")
    listed = changed / "bundled" / "requirements.txt"
    text = listed.read_text(encoding="utf-8")
    listed.write_text(re.sub(r" --hash=\S+", "", text), encoding="utf-8")
    assert set_up(changed, tmp_path / "to").returncode == REFUSED
    listed.write_text(text, encoding="utf-8")
    next((changed / "bundled").glob("rich-*")).unlink()
    assert set_up(changed, tmp_path / "to").returncode == REFUSED
    assert [file.name for file in (tmp_path / "to").iterdir()] == [f"{NAME}.lock"]


def test_x081_settings_of_pip_do_not_count_and_no_server_is_asked(extension: Path, tmp_path: Path) -> None:
    """They would install elsewhere, build from source, and ask a server. The network is there, for that to be seen."""
    elsewhere, home, named = tmp_path / "elsewhere", tmp_path / "home", tmp_path / "named.conf"
    with socket.create_server(("127.0.0.1", 0)) as index:
        url = f"http://127.0.0.1:{index.getsockname()[1]}/simple"
        text = f"[global]\nindex-url = {url}\nno-index = false\nroot = {elsewhere}\nrequire-virtualenv = true\n"
        user, older, system = home / ".config/pip/pip.conf", home / ".pip/pip.conf", tmp_path / "system/pip/pip.conf"
        for file in (user, older, system, named):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        settings = {
            "HOME": str(home), "XDG_CONFIG_DIRS": str(system.parents[1]), "PIP_CONFIG_FILE": str(named), "PIP_INDEX_URL": url,
            "PIP_EXTRA_INDEX_URL": url, "PIP_PROXY": url, "HTTP_PROXY": url, "HTTPS_PROXY": url, "PIP_NO_INDEX": "0", "PIP_ROOT": str(elsewhere),
            "PIP_REQUIRE_VIRTUALENV": "1", "PIP_NO_BINARY": ":all:", "PIP_FIND_LINKS": url,
        }  # fmt: skip
        argv = command(extension, tmp_path / "to")
        environment = {**os.environ, **settings}
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=100)
        asked, _, _ = select.select([index], [], [], 0)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not asked and "127.0.0.1" not in done.stdout + done.stderr
    assert (tmp_path / "to" / NAME / "complete").is_file()
    assert not elsewhere.exists()


def test_a_kill_in_the_middle_leaves_no_environment_and_the_next_try_makes_it(extension: Path, tmp_path: Path) -> None:
    to = tmp_path / "to"
    making = to / f"{NAME}.making"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        command(extension, to), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    while not any(making.glob("*/lib/python/*")):  # where pip puts packages before it moves them all
        assert process.poll() is None
        time.sleep(0.005)  # a poll
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert making.exists() and not (to / NAME).exists()
    assert not list(temporary.iterdir()), "nobody would ever take it away"
    assert launched(extension, to) == (91, f"Sprintwright is not set up for Python {VERSION} yet.\n")
    assert set_up(extension, to).returncode == 0
    assert sorted(file.name for file in to.iterdir()) == [NAME, f"{NAME}.lock"]


def test_two_at_once_both_go_well(extension: Path, tmp_path: Path) -> None:
    to = tmp_path / "to"
    both = [
        subprocess.Popen(command(extension, to), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(2)
    ]
    said = [one.communicate()[0] for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    assert sorted("Successfully installed" in text for text in said) == [False, True]
    assert sorted(file.name for file in to.iterdir()) == [NAME, f"{NAME}.lock"]


def test_a_python_without_pip_venv_and_packages_of_its_own_will_do(extension: Path, tmp_path: Path) -> None:
    bare = (
        "import runpy, sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('ensurepip', 'venv', 'setuptools', 'distutils'):\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    python, isolated, *rest = command(extension, tmp_path / "to")
    argv = [python, isolated, "-S", "-c", bare, *rest[2:]]
    done = subprocess.run([*OFFLINE, *argv], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "to" / NAME / "complete").is_file()
