"""The workflows of docs/writing-workflows.md."""

from __future__ import annotations

import re
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "writing-workflows.md"


def workflows() -> dict[str, str]:
    """Each YAML block of the document, by the name of its workflow."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.M | re.S)
    return {block.partition("\n")[0].removeprefix("name:").partition("#")[0].strip(): block for block in blocks}
