"""Where the language server begins: the descriptors are made safe before pygls, or anything of ours, is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sprintwright.lsp.early import early_answer
from sprintwright.lsp.serving import serve

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


def main() -> int:
    """Serve one client over standard input and output, to its end; the exit code."""
    return serve(_make, closing=_closing, answer_early=early_answer)


def _make() -> LanguageServer:
    from sprintwright.lsp.server import make_server

    return make_server()


async def _closing(server: LanguageServer) -> None:
    from sprintwright.lsp.server import closing

    await closing(server)
