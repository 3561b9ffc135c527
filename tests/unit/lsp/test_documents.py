"""Open texts: edits land where the protocol says, whatever stands before them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import Workspace

from sprintwright.lsp.documents import MOST_CHARACTERS, ExactDocument, keep_exact, open_document

URI = "file:///w/app/%28auth%29/%5Bid%5D%20%231%25/%C3%BC.yaml"


def change(line: int, column: int, end_line: int, end_column: int, text: str) -> types.TextDocumentContentChangePartial:
    where = types.Range(types.Position(line, column), types.Position(end_line, end_column))
    return types.TextDocumentContentChangePartial(range=where, text=text)


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\u2029"])
def test_r084_an_edit_behind_a_sign_that_python_splits_at_lands_where_the_client_has_it(sign: str) -> None:
    document = ExactDocument(URI, f"a{sign}b\nc\n")
    document.apply_change(change(1, 0, 1, 1, "x"))
    assert document.source == f"a{sign}b\nx\n"


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_b141_an_edit_behind_an_emoji_is_exact(encoding: str, column: int) -> None:
    document = ExactDocument(URI, "😀a\n")
    document.encoding = encoding
    document.apply_change(change(0, column, 0, column, "!"))
    assert document.source == "😀a!\n"


_TEXT = st.text(st.sampled_from("ab\n\r\u2028😀"), max_size=12)


@given(
    _TEXT,
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), _TEXT), max_size=6),
)
def test_edits_in_a_row_are_as_each_on_a_fresh_document(text: str, edits: list[tuple[int, int, int, int, str]]) -> None:
    document = ExactDocument(URI, text)
    for line, column, end_line, end_column, new in edits:
        fresh = ExactDocument(URI, document.source)
        for one in (document, fresh):
            one.apply_change(change(line, column, max(line, end_line), end_column, new))
        assert document.source == fresh.source


def test_r085_of_a_huge_text_nothing_is_kept_until_it_is_sent_anew() -> None:
    document = ExactDocument(URI, "x" * (MOST_CHARACTERS + 1))
    assert document.oversized and document.source == ""
    document.apply_change(change(0, 0, 0, 1, "y"))
    assert document.source == ""
    document.apply_change(types.TextDocumentContentChangeWholeDocument("small"))
    assert not document.oversized and document.source == "small"


def test_b143_a_document_is_found_by_its_uri_however_that_is_encoded_and_never_read_from_the_disk() -> None:
    workspace = Workspace("", types.TextDocumentSyncKind.Incremental, [], types.PositionEncodingKind.Utf16)
    keep_exact(workspace)
    workspace.put_text_document(types.TextDocumentItem(URI, "yaml", 1, "a"))
    for uri in (URI, "file:///w/app/(auth)/[id]%20%231%25/%c3%bc.yaml"):
        found = open_document(workspace, uri)
        assert isinstance(found, ExactDocument) and found.source == "a"
    assert open_document(workspace, "file:///etc/hostname") is None
    assert workspace.get_text_document("file:///etc/hostname").source == ""
