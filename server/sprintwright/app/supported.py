"""What a definition may say but this version can't do yet: refused in words before anything happens."""

from __future__ import annotations

from collections.abc import Iterator

from sprintwright.errors import Refused
from sprintwright.model.definition import BoardSeed, Definition, ParallelGroup, walk_stages


def refuse_unsupported(definition: Definition) -> None:
    """Raise `Refused` (`not_supported`) that names every such place."""
    found = list(_unsupported(definition))
    if found:
        listed = "\n".join(f"- {what}" for what in found)
        raise Refused(
            "not_supported",
            f"Workflow {definition.name!r} is valid, but this version of Sprintwright can't run it yet:\n{listed}",
            unsupported=found,
        )


def _unsupported(definition: Definition) -> Iterator[str]:
    for path, stage in walk_stages(definition.stages):
        match stage:
            case BoardSeed():
                yield f"stage {path!r}: `board_seed` (the shared board)"
            case ParallelGroup(isolation="worktree"):
                yield f"stage {path!r}: `isolation: worktree`"
            case _:
                pass
