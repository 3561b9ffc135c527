"""What a run leaves beside its journal, as its tools see it."""

from pathlib import Path

from sprintwright.app.files import RunFiles
from sprintwright.journal.store import RunFolder


async def test_only_regular_files_that_could_be_artifacts_are_listed(tmp_path: Path) -> None:
    place = RunFolder(tmp_path, "20260102-030405678-abcd")
    files = RunFiles(place)
    assert files.names() == ()
    artifacts = place.path / "artifacts"
    artifacts.mkdir(parents=True)
    (place.path / "blobs").mkdir()
    await files.write("b.md", "ü")
    await files.write("a.md", "12345")
    (artifacts / "link.md").symlink_to("/etc/passwd")
    (artifacts / "folder.md").mkdir()
    (artifacts / ".tmp-0123").touch()
    assert files.names() == (("a.md", 5), ("b.md", 2))

    artifacts.rename(place.path / "elsewhere")
    artifacts.symlink_to("elsewhere")
    assert files.names() == ()
