"""git: rows X39 to X43 of the faults paper. Nothing of a repository runs, and nothing of ours travels."""

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.repositories import fingerprint, git, repository

from sprintwright.errors import WorkspaceError
from sprintwright.processes import FinishedBytes, run_bytes
from sprintwright.workspace.git import SAFE, Git
from sprintwright.workspace.repository import find_repository
from sprintwright.workspace.restore import Restorer
from sprintwright.workspace.snapshots import Snapshots

PROGRAM_KEYS = [
    *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy"),
    *("core.alternateRefsCommand", "gpg.program", "gpg.ssh.program", "credential.helper", "diff.external"),
    *("diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process"),
    *("merge.evil.driver", "interactive.diffFilter", "sequence.editor", "uploadpack.packObjectsHook", "pager.diff"),
    *("trailer.evil.command", "alias.ls-files", "alias.write-tree"),
]
HOOKS = ["pre-commit", "post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "post-commit"]


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "CANARY"


def untouched(canary: Path) -> None:
    assert not canary.exists()


@pytest.fixture
def hostile(tmp_path: Path, canary: Path) -> Path:
    """A repository that points everything which can run a program at the canary."""
    project = repository(tmp_path / "project", {"a.py": "one\n", "b.bin": "two\n"})
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    hooks = project / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in HOOKS:
        shutil.copy(trap, hooks / hook)
    (project / ".gitattributes").write_text(
        "* filter=evil diff=evil merge=evil text eol=crlf ident working-tree-encoding=UTF-16\n"
    )
    for key in PROGRAM_KEYS:
        git(project, "config", key, str(trap))
    for key, value in (
        ("core.hooksPath", str(hooks)),
        ("commit.gpgSign", "true"),
        ("filter.evil.required", "true"),
        ("remote.origin.url", f"ext::{trap}"),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
        ("submodule.recurse", "true"),
    ):
        git(project, "config", key, value)
    return project


async def every_operation(project: Path, tool: Git | None = None) -> None:
    snapshots = Snapshots(project, git=tool)
    before = await snapshots.take()
    (project / "a.py").write_text("one\r\n$Id$\n")
    (project / "new").write_text("new\n")
    (project / "b.bin").unlink()
    after = await snapshots.take()
    assert [change.path for change in await snapshots.changes(before.tree, after.tree)] == ["a.py", "b.bin", "new"]
    diff = await snapshots.diff(before.tree, after.tree)
    assert "+one\r\n+$Id$\n" in diff
    await snapshots.keep("run", before.tree)
    await snapshots.keep("run", after.tree)
    await snapshots.drop("run")
    await snapshots.has_history()
    await snapshots.is_empty()
    assert before.beside["branch"]


async def test_x039_x040_nothing_of_a_hostile_repository_runs_or_is_written(hostile: Path, canary: Path) -> None:
    before = fingerprint(hostile / ".git")
    await every_operation(hostile)
    untouched(canary)
    assert fingerprint(hostile / ".git") == before


async def test_x039_x040_nor_of_what_an_agent_put_into_our_store(hostile: Path, canary: Path) -> None:
    await Snapshots(hostile).take()
    store = hostile / ".sprintwright/snapshots.git"
    shutil.copy(hostile / ".git/config", store / "config")
    (store / "info/attributes").write_text("* filter=evil\n")
    shutil.copytree(hostile / ".git/hooks", store / "hooks")
    await every_operation(hostile)
    untouched(canary)
    assert "trap" not in (store / "config").read_text()


async def test_x040_nor_what_the_users_own_configuration_has_for_other_places(
    hostile: Path, canary: Path, tmp_path: Path
) -> None:
    """`git lfs install` puts its filter there; a `.gitattributes` of the folder would start it."""
    shutil.copy(hostile / ".git/config", tmp_path / ".gitconfig")
    await every_operation(hostile, Git(hostile, {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}))
    untouched(canary)


async def test_x039_every_call_is_made_in_the_same_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, log, bin_ = (
        repository(tmp_path / "project", {"a.py": "1", "b.bin": "2"}),
        tmp_path / "log",
        tmp_path / "bin",
    )
    bin_.mkdir()
    real = shutil.which("git")
    code = (
        f"import json, os, sys\n"
        f"with open({str(log)!r}, 'a') as log: print(json.dumps([sys.argv[1:], dict(os.environ)]), file=log)\n"
        f"os.execv({real!r}, ['git', *sys.argv[1:]])\n"
    )
    (bin_ / "logged.py").write_text(code)
    python, script = shlex.quote(sys.executable), shlex.quote(str(bin_ / "logged.py"))
    (bin_ / "git").write_text(f'#!/bin/sh\nexec {python} -I {script} "$@"\n')
    (bin_ / "git").chmod(0o755)
    parent = {"PATH": f"{bin_}:{os.environ['PATH']}", "HOME": str(tmp_path), "GIT_DIR": "/elsewhere", "GIT_TRACE": "1"}
    await every_operation(project, Git(project, parent))
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    verbs: set[str] = set()
    for argv, environment in calls:
        variables = {name: value for name, value in environment.items() if name.startswith("GIT_")}
        identity = {name for name in variables if "AUTHOR" in name or "COMMITTER" in name}
        assert {name: variables[name] for name in variables.keys() - identity} == {
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ASKPASS": "",
        }
        assert environment["LC_ALL"] == "C"
        if argv == ["--version"]:
            continue
        assert tuple(argv[: len(SAFE)]) == SAFE
        verbs.add(next(word for word in argv[len(SAFE) :] if not word.startswith("-") and "=" not in word))
    assert verbs == {
        *("ls-files", "diff-files", "update-index", "write-tree", "diff-tree", "show-ref"),
        *("for-each-ref", "commit-tree", "update-ref", "prune", "rev-parse"),
    }, "a network verb, or one whose behaviour the user configures, needs a thought first (X42)"


@pytest.mark.parametrize("setting", ["core.fsmonitor=false", "protocol.allow=never", "safe.bareRepository=explicit"])
def test_x039_the_settings_that_matter_most_are_there(setting: str) -> None:
    assert SAFE[SAFE.index(setting) - 1] == "-c"


async def test_x039_the_users_own_ignore_file_keeps_secrets_out(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (home / ".gitconfig").write_text(f"[core]\n\texcludesFile = {home}/ignored\n\tautocrlf = true\n")
    (home / "ignored").write_text(".env\n")
    (project / ".env").write_text("KEY=x")
    (project / "a").write_bytes(b"a\r\n")
    taken = await Snapshots(project, git=Git(project, {"PATH": os.environ["PATH"], "HOME": str(home)})).take()
    store = f"--git-dir={project}/.sprintwright/snapshots.git"
    assert git(project, store, "ls-tree", "--name-only", taken.tree) == "a\n"
    assert git(project, store, "ls-tree", "-l", taken.tree).split()[3] == "3"


def test_x041_a_git_file_must_be_named_back(tmp_path: Path) -> None:
    elsewhere = repository(tmp_path / "elsewhere")
    project = tmp_path / "project"
    project.mkdir()
    (project / ".git").write_text(f"gitdir: {elsewhere}/.git\n")
    with pytest.raises(WorkspaceError, match="does not name it back"):
        find_repository(project)
    (project / ".git").unlink()
    (project / ".git").symlink_to(elsewhere / ".git")
    with pytest.raises(WorkspaceError, match="neither a folder nor a file"):
        find_repository(project)


def test_x041_worktrees_and_submodules_are_believed(tmp_path: Path) -> None:
    project = repository(tmp_path / "project")
    git(project, "worktree", "add", "-q", "../tree")
    git(project, "submodule", "--quiet", "add", "../project", "sub")
    for folder in (tmp_path / "tree", project / "sub"):
        found = find_repository(folder)
        assert found is not None
        assert found.root == folder
    tree = find_repository(tmp_path / "tree")
    assert tree is not None
    assert tree.common_dir == project / ".git"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_x041_a_repository_of_another_user_above_the_folder_is_not_used(tmp_path: Path) -> None:
    repository(tmp_path / "top", {"app/a": "x"})
    os.chown(tmp_path / "top/.git", 65534, 65534)
    with pytest.raises(WorkspaceError, match="another user"):
        find_repository(tmp_path / "top/app")


async def test_x041_a_bare_repository_in_the_tree_is_files_and_nothing_more(tmp_path: Path, canary: Path) -> None:
    project = repository(tmp_path / "project")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {canary}\n", encoding="utf-8")
    trap.chmod(0o755)
    git(project, "init", "-q", "--bare", "hidden")
    git(project / "hidden", "config", "core.fsmonitor", str(trap))
    git(project / "hidden", "config", "core.worktree", str(project))
    taken = await Snapshots(project).take()
    assert taken.not_covered == ()
    with pytest.raises(WorkspaceError, match="bare repository"):
        await Snapshots(project / "hidden").take()
    untouched(canary)


async def test_x043_snapshots_do_not_travel_and_survive_the_users_gc(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", {"a.py": "one\n", ".gitignore": ".sprintwright\n"})
    git(tmp_path, "init", "-q", "--bare", "mirror.git")
    counted, refs = git(project, "count-objects", "-v"), git(project, "for-each-ref")
    (project / ".env").write_text("SECRET=1\n")
    snapshots = Snapshots(project)
    before = await snapshots.take()
    await snapshots.keep("run", before.tree)
    (project / "a.py").write_text("two\n")
    after = await snapshots.take()
    assert (git(project, "count-objects", "-v"), git(project, "for-each-ref")) == (counted, refs)
    git(project, "push", "-q", "--mirror", "../mirror.git")
    sent = git(tmp_path / "mirror.git", "cat-file", "--batch-check", "--batch-all-objects")
    assert git(project, "hash-object", ".env").strip() not in sent
    git(project, "gc", "-q", "--prune=now")
    assert "-one\n+two\n" in await snapshots.diff(before.tree, after.tree)
    assert (project / ".sprintwright/snapshots.git").stat().st_mode & 0o777 == 0o700


async def test_x021_names_of_files_and_runs_are_never_options_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("--upload-pack=x", "-c core.sshCommand=x", "-oProxyCommand=x", "--dangerously-skip-permissions")
    project = tmp_path / "project"
    repository(project, {"a.py": "1", **dict.fromkeys(names, "old\n")})
    asked: list[list[str]] = []

    async def run(argv: list[str], **more: Any) -> FinishedBytes:
        asked.append(argv)
        return await run_bytes(argv, **more)

    monkeypatch.setattr("sprintwright.workspace.git.run_bytes", run)
    snapshots = Snapshots(project)
    before = await snapshots.take()
    for name in names:
        (project / name).write_text("new\n")
    after = await snapshots.take()
    assert {change.path for change in await snapshots.changes(before.tree, after.tree)} == set(names)
    assert (await snapshots.diff(before.tree, after.tree)).count("+new\n") == len(names)
    for run_id in names:
        with pytest.raises(WorkspaceError, match="is no run id"):
            await snapshots.keep(run_id, after.tree)
    restorer = Restorer(project, Git(project))
    await restorer.apply(await restorer.plan(after, before.tree))
    assert (project / names[0]).read_text() == "old\n"
    assert not {word for argv in asked for word in argv} & set(names)
