"""File URIs: ours, and what clients make of the same paths."""

import os
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.lsp.uris import path_key, path_text, same, to_path, to_uri

ODD = "/w/app/(auth)/[id] #1%/ü.yaml"


@pytest.mark.parametrize(
    "uri",
    [
        "file:///w/app/%28auth%29/%5Bid%5D%20%231%25/%C3%BC.yaml",
        "file:///w/app/(auth)/[id]%20%231%25/%c3%bc.yaml",
        "file:///w/app/(auth)/%5bid%5d %231%25/ü.yaml",
        "file://localhost/w/app/(auth)/[id]%20%231%25/ü.yaml",
        "file:/w/app/(auth)/[id]%20%231%25/ü.yaml",
        "FILE:///w/app/(auth)/[id]%20%231%25/u%CC%88.yaml",
    ],
)
def test_b143_every_way_to_write_an_odd_path_means_it(uri: str) -> None:
    path = to_path(uri)
    assert path is not None
    assert path_key(path) == ODD
    assert same(uri, to_uri(Path(ODD)))


def test_b143_ours_is_written_as_vs_code_writes_it() -> None:
    assert to_uri(Path(ODD)) == "file:///w/app/%28auth%29/%5Bid%5D%20%231%25/%C3%BC.yaml"
    assert to_uri(Path("/w/a:b")) == "file:///w/a%3Ab"


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1", "git:/w/a?ref=HEAD", "vscode-notebook-cell:/w/a#1", "file://server/share/a", "file:a",
        "file:///w/%00", "", "/w/a", "file:", "file://", "https://example.org/a",
    ],
)  # fmt: skip
def test_x050_what_is_no_file_of_this_machine_is_no_path(uri: str) -> None:
    assert to_path(uri) is None


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///c%3A/w/a%20b", "c:/w/a b"),
        ("file:///C:/w/a%20b", "c:/w/a b"),
        ("file://server/share/%C3%BC", "//server/share/ü"),
        ("file://SERVER/share/x", "//server/share/x"),
    ],
)
def test_b143_drives_and_shares_of_windows(uri: str, expected: str) -> None:
    assert path_text(uri, windows=True) == expected
    assert path_text(to_uri(PureWindowsPath(expected)), windows=True) == expected


@given(st.binary(min_size=1, max_size=40).filter(lambda name: b"\0" not in name))
def test_b143_a_name_of_any_bytes_comes_back(name: bytes) -> None:
    path = Path("/w") / os.fsdecode(name.replace(b"/", b"_"))
    uri = to_uri(path)
    assert uri.isascii()
    assert to_path(uri) == path


@given(st.text(max_size=40))
def test_no_uri_raises(text: str) -> None:
    to_path(text)
    to_path(f"file://{text}")
    same(f"file:///{text}", text)
