"""What real commands print -> findings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sprintwright.model.finding import Finding
from sprintwright.paths import relative_inside
from sprintwright.reading.reports import read_report
from sprintwright.reading.reports.gcc import read_line

FOLDER = Path("/work/project")


def confine(path: str) -> str:
    return relative_inside(path, FOLDER)


def places(findings: tuple[Finding, ...]) -> list[tuple[str, int]]:
    return [(finding.path, finding.line) for finding in findings]


TESTS = """
import helper
import pytest

class TestMany:
    @pytest.mark.parametrize("x", ["a b", "[c]", "d::e"])
    def test_words(self, x):
        assert x == "no"

def test_deep():
    helper.check(3)

def test_fine():
    pass

@pytest.fixture
def broken():
    raise RuntimeError("no fixture today")

def test_with_fixture(broken):
    pass
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "helper.py").write_text("def check(n):\n    assert n == 4, 'not four'\n")
    (folder / "tests").mkdir()
    (folder / "tests" / "test_a.py").write_text(TESTS)
    (folder / "tests" / "test_b.py").write_text("import nowhere\n")
    return folder


@pytest.mark.parametrize("style", ["long", "short", "line", "native", "no"])
def test_real_pytest_output_gives_each_failure_at_its_test(project: Path, style: str) -> None:
    arguments = ["-q", f"--tb={style}", "-p", "no:cacheprovider", "--continue-on-collection-errors", "--rootdir", "."]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=project, capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ".", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    report = read_report(ran.stdout, "auto", lambda path: relative_inside(path, project))
    assert report.format == "pytest"
    found = {finding.message.partition(":")[0]: finding for finding in report.findings}
    assert len(report.findings) == 6, ran.stdout
    assert all(finding.severity == "error" for finding in report.findings)
    deep = found["test_deep"]
    assert deep.path == "tests/test_a.py" and "not four" in deep.message
    assert (
        any(f.path == "tests/test_b.py" and "nowhere" in f.message for f in report.findings if style != "no")
        or style == "no"
    )
    if style in ("long", "short", "native"):
        assert deep.line == 11
        assert {f.line for f in report.findings if f.message.startswith("test_words")} == {8}


@pytest.mark.parametrize(
    ("line", "path", "place", "severity", "message"),
    [
        ("src/a.c:3:5: error: expected ';'", "src/a.c", (3, 5), "error", "expected ';'"),
        ("a.c:3: warning: unused [-Wunused]", "a.c", (3, 0), "warning", "unused"),
        ("a.c:1:1: fatal error: no input", "a.c", (1, 1), "error", "no input"),
        ("a.py:7: error: Name 'x' is not defined  [name-defined]", "a.py", (7, 0), "error", "Name 'x' is not defined"),
        ("/work/project/a.py:3:5 - error: bad (reportBad)", "a.py", (3, 5), "error", "bad"),
        ("a.js:1:2: Missing semicolon. [Error/semi]", "a.js", (1, 2), "error", "Missing semicolon."),
        ("my file.py:1: error: spaces", "my file.py", (1, 0), "error", "spaces"),
        ("a.py:12-14: error: a range", "a.py", (12, 0), "error", "a range"),
    ],
)
def test_lines_of_compilers_and_linters(
    line: str, path: str, place: tuple[int, int], severity: str, message: str
) -> None:
    made = read_line(line, confine, notes=False)
    assert made is not None
    finding = made[0]
    assert (finding.path, (finding.line, finding.column), finding.severity, finding.message) == (
        path,
        place,
        severity,
        message,
    )


@pytest.mark.parametrize(
    "line", ["a.c:3:5: note: declared here", "no place here", "12:30: lunch", "http://x.y:80: error: no"]
)
def test_what_is_no_finding(line: str) -> None:
    made = read_line(line, confine, notes=False)
    assert made is None or made[0].path != "http"


def test_ruff_in_each_of_its_outputs(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n\nprint(undefined)\n")
    for form in ("full", "concise", "json"):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", f"--output-format={form}", "a.py"],
            cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        report = read_report(ran.stdout, "ruff", lambda path: relative_inside(path, tmp_path))
        assert [(f.path, f.line, f.code) for f in report.findings] == [("a.py", 1, "F401"), ("a.py", 3, "F821")], form
        if form != "concise":
            assert read_report(ran.stdout, "auto", lambda path: relative_inside(path, tmp_path)) == report


def sarif(uri: str, **region: object) -> str:
    location = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
    result = {"ruleId": "R1", "level": "error", "message": {"text": "bad"}, "locations": [location]}
    return json.dumps({"version": "2.1.0", "runs": [{"results": [result]}]})


def test_sarif_and_its_addresses() -> None:
    report = read_report(sarif("src/a%20b.py", startLine=3, startColumn=2), "auto", confine)
    assert report.format == "sarif"
    assert report.findings == (
        Finding(message="bad", severity="error", path="src/a b.py", line=3, column=2, code="R1"),
    )
    assert places(read_report(sarif("file:///work/project/x.py", startLine=1), "sarif", confine).findings) == [
        ("x.py", 1)
    ]


JUNIT = """<?xml version="1.0"?><testsuites><testsuite><testcase classname="tests.test_a" name="test_x"
file="tests/test_a.py" line="4">
<failure message="assert 1 == 2" type="AssertionError">tests/test_a.py:9: AssertionError</failure></testcase>
<testcase classname="t" name="ok"/></testsuite></testsuites>"""


def test_junit_gives_failures_at_their_line() -> None:
    report = read_report(JUNIT, "auto", confine)
    assert report.format == "junit"
    (finding,) = report.findings
    assert (finding.path, finding.line, finding.code) == ("tests/test_a.py", 9, "AssertionError")
    assert "test_x" in finding.message and "assert 1 == 2" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY a "&lol;&lol;">]>'
        '<testsuite><testcase name="x"><failure message="&a;"/></testcase></testsuite>',
        '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        "<testsuite><testcase><failure>&x;</failure></testcase></testsuite>",
        "<testsuite>" + "<a>" * 50_000,
        "<testsuite" + " " * 100,
    ],
    ids=["laughs", "external", "deep", "broken"],
)
def test_x070_hostile_xml_gives_nothing(text: str) -> None:
    assert read_report(text, "junit", confine).findings == ()


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "a/../../b"])
def test_x070_paths_outside_the_folder_are_not_taken(path: str) -> None:
    for report in (
        read_report(sarif(path, startLine=1), "sarif", confine),
        read_report(f"{path}:1: error: bad", "gcc", confine),
        read_report(JUNIT.replace("tests/test_a.py", path), "junit", confine),
    ):
        assert [finding.path for finding in report.findings] == [""]


@pytest.mark.parametrize("known", ["auto", "pytest", "junit", "sarif", "ruff", "gcc"])
@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "[1, 2]", '{"runs": 3}', "\0\ud800", "<", "FAILED", "x" * 2_000_000]
)
def test_any_text_is_read_without_an_exception(known: str, text: str) -> None:
    assert len(read_report(text, known, confine).findings) <= 500  # pyright: ignore[reportArgumentType]


def test_at_most_five_hundred_findings() -> None:
    assert len(read_report("\n".join(f"a.py:{n}: error: {n}" for n in range(1, 2_000)), "gcc", confine).findings) == 500
