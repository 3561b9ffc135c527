"""Sprints and items of a plan (behaviours-milk.md section 3)."""

from __future__ import annotations

import pytest

from sprintwright.reading.collection import Collection, read_collection, read_scalar, waves


def numbers(collection: Collection) -> list[int]:
    return [item.number for item in collection.items]


def test_m022_numbers_are_names_and_sections_are_apart() -> None:
    first, second = read_collection("intro\n## Sprint 1\none\n## Sprint 3: last\nthree\n", "Sprint").items
    assert (first.number, first.line, first.section) == (1, 2, "## Sprint 1\none")
    assert (second.number, second.title, second.section) == (3, "last", "## Sprint 3: last\nthree")


def test_m022_document_order_holds_when_numbers_fall() -> None:
    assert numbers(read_collection("## Sprint 7\n## Sprint 1\n## Sprint 3", "Sprint")) == [7, 1, 3]


@pytest.mark.parametrize(
    "heading",
    ["## sprint 2", "## SPRINT 2", "### Sprint 2", "###### Sprint 2", "##\tSprint\t2", "## Sprint  2 ##",
     "## **Sprint 2**", "## __Sprint 2__: x", "## Sprint 2: x", "## Sprint 2 - x", "## Sprint 2. x", "## Sprint 02",
     "## *Sprint 2:* x", "## Sprint 2(depends_on: 1)", "## Sprint 2\r"],
)  # fmt: skip
def test_m023_m025_forms_of_a_heading(heading: str) -> None:
    assert numbers(read_collection(f"{heading}\n", "Sprint")) == [2]


@pytest.mark.parametrize(
    "line",
    ["# Sprint 1", "##Sprint 1", " ## Sprint 1", "## Sprint Plan", "## Sprint", "## Sprints 1", "## Sprint1",
     "## Sprint 1a", "## Sprint 1.2", "## My Sprint 1", "####### Sprint 1", "Sprint 1", "> ## Sprint 1",
     "## Sprint 1234567890", "## Sprint ١"],
)  # fmt: skip
def test_m024_lines_that_are_no_headings(line: str) -> None:
    assert read_collection(line, "Sprint") == Collection()


def test_m024_a_plan_heading_before_the_first_sprint_is_no_section() -> None:
    assert numbers(read_collection("## Sprint Plan\nabout\n## Sprint 1\nx", "Sprint")) == [1]


@pytest.mark.parametrize(
    ("heading", "title", "depends_on"),
    [
        ("## Item 2: Title (depends_on: 1)", "Title", (1,)),
        ("## Item 2 (depends_on: 1): Title", "Title", (1,)),
        ("## Item 2 (depends_on: 1, 3) Title", "Title", (1, 3)),
        ("## Item 2 — Ti (x) tle ( Depends_On : #1,1 , 3 )", "Ti (x) tle", (1, 3)),
        ("## Item 2: **Bold**", "Bold", ()),
        ("## Item 2 (depends_on:)", "", ()),
        ("## Item 2 (depends_on: [1, 3])", "", (1, 3)),
    ],
)
def test_m026_m027_title_and_dependencies_anywhere_in_the_line(
    heading: str, title: str, depends_on: tuple[int, ...]
) -> None:
    collection = read_collection(f"## Item 1\n## Item 3\n{heading}", "item")
    item = collection.items[-1]
    assert (item.number, item.title, item.depends_on) == (2, title, depends_on)
    assert collection.dependency_problems == collection.warnings == ()


def test_junk_in_depends_on_is_told_with_its_line() -> None:
    collection = read_collection("## Item 1\n\n## Item 2 (depends_on: 1, soon, , Item 1)", "Item")
    assert collection.items[1].depends_on == (1,)
    assert collection.warnings == (
        "Line 3: 'soon' in depends_on is not a number.",
        "Line 3: 'Item 1' in depends_on is not a number.",
    )


def test_depends_on_without_an_end_is_told() -> None:
    assert "no closing parenthesis" in read_collection("## Item 2 (depends_on: 2", "Item").warnings[0]


def test_m028_no_heading_no_item() -> None:
    assert read_collection("Just prose.", "Sprint") == Collection()
    assert read_collection("## Sprint 1", "") == Collection()


def test_m030_a_cycle_is_named_as_a_path() -> None:
    text = "## Item 1 (depends_on: 2)\n## Item 2 (depends_on: 3)\n## Item 3 (depends_on: 2)\n## Item 4"
    assert read_collection(text, "Item").dependency_problems == (
        "These depend on each other in a circle: 2 -> 3 -> 2.",
    )


