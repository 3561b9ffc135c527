"""The real server with a tick in its loop, and disks as slow as wanted: how long was the loop held?

Run as a program; at its end it writes the longest stall in seconds to the file that is its argument.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sprintwright.lsp.serving import serve

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

TICK = 0.001


def main() -> int:
    """Serve, and tick."""
    told, slow = Path(sys.argv[1]), float(os.environ.get("SLOW_FSYNC", "0"))
    if slow:
        real = os.fsync

        def fsync(descriptor: int) -> None:
            time.sleep(slow)
            real(descriptor)

        os.fsync = fsync

    stalls = [0.0]

    async def tick() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK)
            stalls.append(time.perf_counter() - began - TICK)

    def make() -> LanguageServer:
        from sprintwright.lsp.server import make_server

        server = make_server()

        @server.feature("bench/tick")
        def begin(*_params: object) -> None:
            server.session.spawn(tick())

        return server

    async def closing(server: LanguageServer) -> None:
        from sprintwright.lsp.server import closing as close

        longest = max(stalls)  # ending is not what is measured, and may be cut off while the disk is slow
        await asyncio.to_thread(told.write_text, f"{longest}")
        await close(server)

    return serve(make, closing=closing)


if __name__ == "__main__":
    sys.exit(main())
