"""`sprintwright schema`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sprintwright.definitions.schema import schema_text


def run(arguments: argparse.Namespace) -> int:
    """Print the JSON Schema, or compare a file with it."""
    text = schema_text()
    if not arguments.check:
        print(text, end="")
        return 0
    path = Path(arguments.check)
    if path.is_file() and path.read_text("utf-8") == text:
        return 0
    print(f"{path} is not the schema of this version: make schema", file=sys.stderr)
    return 1
