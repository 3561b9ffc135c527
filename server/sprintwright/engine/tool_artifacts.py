"""What our tools do with the run's artifacts: save a version, read one, list them."""

from __future__ import annotations

from collections.abc import Callable

from sprintwright.engine.ports import ToolAnswer
from sprintwright.engine.question import storable
from sprintwright.engine.run import Run
from sprintwright.engine.tool_offer import is_written_by_us
from sprintwright.errors import PathRefused
from sprintwright.paths import artifact_name
from sprintwright.text import did_you_mean, fold
from sprintwright.threads import in_thread

MOST_TEXT = 1_000_000
"""Characters of one text, given or returned."""
_MOST_LISTED = 500

Note = Callable[[str, str], None]
"""Records a code and a sentence for the user."""


def refused(text: str) -> ToolAnswer:
    """An answer that says why a call did nothing."""
    return ToolAnswer(text=text, failed=True)


async def save(run: Run, role: str, name: str, content: str, note: Note) -> ToolAnswer:
    """Write a version (K22 to K25). The definition's own artifacts are written by the engine alone: gates read them."""
    artifacts = run.ports.artifacts
    try:
        name = artifact_name(name.strip())
    except PathRefused as error:
        return refused(error.message)
    if not content.strip():
        return refused(f"There is nothing to save as {name!r}: the content is empty.")
    if is_written_by_us(run.definition, name):
        note("artifact_refused", f"{role!r} tried to save {name!r}, which only the run itself writes.")
        return refused(f"{name!r} is written by the run itself, from the answer of a turn. Choose another name.")
    before = int(artifacts.exists(name))  # of an earlier owner: at least one
    try:
        version = await artifacts.write(name, content)
    except PathRefused as error:
        return refused(f"{name!r} could not be saved: {error.message}")
    except OSError as error:
        return refused(f"{name!r} could not be saved: {error.strerror or error}.")
    number = run.saved[fold(name)] = run.saved.get(fold(name), before) + 1
    note("artifact_saved", f"{role!r} saved {name}, version {number} ({version.size} bytes).")
    return ToolAnswer(text=f"Saved {name}, version {number}.")


async def load(run: Run, name: str) -> ToolAnswer:
    """The latest version, as the call's own answer (D2)."""
    artifacts = run.ports.artifacts
    try:
        name = artifact_name(name.strip())
    except PathRefused as error:
        return refused(error.message)
    text = await in_thread(artifacts.read, name)
    if text is None:
        known = [one for one, _ in await in_thread(artifacts.names)][:_MOST_LISTED]
        there = f"There are: {', '.join(known)}." if known else "There are none yet."
        return refused(f"There is no artifact {name!r}.{did_you_mean(name, known)} {there}")
    if len(text) > MOST_TEXT:
        rest = f"(Cut after {MOST_TEXT:,} characters; the whole is in {artifacts.folder}/{name}.)"
        text = f"{text[:MOST_TEXT]}\n\n{rest}"
    return ToolAnswer(text=run.ports.mask(storable(text)))


async def listed(run: Run) -> ToolAnswer:
    """Names and sizes."""
    found = await in_thread(run.ports.artifacts.names)
    lines = [f"{name} ({size} bytes)" for name, size in found[:_MOST_LISTED]]
    if len(found) > _MOST_LISTED:
        lines.append(f"and {len(found) - _MOST_LISTED} more")
    return ToolAnswer(text="\n".join(lines) or "There are no artifacts yet.")
