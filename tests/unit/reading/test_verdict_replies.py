"""The verdict grammar beyond its table (`test_verdict_rows.py`): many more replies of each kind."""

from __future__ import annotations

import pytest

from sprintwright.model.finding import Finding
from sprintwright.model.verdict import UNKNOWN, Source, VerdictRule
from sprintwright.reading.verdict import read_verdict

BREAK, RETRY = VerdictRule(action="break"), VerdictRule(action="retry")
A = {"good_to_go": BREAK, "sprint_done": BREAK, "needs_refinement": RETRY, "unknown": RETRY}
CODE = "```"
ERROR = Finding(message="It crashes.", severity="error", path="a.py")


@pytest.mark.parametrize(
    ("reply", "source", "warned"),
    [
        ("VERDICT: needs_refinement", "line", False),
        ('{"verdict": "needs_refinement"}', "json", False),
        ("So my judgement is needs_refinement.", "prose", True),
        ('{"verdict": "approved"}\nneeds_refinement', "line", True),
    ],
)
def test_m037_the_source_is_told_and_a_weak_one_has_a_warning(reply: str, source: Source, warned: bool) -> None:
    verdict = read_verdict(reply, A)
    assert (verdict.key, verdict.source, bool(verdict.warnings)) == ("needs_refinement", source, warned)


def test_m037_row35_a_conflict_names_every_source() -> None:
    verdict = read_verdict("good_to_go", A, tool="needs_refinement")
    assert (verdict.key, verdict.source) == ("needs_refinement", "tool")
    assert "'good_to_go' (line)" in verdict.warnings[0]


def test_an_error_finding_without_a_declared_retry_key_gives_unknown() -> None:
    assert read_verdict("done", {"done": BREAK, "unknown": RETRY}, findings=[ERROR]).key == UNKNOWN


def test_findings_below_error_contradict_nothing() -> None:
    remark = Finding(message="Long line.", severity="warning")
    assert read_verdict("good_to_go", A, findings=[remark]).key == "good_to_go"


def test_an_error_finding_leaves_a_retry_verdict_alone() -> None:
    verdict = read_verdict("needs_refinement", A, findings=[ERROR, ERROR])
    assert (verdict.key, verdict.warnings) == ("needs_refinement", ())


@pytest.mark.parametrize("order", [1, -1])
def test_b019_fences_of_other_languages_are_skipped_before_and_behind(order: int) -> None:
    fences = [
        f'{CODE}{name}\n{{"verdict":"{key}"}}\n{CODE}'
        for name, key in (("bash", "good_to_go"), ("json", "needs_refinement"))
    ]
    assert read_verdict("\n".join(fences[::order]), A).key == "needs_refinement"


def test_b021_an_object_in_backticks_is_read() -> None:
    assert read_verdict('The result is `{"verdict":"good_to_go"}`.', A).key == "good_to_go"


ONLY_A_KEY = [
    "**good_to_go**", "*good_to_go*", "_good_to_go_", "__good_to_go__", "`good_to_go`", "***`good_to_go`***",
    "- good_to_go", "* good_to_go", "+ good_to_go", "1. good_to_go", "1) good_to_go", "• good_to_go",
    "## good_to_go", "## good_to_go ##", "GOOD_TO_GO", "Good_To_Go.", "good_to_go!", "  good_to_go\t",
    "Verdict: good_to_go.", "VERDICT:good_to_go", "VERDICT : good_to_go", "verdict：good_to_go",
    "**VERDICT: good_to_go**", "**VERDICT**: good_to_go", "__Verdict:__ `good_to_go`", "`VERDICT: good_to_go`",
    "- **Verdict:** **good_to_go**.", "1. VERDICT: good_to_go", "## Verdict\n\ngood_to_go", "\ufeffgood_to_go",
    "Done.\rgood_to_go\r", "Verdict:\ngood_to_go", "- Point one is fixed.\n- Verdict: good_to_go",
    "Options:\n- good_to_go\n- needs_refinement\n\nVERDICT: good_to_go",
    f"{CODE}py\nx = 1\n{CODE}\ngood_to_go", f"~~~\n{CODE}\n~~~\ngood_to_go", "<!-- note -->\n\ngood_to_go",
    "> needs_refinement\n\ngood_to_go", "The needs_refinement of pass 1 is dealt with.\nVERDICT: good_to_go",
    f"Use `x` or {CODE}y{CODE} here.\ngood_to_go",
]  # fmt: skip


