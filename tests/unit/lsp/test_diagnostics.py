"""The hub: what several sources say about a file is published as one, and only when it changed."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from sprintwright.lsp.diagnostics import DiagnosticsHub

A, B = "file:///a", "file:///b"


def note(text: str) -> types.Diagnostic:
    return types.Diagnostic(types.Range(types.Position(0, 0), types.Position(0, 1)), text)


class Client:
    """What a client has been sent, and whether it reads."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, int | None, list[str]]] = []
        self.reads = True
        self.waiting: list[Callable[[], None]] = []
        self.hub = DiagnosticsHub(
            self.publish, room=lambda: self.reads, when_room=lambda callback: self.waiting.append(callback)
        )

    def publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        assert self.reads
        self.sent.append((uri, version, [one.message for one in diagnostics]))

    def read_again(self) -> None:
        self.reads = True
        waiting, self.waiting = self.waiting, []
        for callback in waiting:
            callback()

    @property
    def shows(self) -> dict[str, list[str]]:
        return {uri: texts for uri, _, texts in self.sent}


def test_what_two_sources_say_about_a_file_is_published_together() -> None:
    client = Client()
    client.hub.set("findings", A, [note("f")])
    client.hub.set("definitions", A, [note("d1"), note("d2")])
    assert client.sent[-1] == (A, None, ["d1", "d2", "f"])
    client.hub.set("definitions", A, [])
    assert client.sent[-1] == (A, None, ["f"])


def test_what_did_not_change_is_not_published_again() -> None:
    client = Client()
    for _ in range(3):
        client.hub.set("findings", A, [note("f")], 1)
        client.hub.set("definitions", B, [], 1)
    client.hub.set("definitions", A, [], 1)
    assert client.sent == [(A, 1, ["f"])]


def test_b145_the_same_for_a_newer_version_is_published_again_for_clients_that_dropped_the_older() -> None:
    client = Client()
    client.hub.set("findings", A, [note("f")], 4)
    client.hub.set("findings", A, [note("f")], 5)
    client.hub.set("definitions", A, [note("d")], 4)
    assert client.sent == [(A, 4, ["f"]), (A, 5, ["f"]), (A, 5, ["d", "f"])]


def test_a_clearing_names_no_version() -> None:
    client = Client()
    client.hub.set("findings", A, [note("f")], 4)
    client.hub.set("findings", A, [], 4)
    client.hub.set("findings", A, [], 5)
    assert client.sent[1:] == [(A, None, [])]


def test_a_source_is_cleared_everywhere_and_a_uri_for_all_sources() -> None:
    client = Client()
    client.hub.set("findings", A, [note("f")])
    client.hub.set("findings", B, [note("f")])
    client.hub.set("definitions", B, [note("d")])
    client.hub.clear("findings")
    assert client.shows == {A: [], B: ["d"]}
    client.hub.clear_uri(B)
    assert client.shows == {A: [], B: []}
    client.hub.clear_uri("file:///unknown")


def test_r080_while_the_client_does_not_read_only_the_newest_state_is_kept() -> None:
    client = Client()
    client.reads = False
    for number in range(100):
        client.hub.set("findings", A, [note(f"f{number}")], number)
        client.hub.set("findings", B, [note("b")] if number % 2 == 0 else [])
    assert client.sent == []
    assert len(client.waiting) == 1
    client.read_again()
    assert client.sent == [(A, 99, ["f99"])]
    client.reads = False
    client.hub.set("findings", A, [note("x")])
    client.hub.set("findings", A, [note("f99")], 99)
    client.read_again()
    assert len(client.sent) == 1


def test_r080_room_that_ends_while_it_is_used_is_waited_for_again() -> None:
    client = Client()
    client.reads = False
    for number in range(5):
        client.hub.set("findings", f"file:///{number}", [note("f")])
    sent = client.publish

    def one(uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        sent(uri, version, diagnostics)
        client.reads = False

    client.hub._publish = one
    for expected in range(1, 6):
        client.read_again()
        assert len(client.sent) == expected
    assert client.waiting == []


STEPS = st.lists(
    st.tuples(
        st.sampled_from("xy"), st.sampled_from([A, B]), st.lists(st.sampled_from("pq"), max_size=2), st.booleans()
    ),
    max_size=20,
)


@given(STEPS)
def test_in_the_end_the_client_shows_what_the_sources_say(steps: list[tuple[str, str, list[str], bool]]) -> None:
    client = Client()
    said: dict[tuple[str, str], list[str]] = {}
    for source, uri, texts, reads in steps:
        client.reads = reads
        client.hub.set(source, uri, [note(text) for text in texts])
        said[source, uri] = texts
    client.read_again()
    for uri in (A, B):
        assert client.shows.get(uri, []) == said.get(("x", uri), []) + said.get(("y", uri), [])


@pytest.mark.parametrize("times", [1, 2])
def test_each_uri_of_many_is_published_once(times: int) -> None:
    client = Client()
    for _ in range(times):
        for number in range(50):
            client.hub.set("findings", f"file:///{number}", [note("f")])
    assert len(client.sent) == 50
