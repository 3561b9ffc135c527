"""Artifacts that are not what the run recorded, or that are there although no turn wrote them: the user decides."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from sprintwright.engine.history import History
from sprintwright.engine.ports import Artifacts
from sprintwright.errors import Refused
from sprintwright.journal.blobs import sha256
from sprintwright.model.definition import AgentTurn, ArtifactSpec, Definition, Loop, walk_stages
from sprintwright.model.records import Decided, Finished, Payload, Record, SetAside
from sprintwright.model.results import ArtifactVersion
from sprintwright.prompts.template import parse_template
from sprintwright.reading.gate import not_approved
from sprintwright.state.fold import RunState
from sprintwright.state.gates import stage_of
from sprintwright.state.tree import without_numbers

_MOST_LINES = 60

ArtifactChoice = Literal["mine", "back"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One artifact that the user has to decide about."""

    key: str
    """The leaf that wrote it, or would have to."""
    what: Literal["changed", "deleted", "found"]
    name: str
    recorded: ArtifactVersion | None
    text: str
    """What stands in the file now."""
    gate: str
    """Why that is not approved; empty when it is."""
    is_output: bool
    """Whether the file's text is the stage's output, so that its variable changes with it."""

    was: str
    """What the run recorded; empty for a file that it did not write, or that is not kept."""

    def diff(self) -> list[str]:
        """What the user changed, as lines of a unified diff; a long one is cut."""
        lines = list(
            difflib.unified_diff(
                self.was.splitlines(),
                self.text.splitlines(),
                f"{self.name} (recorded)",
                f"{self.name} (now)",
                lineterm="",
            )
        )
        more = [f"… and {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
        return lines[:_MOST_LINES] + more

    def in_words(self) -> str:
        """What happened, on one line."""
        words = {
            "changed": "was changed since the run wrote it",
            "deleted": "is gone, or no file that can be read",
            "found": "is there, but no turn of this run wrote it",
        }
        return f"{self.name} {words[self.what]}" + (f" (not approved: {self.gate})" if self.gate else "")


def differences(
    records: Iterable[Record], state: RunState, definition: Definition, files: Artifacts
) -> list[Difference]:
    """What is different, in the order of the definition; found files only from where the run stands, as far as they
    are approved without a gap (behaviours-selesai.md D3, D5)."""
    records = list(records)
    recorded, specs = _recorded(records), _specs(definition)
    cut_off = [specs[path].file for key in History.load(records).open if (path := _path_of(key)) in specs]
    found: list[Difference] = []
    for name, (key, version) in recorded.items():
        text = files.read(name)
        if (text is not None and sha256(text.encode()) == version.sha256) or _is_any(name, cut_off):
            continue
        spec = specs.get(_path_of(key))
        gate = "" if text is None or spec is None else not_approved(spec, text)
        what = "deleted" if text is None else "changed"
        was = files.read_version(version) or ""
        found.append(Difference(key, what, name, version, text or "", gate, _is_output(key, spec), was))
    return found + list(_found(definition, state, files, recorded.keys() | set(cut_off)))


def _is_any(name: str, files: Iterable[str]) -> bool:
    """Whether a leaf that was cut off may have left this file: then it is written again, and nobody is asked."""
    patterns = (re.escape(re.sub(r"\{\{.*?\}\}", "\0", file)).replace("\0", ".+") for file in files)
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def _recorded(records: Iterable[Record]) -> dict[str, tuple[str, ArtifactVersion]]:
    """Artifacts by name: the leaf that wrote each last, and what it wrote."""
    found: dict[str, tuple[str, ArtifactVersion]] = {}
    for record in records:
        if isinstance(record.payload, Finished) and "artifact" in record.payload.value:
            version = ArtifactVersion.model_validate(record.payload.value["artifact"])
            found[version.name] = (record.key, version)
        elif isinstance(record.payload, SetAside):
            gone = set(record.payload.keys)
            found = {name: entry for name, entry in found.items() if entry[0] not in gone}
    return found


def _found(definition: Definition, state: RunState, files: Artifacts, known: set[str]) -> Iterator[Difference]:
    for stage in definition.stages:
        node = state.nodes.get(stage.id)
        if node is not None and node.status in ("done", "skipped"):
            continue
        # A loop's artifact says that its passes came to a good end: only the engine can say that.
        spec = stage.artifact if isinstance(stage, AgentTurn) else None
        if spec is None or "{" in spec.file or spec.file in known:
            return
        text = files.read(spec.file)
        if text is None:
            return
        gate = not_approved(spec, text)
        yield Difference(stage.id, "found", spec.file, None, text, gate, spec.text is None, "")
        if gate:
            return


def _specs(definition: Definition) -> dict[str, ArtifactSpec]:
    return {
        path: stage.artifact
        for path, stage in walk_stages(definition.stages)
        if isinstance(stage, AgentTurn | Loop) and stage.artifact
    }


def _is_output(key: str, spec: ArtifactSpec | None) -> bool:
    """An answer as it is, or a variable as it is: a loop's `text: "{{requirements}}"` goes on as that variable."""
    if spec is None or spec.text is None:
        return True
    return key.endswith("/artifact") and bool(parse_template(spec.text).sole_name)


def _path_of(key: str) -> str:
    """The stage in the definition whose artifact a leaf writes."""
    return without_numbers(stage_of(key))


def decide(found: list[Difference], choice: ArtifactChoice | None) -> list[tuple[str, Payload]]:
    """The user's decision about all of them, as records. Raises `Refused` (`needs_choice`) when there is none."""
    if not found:
        return []
    if choice is None:
        listed = "\n".join(f"- {one.in_words()}" for one in found)
        raise Refused(
            "needs_choice",
            f"Files of the run are not as it left them:\n{listed}\n"
            "Use yours (what follows is done again): --artifacts mine. Or put the recorded ones back: --artifacts back",
            artifacts=[one.name for one in found],
            diffs={one.name: one.diff() for one in found if one.what == "changed"},
        )
    return [record for one in found for record in _decided(one, choice)]


def _decided(one: Difference, choice: ArtifactChoice) -> Iterator[tuple[str, Payload]]:
    if choice == "back" and one.recorded is not None:
        yield one.key, Decided(what="back", artifact=one.recorded)
    elif choice == "mine" and one.what == "deleted":
        yield one.key, SetAside(keys=(one.key,), reason="rerun")
    elif choice == "mine":
        data = one.text.encode()
        version = ArtifactVersion(name=one.name, sha256=sha256(data), size=len(data))
        yield (one.key, Decided(what="mine", artifact=version, text=one.text, gate=one.gate, number=int(one.is_output)))
        if not one.gate:  # who says that a file counts has looked at it
            yield f"{stage_of(one.key)}/pause", Decided(what="answer", text="continue")