@pytest.mark.parametrize("reply", ONLY_A_KEY)
def test_m037_decoration_around_a_key_is_taken_off(reply: str) -> None:
    verdict = read_verdict(reply, A)
    assert (verdict.key, verdict.source, verdict.warnings) == ("good_to_go", "line", ())


PROSE = [
    "My verdict is **good_to_go**.", "I rate this as good_to_go (all criteria met).", "Verdict - good_to_go",
    "Everything works. My judgement: good_to_go. Thanks!", "So it is good_to_go; nice work.",
    "The reviewers' verdict is good_to_go.", "Summary of the review\ngood_to_go", "Therefore this\nis good_to_go.",
    "Only non-blocking remarks, so it is good_to_go.", "Is it fast? Yes. It is good_to_go.",
]  # fmt: skip


@pytest.mark.parametrize("reply", PROSE)
def test_m037_a_plain_sentence_is_accepted_with_a_warning(reply: str) -> None:
    verdict = read_verdict(reply, A)
    assert (verdict.key, verdict.source, len(verdict.warnings)) == ("good_to_go", "prose", 1)


NOTHING = {
    "struck_out": "~~good_to_go~~",
    "table": "| verdict | when |\n|---|---|\n| needs_refinement | otherwise |\n| good_to_go | all works |",
    "table_row": "| good_to_go |",
    "slashes": "good_to_go / needs_refinement",
    "slashes_tight": "good_to_go/needs_refinement",
    "commas": "VERDICT: needs_refinement, good_to_go",
    "or": "VERDICT: needs_refinement or good_to_go",
    "one_of": "one of: good_to_go",
    "placeholder_angle": "VERDICT: <good_to_go>",
    "placeholder_square": "VERDICT: [good_to_go]",
    "placeholder_brace": "VERDICT: {{good_to_go}}",
    "placeholder_dollar": "VERDICT: $good_to_go",
    "options_in_lines": "needs_refinement\ngood_to_go",
    "options_with_blank_lines": "- needs_refinement\n\n- good_to_go",
    "options_with_commas": "needs_refinement,\nsprint_done,\ngood_to_go",
    "options_with_or": "needs_refinement\nor good_to_go",
    "options_explained": "- needs_refinement: there is work left\n- good_to_go: everything works",
    "options_explained_behind": "- Work left → needs_refinement\n- Everything works → good_to_go",
    "options_explained_below": "- needs_refinement\n  There is work left.\n- good_to_go\n  Everything works.",
    "options_quoted": '- "needs_refinement"\n- "good_to_go"',
    "options_numbered": "1. needs_refinement\n2. good_to_go",
    "options_prefixed": "VERDICT: needs_refinement\nVERDICT: good_to_go",
    "boxes": "- [x] needs_refinement\n- [ ] good_to_go",
    "empty_box": "- [ ] good_to_go",
    "double_quotes": 'My verdict is "good_to_go".',
    "single_quotes": "The answer 'good_to_go' is the goal.",
    "curly_quotes": "The answer “good_to_go” is the goal.",
    "single_curly_quotes": "The answer ‘good_to_go’ is the goal.",
    "german_quotes": "Die Antwort „good_to_go“ ist das Ziel.",
    "guillemets": "La réponse « good_to_go » est le but.",
    "corner_brackets": "「good_to_go」という答え。",
    "in_backticks": "The state is called `good_to_go`.",
    "long_quotation": 'He wrote "It works. It is good_to_go. Fine." in his mail.',
    "open_quotation": 'He wrote "It works and is good_to_go',
    "quoted_line": '"good_to_go"',
    "quote_in_list": "- > good_to_go",
    "quote_indented": "   > good_to_go",
    "tilde_fence": "~~~\ngood_to_go\n~~~",
    "long_fence": "````\n```\ngood_to_go\n````",
    "fence_not_closed": "```\ngood_to_go",
    "fence_closed_by_other": "```\n~~~\ngood_to_go",
    "fence_with_language": "```text\nVERDICT: good_to_go\n```",
    "nested_fence": "```markdown\n```python\nx\n```\ngood_to_go\n```",
    "fence_in_list": "- Example:\n  ```\n  good_to_go\n  ```",
    "fence_on_list_mark": "- ```\n  good_to_go\n  ```",
    "indented_code": "Example:\n\n    good_to_go\n",
    "tabbed_code": "Example:\n\n\tgood_to_go\n",
    "comment": "<!-- good_to_go -->",
    "comment_of_lines": "<!--\ngood_to_go\n-->",
    "comment_not_closed": "<!--\ngood_to_go",
    "wrapped_before": "I can't say that this is\ngood_to_go\n",
    "wrapped_behind": "good_to_go\nis what it isn't.",
    "question_line": "good_to_go?",
    "question_full_width": "It is good_to_go？",
    "curly_apostrophe": "It isn’t good_to_go.",
    "isnt": "It isn't good_to_go.",
    "never": "This will never be good_to_go.",
    "neither": "It is neither fast nor good_to_go.",
    "cannot": "I cannot call it good_to_go.",
    "unless": "It is good_to_go unless tests fail.",
    "once": "Once the tests pass it is good_to_go.",
    "could": "This could be good_to_go.",
    "almost": "It is almost good_to_go.",
    "future": "It will be good_to_go tomorrow.",
    "past": "It was good_to_go.",
    "hearsay": "The author claims it is good_to_go.",
    "ellipsis": "It is not... good_to_go.",
    "abbreviation": "It is not, i.e. far from, good_to_go.",
    "last_mention_is_in_doubt": "It is good_to_go. But is it really good_to_go?",
    "path": "See src/good_to_go",
    "file": "See good_to_go.py for it.",
    "call": "It calls good_to_go() at the end.",
    "assignment": "state=good_to_go",
    "prefix": "It is pregood_to_go.",
    "suffix": "It is good_to_going.",
    "plural": "It is good_to_gos",
    "hyphen": "It is un-good_to_go.",
    "full_width": "ｇｏｏｄ＿ｔｏ＿ｇｏ",
    "zero_width": "good_to_go\u200bish",
    "drawn_over": "good_to_go\u0338",
    "other_colon": "VERDICT = [good_to_go]",
    "json_nested": '{"result":{"verdict":"good_to_go"}}',
    "json_schema": '{"properties":{"verdict":{"enum":["good_to_go"]}}}',
    "json_key_twice": '{"verdict":"good_to_go","verdict":"good_to_go"}',
    "json_key_twice_by_case": '{"verdict":"good_to_go","Verdict":"needs_refinement"}',
    "json_last_is_refused": '{"verdict":"good_to_go"}\n{"verdict":"x","verdict":"y"}',
    "json_nan": '{"verdict":"good_to_go"}\n{"score":NaN,"verdict":"needs_refinement"}',
    "json_number": '{"verdict":1}',
    "json_list": '{"verdict":["good_to_go"]}',
    "json_null": '{"verdict":null}',
    "json_options_on_a_line": 'Either {"verdict":"needs_refinement"} or {"verdict":"good_to_go"}.',
    "json_options_in_an_array": '[{"verdict":"needs_refinement"},\n {"verdict":"good_to_go"}]',
    "json_options_in_a_list": '- {"verdict":"needs_refinement"}\n- {"verdict":"good_to_go"}',
    "json_quoted": '> {"verdict":"good_to_go"}',
    "json_in_python": '```python\n{"verdict":"good_to_go"}\n```',
    "json_indented": 'Example:\n\n    {"verdict":"good_to_go"}',
    "json_in_comment": '<!-- {"verdict":"good_to_go"} -->',
    "json_trailing_comma": '{"verdict":"good_to_go",}',
    "json_single_quotes": "{'verdict': 'good_to_go'}",
    "json_text_cut_off": '{"summary":"All fine.\ngood_to_go',
    "json_text_whole": '{"summary":"All fine.\ngood_to_go\n"}',
    "json_glued_to_a_key": '{"x":1} good_to_go needs_refinement',
    "json_unknown_wins_over_break": '{"verdict":"unknown"}\ngood_to_go',
    "taken_back": "VERDICT: good_to_go\nWait, this is not good_to_go.",
    "taken_back_json": '{"verdict":"good_to_go"}\nIt would be good_to_go if it compiled.',
    "chinese_negation": "不是good_to_go。",
}


