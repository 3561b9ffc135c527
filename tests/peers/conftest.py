"""Every test here is a peers' test; those of an agent that is not installed are skipped, and say so."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.peers.agents import INSTALLED, Peer

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them. Marks are known before the tests run; whether an agent is there, too."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.peers)
            for peer in _needed(item):
                if peer.path() is None:
                    item.add_marker(pytest.mark.skip(reason=_absent(peer)))


def _needed(item: pytest.Item) -> list[Peer]:
    given: dict[str, object] = (
        item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    )
    return [
        *cast("tuple[Peer, ...]", given.get("peers", ())),
        *([cast(Peer, given["peer"])] if "peer" in given else []),
    ]


def _absent(peer: Peer) -> str:
    return f"the agent {peer.name!r} is not installed; `make test-peers` installs it into {INSTALLED}"
