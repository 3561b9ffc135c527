"""What a run leaves beside its journal: artifacts, whole texts, transcripts, reports."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import Iterable
from typing import TextIO

from sprintwright.engine.ports import Stream
from sprintwright.errors import PathRefused, Refused, RunUnreadable
from sprintwright.journal.blobs import Blobs, sha256
from sprintwright.journal.store import RunFolder
from sprintwright.model.records import Decided, Payload
from sprintwright.model.results import ArtifactVersion
from sprintwright.paths import artifact_name, make_private_dir, open_beneath, read_beneath, refuse_links, write_atomic
from sprintwright.stops import stop

_MOST_ARTIFACT = 64 * 1024 * 1024
_MOST_TRANSCRIPT = 100 * 1024 * 1024


class RunFiles:
    """Implements `sprintwright.engine.ports.Artifacts` in the run's folder."""

    def __init__(self, place: RunFolder) -> None:
        self._place = place
        self._blobs = Blobs(place.path)

    async def write(self, name: str, text: str) -> ArtifactVersion:
        """Write one version, old or new but never mixed; it is kept as a blob, so that it can be put back."""
        data = text.encode()
        await asyncio.to_thread(self._write, name, data)
        return ArtifactVersion(name=name, sha256=sha256(data), size=len(data))

    @property
    def folder(self) -> str:
        """Where the artifacts are, from the workspace's folder."""
        return f".sprintwright/runs/{self._place.run_id}/artifacts"

    def _write(self, name: str, data: bytes) -> None:
        self._blobs.write(sha256(data), data)
        write_atomic(self._place.path, f"artifacts/{name}", data)
        stop("artifact.written")

    def read(self, name: str) -> str | None:
        """The file as it is now: a regular file beneath the folder, of a size that can be read."""
        try:
            return read_beneath(self._place.path, f"artifacts/{name}", _MOST_ARTIFACT).decode("utf-8", "replace")
        except (OSError, PathRefused):
            return None

    def read_version(self, version: ArtifactVersion) -> str | None:
        """The version from its blob."""
        try:
            return self._blobs.read(version.sha256)
        except (OSError, RunUnreadable):
            return None

    def settle(self, payloads: Iterable[Payload]) -> None:
        """What decisions about artifacts need of the files: the user's versions kept, recorded ones put back.

        Raises:
            Refused: a recorded version is not kept any more; nothing was changed.
            OSError, PathRefused: a file can't be written.
        """
        decided = [one for one in payloads if isinstance(one, Decided) and one.artifact is not None]
        for one in decided:
            if one.what == "back" and one.artifact is not None and self.read_version(one.artifact) is None:
                raise Refused("bad_argument", f"The recorded {one.artifact.name} is not kept any more; use yours.")
        for one in decided:
            if one.artifact is not None and one.what == "mine":
                self._blobs.write(one.artifact.sha256, one.text.encode())
            elif one.artifact is not None and one.what == "back":
                self.put_back(one.artifact)

    def put_back(self, version: ArtifactVersion) -> None:
        """Write a recorded version again; what stood there is kept as ``kept/<name>``.

        Raises:
            OSError, PathRefused: it can't be written.
        """
        if (mine := self.read(version.name)) is not None:
            make_private_dir(self._place.path / "kept")
            write_atomic(self._place.path, f"kept/{version.name}", mine.encode())
        write_atomic(self._place.path, f"artifacts/{version.name}", self._blobs.read(version.sha256).encode())

    def exists(self, name: str) -> bool:
        """Whether the artifact is there."""
        return (self._place.path / "artifacts" / name).is_file()

    def names(self) -> tuple[tuple[str, int], ...]:
        """The regular files of the folder that could be artifacts, and their sizes."""
        folder = self._place.path / "artifacts"
        found: list[tuple[str, int]] = []
        with contextlib.suppress(OSError, PathRefused):
            refuse_links(folder, self._place.path)
            with os.scandir(folder) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError, PathRefused):
                        if entry.is_file(follow_symlinks=False) and artifact_name(entry.name) == entry.name:
                            found.append((entry.name, entry.stat(follow_symlinks=False).st_size))
        return tuple(sorted(found))

    def whole_path(self, text: str) -> str:
        """Path of the blob that holds a text whole, relative to the run's workspace folder."""
        return f".sprintwright/runs/{self._place.run_id}/blobs/{sha256(text.encode())}"

    async def keep_whole(self, text: str) -> None:
        """Keep the text as a blob."""
        data = text.encode()
        await asyncio.to_thread(self._blobs.write, sha256(data), data)


class Transcripts:
    """Live output of leaves, one file each: ``transcripts/<seq>-<stage>.jsonl``. It is no part of the journal."""

    def __init__(self, place: RunFolder) -> None:
        self._folder = place.path
        self._open: dict[int, tuple[TextIO, int]] = {}

    def write(self, sequence: int, key: str, stream: Stream, text: str) -> None:
        """Append one piece; what is over the cap is left out, and a last line says so."""
        file, size = self._open.get(sequence) or (self._file(sequence, key), 0)
        if size < _MOST_TRANSCRIPT:
            over = size + len(text) >= _MOST_TRANSCRIPT
            piece = {"stream": "note", "text": "(the rest was left out)"} if over else {"stream": stream, "text": text}
            file.write(json.dumps(piece) + "\n")
            file.flush()
        self._open[sequence] = (file, size + len(text))

    def end(self, sequence: int) -> None:
        """Close the file of a leaf that ended."""
        if (found := self._open.pop(sequence, None)) is not None:
            found[0].close()

    def close(self) -> None:
        """Close every file."""
        for sequence in list(self._open):
            self.end(sequence)

    def _file(self, sequence: int, key: str) -> TextIO:
        path = f"transcripts/{transcript_name(sequence, key)}"
        descriptor = open_beneath(self._folder, path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8")


def transcript_name(sequence: int, key: str) -> str:
    """File name of a leaf's transcript."""
    return f"{sequence:06}-{re.sub(r'[^A-Za-z0-9.-]+', '-', key)[-80:].strip('-')}.jsonl"


def write_reports(place: RunFolder, reports: dict[str, str]) -> None:
    """Write what is rendered from the journal and never read back."""
    for name, text in reports.items():
        write_atomic(place.path, name, text.encode())