@pytest.mark.parametrize("reply", [pytest.param(text, id=name) for name, text in NOTHING.items()])
def test_m037_no_verdict_is_read_where_none_is_given(reply: str) -> None:
    assert read_verdict(reply, A).key == UNKNOWN


def test_m037_no_declared_key_no_verdict() -> None:
    assert read_verdict("good_to_go", {}).key == UNKNOWN


def test_m037_json_in_a_fence_of_tildes_or_without_language() -> None:
    for fence in (CODE, "~~~json", "~~~", f"{CODE}JSON"):
        reply = f'Here:\n{fence}\n{{"verdict": "GOOD_TO_GO"}}\n{fence[:3]}\nBye.'
        assert read_verdict(reply, A).key == "good_to_go"


def test_m037_pretty_json_with_blank_lines_and_nested_values() -> None:
    reply = '{\n\n    "findings": [{"verdict": "needs_refinement"}],\n\n    "verdict": "sprint_done"\n}'
    assert read_verdict(reply, A).key == "sprint_done"


def test_m037_keys_with_blanks_hyphens_and_pattern_signs() -> None:
    rules = {"ship it": BREAK, "ship-it": BREAK, "c++ (done)": BREAK, ".*": RETRY, "not_yet": RETRY}
    assert read_verdict("VERDICT: Ship  It", rules).key == "ship it"
    assert read_verdict("- ship-it", rules).key == "ship-it"
    assert read_verdict("C++ (done)", rules).key == "c++ (done)"
    assert read_verdict("anything at all", rules).key == UNKNOWN
    assert read_verdict("`.*`", rules).key == ".*"
    assert read_verdict("My judgement is: not_yet.", rules).key == "not_yet"


