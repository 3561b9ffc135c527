"""What an editor shows of a finding: words, ranges, and the files that they are about."""

import os
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from sprintwright.lsp import finding_diagnostics
from sprintwright.lsp.finding_diagnostics import CHANGED, MOST_BYTES, FileJob, Shown, diagnostics_of
from sprintwright.lsp.positions import Positions
from sprintwright.model.finding import Finding
from tests.unit.lsp.editor import OLD, Editor, found


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path)


# What a diagnostic says


async def test_a_finding_is_a_diagnostic_that_says_who_said_it(editor: Editor) -> None:
    editor.write("a.py")
    one = found(severity="error", code="E1", suggestion="Write it\nso.", snippet="two 😀 words")
    await editor.run(one)
    shown = editor.only()
    assert shown.message == "wrong\nSuggestion: Write it\nso."
    assert (shown.severity, shown.code, shown.source) == (types.DiagnosticSeverity.Error, "E1", "sprintwright")
    assert shown.data == {"runId": OLD, "finding": one.finding.identity}
    assert shown.code_description is None
    (said,) = shown.related_information or []
    assert said.message == f"Run {OLD} (dev), sprint 2, pass 1: evaluator said this"
    assert said.location == types.Location(editor.uri("a.py"), shown.range)


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", 14), ("utf-16", 12), ("utf-32", 11)])
async def test_b141_a_range_behind_an_emoji_is_exact_in_the_negotiated_encoding(
    editor: Editor, encoding: str, end: int
) -> None:
    editor.write("a.py")
    editor.encoding = encoding
    await editor.run(found(column=7, end_column=12))
    assert editor.only().range == types.Range(types.Position(1, end - 5), types.Position(1, end))


@pytest.mark.parametrize(("severity", "number"), [("error", 1), ("warning", 2), ("info", 3), ("hint", 4)])
async def test_severities_keep_their_meaning(editor: Editor, severity: str, number: int) -> None:
    editor.write("a.py")
    await editor.run(found(severity=severity))
    assert editor.only().severity == number


async def test_b147_a_line_that_is_not_there_any_more_is_clamped_and_said_so(editor: Editor) -> None:
    editor.write("a.py")
    await editor.run(found("x" * 5_000, line=900))
    assert editor.only().range.start.line == 3
    assert editor.only().message.endswith(CHANGED)
    assert len(editor.only().message) == 1_000


HOSTILE = "\x1b]0;t\x07a\u202eb\u200bc\x9bd\x00 [x](command:y) " + "e\u0301" * 3_000


async def test_x045_x051_x054_agents_words_are_clean_plain_and_capped(editor: Editor) -> None:
    editor.write("a.py")
    hostile = found(HOSTILE, suggestion=HOSTILE, code=HOSTILE[:80], key=f"s[1]/{HOSTILE}")
    await editor.run(hostile)
    shown = editor.only()
    said = (shown.related_information or [])[0].message
    for text in (shown.message, str(shown.code), said):
        assert not any(letter in text for letter in "\x1b\x07\u202e\u200b\x9b\x00")
        assert "\\u{202e}" in text
        assert len(text) <= 1_000
    assert "\nSuggestion: " in shown.message
    assert "\n" not in said
    assert shown.code_description is None


async def test_x054_of_ten_thousand_findings_a_file_shows_two_hundred_the_graver_first(editor: Editor) -> None:
    editor.write("a.py", "x\n" * 10_000)
    many = [found(f"n{number}", line=number + 1, severity="info") for number in range(9_999)]
    await editor.run(*many, found("grave", line=9_999, severity="error"))
    shown = editor.shows[editor.uri("a.py")]
    assert len(shown) == 200
    assert shown[0].message == "grave"
    assert shown[-1].message == "and 9,801 more findings in this file"
    assert (shown[-1].severity, shown[-1].data) == (types.DiagnosticSeverity.Information, None)


async def test_exactly_two_hundred_findings_are_all_shown(editor: Editor) -> None:
    editor.write("a.py", "x\n" * 300)
    await editor.run(*(found(f"n{number}", line=number + 1) for number in range(200)))
    assert editor.texts() == [f"n{number}" for number in range(200)]


async def test_x054_a_remark_of_many_evaluators_is_one_with_at_most_twenty_related_places(editor: Editor) -> None:
    editor.write("a.py")
    await editor.run(*(found(key=f"items[{number}]/judge") for number in range(30)))
    related = editor.only().related_information or []
    assert len(related) == 20
    assert related[3].message == f"Run {OLD} (dev), item 3: judge said this"


async def test_a_client_without_related_information_gets_none(editor: Editor) -> None:
    editor.write("a.py")
    editor.board._related = lambda: False
    await editor.run(found())
    assert editor.only().related_information is None


# Files


@pytest.mark.parametrize("name", ["a.py", "app/(auth)/[id] #1%/ü.yaml", "a b%20c.py", "?.py", "é\u0301.py"])
async def test_b143_names_of_any_kind_are_found_and_written_right(editor: Editor, name: str) -> None:
    editor.write(name)
    await editor.run(found(path=name))
    assert len(editor.shows[editor.uri(name)]) == 1


async def test_b143_a_folder_whose_name_is_no_utf_8(tmp_path: Path) -> None:
    editor = Editor(tmp_path / os.fsdecode(b"caf\xe9"))
    try:
        editor.write("a.py")
    except OSError:
        pytest.skip("this file system holds only UTF-8 names")
    await editor.run(found())
    assert [uri.rpartition("/tmp")[2].rpartition("caf")[2] for uri in editor.all] == ["%E9/a.py"]


