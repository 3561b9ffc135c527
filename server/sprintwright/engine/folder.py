"""The look at the folder before and after a turn or a check: what changed, whose change it was, how sure that is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sprintwright.engine.beside import Neighbours
from sprintwright.engine.run import Run
from sprintwright.errors import WorkspaceError
from sprintwright.model.changes import TOO_MANY, Change, Snapshot, differing, moved
from sprintwright.model.records import Noted
from sprintwright.model.results import Changed
from sprintwright.paths import runs_here

MOST_FILES = 500
"""Changed files that are recorded by name; the rest is in the snapshots."""
_MOST_NAMES = 50
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Before:
    """The folder before a leaf. ``ignored`` is looked at for those that may only read."""

    snapshot: Snapshot | None = None
    ignored: Mapping[str, str] = field(default_factory=dict[str, str])
    note: str = "No snapshot was taken before."

    @property
    def tree(self) -> str:
        """Of the snapshot; empty where there is none."""
        return self.snapshot.tree if self.snapshot is not None else ""

    @property
    def head(self) -> str:
        """Branch and commit of the user's repository; empty where there is none, or that is not known."""
        return self.snapshot.head if self.snapshot is not None else ""


async def look(run: Run, *, reads: bool = False) -> Before:
    """A snapshot; where none can be taken the reason takes its place and the run goes on."""
    try:
        snapshot = await run.ports.workspace.take()
    except WorkspaceError as error:
        return Before(note=error.message)
    _tell_of_head(run, snapshot.head)
    try:
        return Before(snapshot, await run.ports.workspace.ignored() if reads else {})
    except WorkspaceError:
        return Before(snapshot, {"what git ignores": TOO_MANY})


def _tell_of_head(run: Run, now: str) -> None:
    """Say at its first look where a resumed run's repository stands, if that is elsewhere than before (R54)."""
    before, run.left_at = run.left_at, ""
    if before and before != now:
        text = (
            f"Since this run was last at work its folder's repository moved: {before} -> {now or 'none'}. It goes on "
            "with the files as they are now; to go back, cancel it and switch the branch."
        )
        run.ports.journal.append("", Noted(code="moved", text=text))


async def compare(
    run: Run, before: Before, beside: Neighbours, *, reads: bool = False, allowed: Collection[str] = ()
) -> Changed:
    """What is different now.

    Args:
        beside: who else was at work in the folder meanwhile.
        reads: the leaf may only read, and the honest result of that is wanted.
        allowed: files whose change was agreed to.
    """
    after = await look(run, reads=reads)
    if before.snapshot is None or after.snapshot is None:
        note = before.note if before.snapshot is None else after.note
        return _unknown(before.tree, note, reads)
    try:
        files = await run.ports.workspace.changes(before.tree, after.tree) if after.tree != before.tree else ()
    except WorkspaceError as error:
        return _unknown("", error.message, reads)
    paths = {change.path for change in files}
    was, now = before.snapshot.beside, after.snapshot.beside
    also = (*moved(was, now, without=paths), *_ignored(before.ignored, after.ignored))
    programs = filter(runs_here, {*paths, *differing(was, now)})
    changed = Changed(
        before=before.tree,
        after=after.tree,
        head=after.head,
        files=files[:MOST_FILES],
        more=max(0, len(files) - MOST_FILES),
        moved=also[:_MOST_NAMES],
        programs=run.suspect({name: now.get(name, after.tree) for name in programs if name not in allowed})[
            :_MOST_NAMES
        ],
        together_with=beside.names,
        not_covered=after.snapshot.not_covered,
    )
    return _with_result(changed, beside, after.ignored) if reads else changed


def _ignored(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{name} changed, which git ignores" for name in differing(before, after))


def _unknown(before: str, why: str, reads: bool) -> Changed:
    changed = Changed(before=before, note=why)
    return _not_verified(changed, why) if reads else changed


def _with_result(changed: Changed, beside: Neighbours, ignored: Mapping[str, str]) -> Changed:
    if changed.files or changed.moved:
        if beside.wrote:
            names = ", ".join(beside.names[:_SHOWN])
            return _not_verified(changed, f"others worked in the folder at the same time: {names}")
        return changed.model_copy(update={"read_only": "changed"})
    beyond = [*changed.not_covered, *(name for name, state in ignored.items() if state == TOO_MANY)]
    if beyond:
        return _not_verified(changed, f"nobody looked into {', '.join(beyond[:_SHOWN])}")
    return changed.model_copy(update={"read_only": "unchanged"})


def _not_verified(changed: Changed, why: str) -> Changed:
    return changed.model_copy(update={"read_only": "not verified", "unsure": why})


async def shown_changes(run: Run, changes: Changed | None) -> str:
    """What a turn without words changed, as text for the next prompt; never empty (behaviours-milk.md 6.4)."""
    if changes is None or not changes.after:
        return "The turn ended without an answer, and what it changed is not known."
    if not changes.files:
        return "The turn ended without an answer and changed no files."
    names = "\n".join(f"- {change.status}: {change.path}" for change in changes.files)
    try:
        diff = await run.ports.workspace.diff(changes.before, changes.after, limit=32_768)
    except WorkspaceError as error:
        diff = f"(The difference can't be shown: {error.message})"
    return f"The turn ended without an answer. It changed these files:\n\n{names}\n\n{diff}"


def read_only_warnings(changes: Changed | None) -> tuple[str, ...]:
    """That a role which may only read changed something, in words."""
    if changes is None or changes.read_only != "changed":
        return ()
    named = [*map(_path, changes.files), *changes.moved]
    number = len(named) + changes.more - _SHOWN
    more = f" and {number} more" if number > 0 else ""
    return (f"The role is read-only, but this changed during its turn: {', '.join(named[:_SHOWN])}{more}.",)


def _path(change: Change) -> str:
    return change.path
