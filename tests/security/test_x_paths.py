"""Files and paths: rows X29 to X36 of the faults paper."""

import os
import threading
import unicodedata
from pathlib import Path

import pytest

from sprintwright.errors import PathRefused
from sprintwright.paths import (
    artifact_name,
    is_protected,
    make_private_dir,
    open_beneath,
    protection,
    read_beneath,
    relative_inside,
    resolve_inside,
    write_atomic,
)

FOLDER = Path("/w/app")
LEAVING = [
    *("..", "../a", "a/..", "a/../../b", "a/../b", "./..", "a\\..\\b", "..\\a", "/", "//", "/etc/passwd", "/w/app"),
    *("/w/app-evil/a", "/w/appx", "/w/app/../b", "/w", "C:\\a", "c:a", "C:/a", "\\a", "\\\\server\\share"),
    *("//server/share", "\\\\?\\C:\\a", "\\\\.\\pipe\\x", "", ".", "./", "a\0b", "a\nb", "a\x1bb", "a\x7fb", "a\x85b"),
    *("\ud800", "a/" * 3000, "x" * 256, "é" * 200, "a/\u2028/b"),
]
NOT_EVERYWHERE = [
    *("a.", "a ", " a", "a/b./c", "a:b", "a::$DATA", ".git::$INDEX_ALLOCATION", "con", "CON", "con.txt", "NUL.tar.gz"),
    *(
        "com1",
        "COM¹",
        "lpt9.log",
        "aux ",
        "prn.",
        "a<b",
        "a>b",
        'a"b',
        "a|b",
        "a?b",
        "a*b",
        "a\\b",
        "x/nul/y",
        "CONIN$",
    ),
]


@pytest.mark.parametrize("path", LEAVING)
def test_x029_paths_that_leave_or_are_none_are_refused(path: str) -> None:
    for creating in (False, True):
        with pytest.raises(PathRefused):
            relative_inside(path, FOLDER, creating=creating)


@pytest.mark.parametrize("path", NOT_EVERYWHERE)
def test_x029_names_that_some_system_could_not_hold_are_not_created(path: str) -> None:
    with pytest.raises(PathRefused):
        relative_inside(path, creating=True)


@pytest.mark.parametrize("path", ["/w/app/a", "/a"])
def test_x029_absolute_paths_need_a_folder(path: str) -> None:
    with pytest.raises(PathRefused, match="absolute"):
        relative_inside(path)


@pytest.mark.parametrize("path", ["~/a", "$HOME/a", "%USERPROFILE%/a", "...", "..a", "connect", "com10", "nulls.txt"])
def test_x029_plain_names_are_plain(path: str) -> None:
    assert relative_inside(path, creating=path != "...") == path


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """A folder, and what stands outside of it."""
    folder, outside = tmp_path / "w", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "CANARY").write_text("untouched")
    return folder, outside


def test_x029_links_are_resolved_and_compared_by_parts(place: tuple[Path, Path]) -> None:
    folder, outside = place
    (folder / "out").symlink_to(outside)
    (folder / "loop").symlink_to("loop")
    (folder.parent / "w-evil").mkdir()
    (folder / "twin").symlink_to("../w-evil")
    for path in ("out/CANARY", "out", "twin/a", "loop", "loop/a"):
        with pytest.raises(PathRefused):
            resolve_inside(folder, path)


def test_x030_no_part_of_a_path_is_a_link(place: tuple[Path, Path]) -> None:
    folder, outside = place
    (folder / "out").symlink_to(outside)
    (folder / "file").symlink_to(outside / "CANARY")
    for rel in ("out/CANARY", "file"):
        with pytest.raises(PathRefused, match="symbolic link"):
            read_beneath(folder, rel, 100)
        with pytest.raises(PathRefused, match="symbolic link"):
            write_atomic(folder, rel, b"x")
        with pytest.raises(PathRefused, match="symbolic link"):
            open_beneath(folder, rel, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    assert (outside / "CANARY").read_text() == "untouched"


def test_x030_a_file_with_a_second_name_is_not_written(place: tuple[Path, Path]) -> None:
    folder, outside = place
    os.link(outside / "CANARY", folder / "hard")
    with pytest.raises(PathRefused, match="second name"):
        open_beneath(folder, "hard", os.O_WRONLY | os.O_TRUNC)
    write_atomic(folder, "hard", b"replaced")
    assert (outside / "CANARY").read_text() == "untouched"


def test_x030_a_folder_swapped_for_a_link_never_leads_outside(place: tuple[Path, Path]) -> None:
    folder, outside = place
    (outside / "a").write_text("outside")
    real, link, name = folder / "real", folder / "link", folder / "d"
    real.mkdir()
    (real / "a").write_text("inside")
    link.symlink_to(outside)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for source in (real, link):
                source.rename(name)
                name.rename(source)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for _ in range(2_000):
            try:
                assert read_beneath(folder, "d/a", 100) in (b"inside", b"written")
                write_atomic(folder, "d/a", b"written")
            except (PathRefused, FileNotFoundError, NotADirectoryError):
                continue
    finally:
        done.set()
        swapper.join()
    assert (outside / "a").read_text() == "outside"
    assert {path.name for path in outside.iterdir()} == {"CANARY", "a"}


def test_x031_only_regular_files_are_read_and_at_once(place: tuple[Path, Path]) -> None:
    folder, _ = place
    os.mkfifo(folder / "fifo")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "environ").symlink_to("/proc/self/environ")
    (folder / "folder").mkdir()
    with (folder / "sparse").open("wb") as file:
        file.truncate(10 * 2**30)
    for name in ("fifo", "zero", "environ", "folder", "sparse"):
        with pytest.raises(PathRefused):
            read_beneath(folder, name, 1_000)
    for name in ("fifo", "folder"):
        with pytest.raises((PathRefused, IsADirectoryError)):
            open_beneath(folder, name, os.O_WRONLY)
        with pytest.raises(PathRefused):
            write_atomic(folder, name, b"x")