async def test_b143_an_open_document_is_found_however_the_client_writes_its_uri(editor: Editor) -> None:
    editor.write("app/[id] #1%/ü.py")
    theirs = f"file://{editor.folder}/app/[id]%20%231%25/%c3%bc.py"
    await editor.run(found(path="app/[id] #1%/ü.py", snippet="three"))
    ours = editor.uri("app/[id] #1%/ü.py")
    assert list(editor.all) == [ours]
    editor.open(theirs, "three\n", 7)
    await editor.settled()
    assert [(uri, version, len(shown)) for uri, version, shown in editor.sent[1:]] == [(ours, None, 0), (theirs, 7, 1)]
    assert editor.shows[theirs][0].range.start.line == 0
    assert (editor.shows[theirs][0].related_information or [])[0].location.uri == theirs
    editor.close(theirs)
    await editor.settled()
    assert editor.sent[-1][:2] == (theirs, None)
    assert editor.shows[theirs][0].range.start.line == 2


@pytest.mark.parametrize(
    "data", [b"\x7fELF\0\n\n\n", b"x\n" * (MOST_BYTES // 2 + 1), None], ids=["binary", "large", "folder"]
)
async def test_what_is_no_text_has_its_findings_at_the_top(editor: Editor, data: bytes | None) -> None:
    if data is None:
        (editor.folder / "a.py").mkdir()
    else:
        editor.write("a.py", data)
    await editor.run(found(snippet="x"))
    assert editor.only().range == types.Range(types.Position(0, 0), types.Position(0, 0))
    assert editor.only().message == "wrong"


async def test_a_file_that_can_not_be_read_has_its_findings_at_the_top(editor: Editor) -> None:
    editor.write("a.py")
    with mock.patch.object(finding_diagnostics, "read_beneath", side_effect=PermissionError):
        await editor.run(found())
    assert editor.only().range.end == types.Position(0, 0)


async def test_letters_of_another_encoding_and_a_byte_order_mark_move_nothing(editor: Editor) -> None:
    editor.write("a.py", b"\xef\xbb\xbfcaf\xe9 x\n")
    await editor.run(found(line=1))
    assert editor.only().range == types.Range(types.Position(0, 0), types.Position(0, 6))


@pytest.mark.parametrize("opened", [False, True])
async def test_r085_a_file_that_is_deleted_has_no_diagnostics_and_has_them_again_when_it_is_back(
    editor: Editor, opened: bool
) -> None:
    file = editor.write("sub/a.py")
    await editor.run(found(path="sub/a.py"))
    if opened:
        editor.open(editor.uri("sub/a.py"))
    file.unlink()
    editor.board.refresh(editor.uri("sub/a.py"))
    await editor.settled()
    assert editor.all == {}
    editor.write("sub/a.py")
    editor.board.refresh(editor.uri("sub/a.py"))
    await editor.settled()
    assert len(editor.all) == 1


async def test_r014_a_deleted_folder_of_files_is_cleared_when_only_it_is_told_of(editor: Editor) -> None:
    editor.write("sub/deep/a.py")
    await editor.run(found(path="sub/deep/a.py"))
    (editor.folder / "sub").rename(editor.folder / "elsewhere")
    editor.board.refresh(editor.uri("sub"))
    await editor.settled()
    assert editor.all == {}


async def test_what_is_no_file_of_a_run_is_passed_over(editor: Editor) -> None:
    for uri in ("untitled:a", editor.uri("b.py"), "file://server/a", ""):
        editor.board.refresh(uri)
        editor.open(uri)
    assert editor.tasks == []


@given(
    lines=st.lists(st.tuples(st.text("ab", max_size=9), st.sampled_from(["\n", "\r\n", "\r"])), max_size=8),
    end=st.text("ab", max_size=9),
    longest=st.integers(1, 12),
)
def test_very_long_lines_are_cut_and_the_others_stay(lines: list[tuple[str, str]], end: str, longest: int) -> None:
    lines = [*lines, (end, "")]
    with mock.patch.object(finding_diagnostics, "_LONGEST_LINE", longest):
        cut = finding_diagnostics._without_long_lines("".join(line + ending for line, ending in lines))
    kept = Positions(cut)
    whole = Positions("".join(line + ending for line, ending in lines))
    assert kept.lines == whole.lines
    for number in range(whole.lines):
        line, short = whole.line(number), kept.line(number)
        assert short == line or (len(line) > longest and line.startswith(short) and len(short) >= longest - 1)


async def test_a_file_of_one_very_long_line_has_its_findings_on_it(editor: Editor) -> None:
    editor.write("a.py", "x=1;" * 100_000)
    await editor.run(found(line=1, column=5), found("far", line=1, column=400_000))
    near, far = editor.shows[editor.uri("a.py")]
    assert near.range == types.Range(types.Position(0, 4), types.Position(0, 5))
    assert far.range == types.Range(types.Position(0, 0), types.Position(0, 50_000))


@given(
    text=st.text(max_size=60),
    finding=st.builds(
        Finding,
        message=st.text(max_size=30), severity=st.sampled_from(["error", "warning", "info", "hint"]),
        line=st.integers(), column=st.integers(), end_line=st.integers(), end_column=st.integers(),
        code=st.text(max_size=9), snippet=st.text(max_size=30), suggestion=st.text(max_size=30),
    ),
    key=st.text(max_size=20),
)  # fmt: skip
def test_b147_any_finding_in_any_text_has_a_diagnostic(text: str, finding: Finding, key: str) -> None:
    shown = Shown(finding, "0" * 16, OLD, "dev", (key,))
    with mock.patch.object(finding_diagnostics, "_standing", return_value="a.py"):
        (one,) = diagnostics_of(FileJob("file:///a.py", ((Path("/"), "a.py", (shown,)),), text, "utf-16"))
    assert one.range.start.line <= one.range.end.line
    assert len(one.message) <= 1_000
