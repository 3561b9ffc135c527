"""`sprintwright lsp`: the language server on standard input and output, started by an editor."""

from __future__ import annotations

import argparse

from sprintwright.lsp.entry import main


def run(_arguments: argparse.Namespace) -> int:
    """Serve one client to its end."""
    return main()