def test_m037_declared_spelling_is_what_comes_back() -> None:
    assert read_verdict("APPROVED", {"Approved": BREAK}).key == "Approved"


def test_m037_two_positive_keys_that_differ_give_the_better_source() -> None:
    verdict = read_verdict('{"verdict":"sprint_done"}\ngood_to_go', A)
    assert (verdict.key, verdict.source, len(verdict.warnings)) == ("sprint_done", "json", 1)


def test_m037_a_line_asking_for_a_pass_wins_over_json_behind_it() -> None:
    verdict = read_verdict('VERDICT: needs_refinement\n\n{"verdict":"good_to_go"}', A)
    assert (verdict.key, verdict.source) == ("needs_refinement", "line")


def test_m037_tool_with_a_key_that_is_not_declared_falls_through() -> None:
    verdict = read_verdict("good_to_go", A, tool="approved")
    assert (verdict.key, verdict.source, len(verdict.warnings)) == ("good_to_go", "line", 1)


def test_m037_tool_that_says_unknown_counts_against_a_yes() -> None:
    assert read_verdict("good_to_go", A, tool="unknown").key == UNKNOWN
    assert read_verdict("needs_refinement", A, tool="unknown").key == "needs_refinement"


def test_m037_row37_the_warning_names_the_older_key() -> None:
    assert "'next_sprint'" in read_verdict("VERDICT: next_sprint", A).warnings[0]


def test_m037_unknown_declared_as_break_is_never_given_by_text() -> None:
    rules = {"unknown": BREAK, "ok": BREAK}
    for reply in ("unknown", '{"verdict":"unknown"}', "VERDICT: unknown"):
        assert read_verdict(reply, rules).key == UNKNOWN


def test_x068_an_object_with_a_verdict_twice_is_no_verdict() -> None:
    verdict = read_verdict('{"verdict":"good_to_go","verdict":"needs_refinement"}', A)
    assert (verdict.key, verdict.warnings) == (UNKNOWN, ("The last JSON object with a verdict can't be read.",))


def test_x069_only_the_end_of_a_huge_reply_is_read() -> None:
    assert read_verdict("a" * 5_000_000 + "\nVERDICT: good_to_go", A).key == "good_to_go"
    assert read_verdict("VERDICT: good_to_go\n" + f"{'a ' * 500}\n" * 1_100, A).key == UNKNOWN


def test_x069_a_fence_that_began_before_the_cut_still_hides_its_lines() -> None:
    head = "```\n" + f"{'log ' * 250}\n" * 1_100
    assert read_verdict(head + "good_to_go\n", A).key == UNKNOWN
    assert read_verdict(head + "good_to_go\n```\nneeds_refinement", A).key == "needs_refinement"


def test_x069_half_a_line_at_the_cut_is_not_read() -> None:
    rest = "\n" + "z" * (1_000_000 - len("good_to_go") - 1)
    assert read_verdict("good_to_go" + rest, A).key == "good_to_go"
    assert read_verdict("un-good_to_go" + rest, A).key == UNKNOWN