def test_x031_never_more_than_the_cap_is_read(place: tuple[Path, Path]) -> None:
    folder, _ = place
    (folder / "a").write_bytes(b"x" * 11)
    with pytest.raises(PathRefused, match="larger than 10 bytes"):
        read_beneath(folder, "a", 10)
    assert len(read_beneath(folder, "a", 11)) == 11


REFUSED = [".sprintwright/config.yaml", ".git/config", "sub/.git/hooks/pre-commit", ".vscode/tasks.json"]
ASKS = [
    *(".idea/a", ".mcp.json", ".claude/settings.json", ".codex/config.toml", ".gemini/a", ".cursor/mcp.json"),
    *(".github/workflows/ci.yml", ".devcontainer/devcontainer.json", ".husky/pre-commit", ".envrc", "a.code-workspace"),
    *(".bashrc", ".gitconfig", ".ssh/config", "sub/.claude/settings.json"),
]


def disguises(path: str) -> list[str]:
    full_width = "".join(chr(ord(letter) + 0xFEE0) if letter.isalpha() else letter for letter in path)
    return [
        path,
        path.upper(),
        path.title(),
        unicodedata.normalize("NFD", path),
        full_width,
        path.replace("/", "\u200c/"),
        path.replace(".", ".\u200d", 1),
        path.replace("/", "\ufe0f/"),
        path.replace("/", "./"),
        path.replace("/", " /"),
        path.replace("/", "\\"),
        path.replace("/", "::$INDEX_ALLOCATION/"),
    ]


@pytest.mark.parametrize("path", REFUSED)
def test_x032_our_and_gits_places_are_refused_in_every_disguise(path: str) -> None:
    for disguise in disguises(path):
        assert protection(disguise) == "refused", ascii(disguise)


@pytest.mark.parametrize("path", ASKS)
def test_x032_places_that_run_code_ask_in_every_disguise(path: str) -> None:
    for disguise in disguises(path):
        assert protection(disguise) == "asks", ascii(disguise)


@pytest.mark.parametrize(
    "path",
    [
        "GIT~1/config",
        "git~4/x",
        "VSCODE~1/a",
        "SPRINT~1/a",
        "CLAUDE~1/a",
        "GI7EBA~1/config",
        "MCP~1.JSO",
        "github~1/workfl~1/a",
    ],
)
def test_x032_short_names_are_known(path: str) -> None:
    assert is_protected(path)


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        ".gitignore",
        ".gitattributes",
        "git/config",
        ".github/CODEOWNERS",
        "docs/claude.md",
        "x~1",
        "legit~1",
        "workspace",
    ],
)
def test_x032_other_places_are_free(path: str) -> None:
    assert not is_protected(path)


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_x035_files_and_folders_are_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        make_private_dir(tmp_path / "own")
        make_private_dir(tmp_path / "own" / "deep")
        write_atomic(tmp_path / "own", "deep/a", b"x")
    finally:
        os.umask(before)
    for path in (tmp_path / "own").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o700


def test_x035_a_folder_that_others_could_enter_is_closed(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own").chmod(0o777)
    make_private_dir(tmp_path / "own")
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_x035_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    os.chown(tmp_path / "own", 65534, 65534)
    with pytest.raises(PathRefused, match="another user"):
        make_private_dir(tmp_path / "own")


def test_x035_a_planted_temporary_name_is_never_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "CANARY"
    outside.write_text("untouched")
    folder = tmp_path / "w"
    folder.mkdir()

    def token(_size: int) -> str:
        return "guessed"

    monkeypatch.setattr("sprintwright.paths.writing.secrets.token_hex", token)
    (folder / ".tmp-guessed").symlink_to(outside)
    with pytest.raises(FileExistsError):
        write_atomic(folder, "a", b"x")
    assert outside.read_text() == "untouched"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "journal.jsonl",
            "lock",
            "LOCK",
            "definition.yaml",
            "Definition.YAML",
            "transcripts",
            "blobs",
            ".hidden",
            "-x",
        ),
        *(
            "",
            ".",
            "..",
            "a/b",
            "a\\b",
            "../a",
            "a\0",
            "a\n",
            "é.md",
            "a:b",
            "con",
            "nul.md",
            "a.",
            "a ",
            " a",
            "x" * 101,
        ),
        *("a$b", "`a`", "a;b", "journal.jsonl "),
    ],
)
def test_x036_artifact_names_are_plain(name: str) -> None:
    with pytest.raises(PathRefused):
        artifact_name(name)
