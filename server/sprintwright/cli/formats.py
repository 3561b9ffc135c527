"""A run for other programs: `show --format json`, `github` and `sarif`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

from sprintwright import __version__
from sprintwright.app.look import Seen, run_as_json
from sprintwright.state.exports import github_lines, sarif

Format = Literal["json", "github", "sarif"]


def formatted(seen: Seen, wanted: Format) -> Iterator[str]:
    """The lines to print; JSON in ASCII, so that every encoding can hold it."""
    match wanted:
        case "json":
            yield json.dumps(run_as_json(seen), indent=2)
        case "sarif":
            yield json.dumps(sarif(seen.state, __version__), indent=2)
        case "github":
            yield from github_lines(seen.state)