def test_m031_unknown_and_own_numbers_are_named_with_who_names_them() -> None:
    text = "## Item 2 (depends_on: 9)\n## Item 3 (depends_on: 3)"
    assert read_collection(text, "Item").dependency_problems == (
        "2 depends on 9, which is not there (line 1).",
        "3 depends on itself (line 2).",
    )


def test_m032_a_number_twice_is_a_problem_of_its_own_with_both_lines() -> None:
    collection = read_collection("## Item 1\n\n### item 01: again (depends_on: 5)", "Item")
    assert collection.problems == ("Number 1 stands twice: on line 1 and on line 3.",)
    assert "5" in collection.dependency_problems[0]


@pytest.mark.parametrize("fence", ["```", "~~~", "````markdown", "```text"])
def test_m036_headings_in_code_and_comments_are_text(fence: str) -> None:
    end = fence.rstrip("abcdefghijklmnopqrstuvwxyz")
    text = f"## Sprint 1\n{fence}\n## Sprint 2\n{end}\n<!--\n## Sprint 3\n-->\n## Sprint 4"
    collection = read_collection(text, "Sprint")
    assert numbers(collection) == [1, 4]
    assert "## Sprint 2" in collection.items[0].section


def test_a_section_ends_at_any_numbered_heading_that_is_not_deeper() -> None:
    text = "## Sprint 1\n### Task 1\na\n## Notes\nb\n## Phase 2\nc\n### Sprint 2\nd\n# Part 3\ne"
    sections = [item.section for item in read_collection(text, "Sprint").items]
    assert sections[0] == "## Sprint 1\n### Task 1\na\n## Notes\nb"
    assert sections[1].startswith("### Sprint 2\nd")


def test_labels_are_words_of_any_language() -> None:
    assert numbers(read_collection("## A\u0308nderung 4", "\u00c4NDERUNG")) == [4]
    assert numbers(read_collection("## Work  item 4: x", "Work Item")) == [4]
    assert numbers(read_collection("## スプリント 2", "スプリント")) == [2]
    assert numbers(read_collection("## a.b 2\n## axb 3", "a.b")) == [2]


def test_x069_a_plan_that_is_too_long_is_refused_and_not_cut() -> None:
    collection = read_collection("## Sprint 1\n" + "x" * 1_000_000, "Sprint")
    assert collection.items == () and "1000012 characters" in collection.problems[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" max_passes:  4 ", 4), ("MAX_PASSES: 4", 4), ("max_passes: 2\nmax_passes: 4", 4), ("- max_passes: 4", 4),
        ("**max_passes**: 4", 4), ("**max_passes:** 4", 4), ("`max_passes: 4`", 4), ("* **max_passes: 4**", 4),
        ("a\r\nmax_passes:4\r\nb", 4), ("max_passes: abc", None), ("max_passes: 0", None),
        ("max_passes: 4 tries", None),
        ("max_passes: -4", None), ("max_passes: 4.5", None), ("xmax_passes: 4", None), ("use max_passes: 4", None),
        ("```\nmax_passes: 4\n```", None), ("> max_passes: 4", None), ("max_passes 4", None), ("", None),
        ("max_passes: 4\nmax_passes: many", 4), ("max_passes: 4\nmax_passes: 0", None),
    ],
)  # fmt: skip
def test_m033_m034_scalars(text: str, value: int | None) -> None:
    assert read_scalar(text, "max_passes") == value


def test_a_scalar_without_a_name_is_none() -> None:
    assert read_scalar("**: 4", "") is None


def test_waves_go_by_dependency_and_keep_document_order() -> None:
    text = "## Item 4 (depends_on: 1, 2)\n## Item 2\n## Item 1\n## Item 3 (depends_on: 4)\n## Item 5 (depends_on: 9)"
    assert waves(read_collection(text, "Item").items) == ((2, 1, 5), (4,), (3,))


def test_waves_leave_out_what_a_circle_holds_up() -> None:
    text = "## Item 1 (depends_on: 2)\n## Item 2 (depends_on: 1)\n## Item 3 (depends_on: 1)\n## Item 4"
    assert waves(read_collection(text, "Item").items) == ((4,),)


def test_a_chain_of_thousands_needs_no_recursion() -> None:
    text = "\n".join(f"## I {n} (depends_on: {n % 5_000 + 1})" for n in range(1, 5_001))
    (problem,) = read_collection(text, "I").dependency_problems
    assert problem.count("->") == 5_000
