"""How much of its values a prompt carries."""

from __future__ import annotations

import time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from sprintwright.prompts.budget import TOTAL_LIMIT, RenderedPrompt, fit, render_prompt
from sprintwright.prompts.template import parse_template

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def whole_at(name: str, _text: str) -> str:
    """Where a test keeps what is cut."""
    return f"artifacts/{name}.txt"


def rendered(text: str, **values: object) -> RenderedPrompt:
    """A prompt within the budget."""
    return render_prompt(parse_template(text), values, whole_at)


def test_m017_twelve_thousand_characters_are_whole() -> None:
    assert rendered("{{x}}", x="a" * 12_000) == RenderedPrompt("a" * 12_000, ())


def test_m017_b027_one_more_is_cut_in_the_middle_with_a_line_that_says_so() -> None:
    prompt = rendered("<{{x}}>", x="a" * 7_200 + "b" * 801 + "c" * 4_000)
    [cut] = prompt.cuts
    assert (cut.name, cut.missing, cut.whole_at) == ("x", 801, "artifacts/x.txt")
    line = "\n[… 801 characters are left out here; the whole text is in artifacts/x.txt …]\n"
    assert prompt.text == f"<{'a' * 7_200}{line}{'c' * 4_000}>"


def test_m018_several_values_share_the_budget_and_the_fixed_text_is_whole() -> None:
    fixed = "fixed text. " * 2_000
    prompt = rendered(fixed + "{{a}}{{b}}{{c}}", a="a" * 11_000, b="b" * 11_000, c="c" * 11_000)
    assert prompt.text.startswith(fixed)
    assert TOTAL_LIMIT - 100 < len(prompt.text) - len(fixed) <= TOTAL_LIMIT
    assert [cut.name for cut in prompt.cuts] == ["a", "b", "c"]


def test_m018_the_longest_are_cut_first() -> None:
    prompt = rendered("{{a}}{{b}}{{c}}{{d}}", a="a" * 12_000, b="b" * 9_000, c="c" * 8_000, d="d" * 3_000)
    assert [cut.name for cut in prompt.cuts] == ["a"]
    assert TOTAL_LIMIT - 100 < len(prompt.text) <= TOTAL_LIMIT


def test_m018_thirty_thousand_together_are_not_cut() -> None:
    assert rendered("{{a}}{{b}}{{c}}", a="a" * 12_000, b="b" * 12_000, c="c" * 6_000).cuts == ()


def test_m018_a_value_counts_as_often_as_it_is_inserted() -> None:
    prompt = rendered("{{a}}" * 10, a="a" * 5_000)
    assert TOTAL_LIMIT - 1_000 < len(prompt.text) <= TOTAL_LIMIT
    assert len(prompt.cuts) == 1


def test_what_a_condition_leaves_out_does_not_count() -> None:
    assert rendered("{{if .no}}{{a}}{{a}}{{end}}{{b}}", a="a" * 12_000, b="b" * 12_000).cuts == ()


def test_conditions_are_decided_on_the_whole_value() -> None:
    assert rendered("{{if eq .a .b}}same{{end}}", a="a" * 20_000, b="a" * 20_000).text == "same"


@pytest.mark.parametrize("count", [100, 1_000, 20_000])
def test_so_many_values_that_no_line_fits_stay_within_the_budget(count: int) -> None:
    prompt = rendered("{{a}}" * count, a="a" * 12_000)
    assert len(prompt.text) <= TOTAL_LIMIT
    assert prompt.cuts[0].missing > 11_000


@pytest.mark.parametrize(
    "cluster",
    [FAMILY, "e\u0301\u0323", "\U0001f1e9\U0001f1ea", "\u0915\u094d\u0937", "\r\n", "\u1100\u1161\u11a8", "x\u200d"],
)
@pytest.mark.parametrize("shift", range(5))
def test_m020_a_character_at_the_cut_is_whole_or_absent(cluster: str, shift: int) -> None:
    text = "a" * shift + cluster * (13_000 // len(cluster))
    prompt = rendered("{{x}}", x=text)
    head, _, tail = prompt.text.partition("\n[…")
    tail = tail.partition("…]\n")[2]
    assert set(regex.findall(r"\X", head)) | set(regex.findall(r"\X", tail)) <= {"a", *regex.findall(r"\X", text)}
    assert text.startswith(head) and text.endswith(tail)
    assert prompt.cuts[0].missing == len(text) - len(head) - len(tail)


def test_m020_a_family_across_the_cut_is_left_out() -> None:
    prompt = rendered("{{x}}", x="a" * 7_198 + FAMILY + "b" * 10_000)
    assert prompt.text.startswith("a" * 7_198 + "\n[…")


@pytest.mark.parametrize(
    "text",
    [
        "e" + "\u0301" * 5_000 + "x" * 20_000,
        "e" + "\u0301" * 900_000,
        "\U0001f1e9" * 900_000,
        "क्" * 400_000,
        "x" * 5_000_000,
        "a" * 7_000 + "\u0301" * 5_000 + "b" * 9_000,
        (FAMILY + "\u200d") * 200_000,
    ],
    ids=["marks", "only marks", "flags", "conjuncts", "letters", "marks at the cut", "one long family"],
)
def test_m020_endless_characters_do_not_hang(text: str) -> None:
    started = time.process_time()
    prompt = rendered("{{x}}", x=text)
    assert time.process_time() - started < 1
    assert len(prompt.text) <= 12_000


def entry(number: int, output: str, error: str = "") -> dict[str, object]:
    """One result of a group."""
    return {"Index": number, "Label": "Item", "Status": "break", "Output": output, "Err": error}


@pytest.mark.parametrize("text", ["{{results}}", "{{range results}}{{.Index}}: {{.Output}}\n{{end}}"])
def test_entries_of_a_list_are_values_of_their_own(text: str) -> None:
    prompt = rendered(text, results=(entry(1, "a" * 13_000), entry(4, "b" * 100)))
    assert [(cut.name, cut.whole_at) for cut in prompt.cuts] == [
        ("results[1].Output", "artifacts/results[1].Output.txt")
    ]
    assert "b" * 100 in prompt.text


@pytest.mark.parametrize(
    "text",
    [
        "{{results}}",
        "{{range results}}text {{.Index}}: {{.Output}}{{plan}}\n{{end}}",
        "{{range results}}fixed text{{end}}",
    ],
)
@pytest.mark.parametrize(("count", "size"), [(10, 11_000), (1_000, 500), (5_000, 3)])
def test_what_a_list_brings_in_is_bounded(text: str, count: int, size: int) -> None:
    results = tuple(entry(number, "o" * size) for number in range(count))
    prompt = rendered(f"{text}{{{{plan}}}}", results=results, plan="p" * 2_000)
    assert len(prompt.text) <= TOTAL_LIMIT
    whole = parse_template(f"{text}{{{{plan}}}}").render({"results": results, "plan": "p" * 2_000})
    assert bool(prompt.cuts) is (len(whole) > TOTAL_LIMIT)


def test_entries_with_one_number_do_not_take_each_others_text() -> None:
    assert rendered("{{range r}}{{.Output}} {{end}}", r=(entry(1, "a"), entry(1, "b"))).text == "a b "


def test_numbers_are_not_cut() -> None:
    fitted = fit({"n": 7, "t": "t" * 40_000}, ["n", "t"], whole_at)
    assert fitted.values["n"] == 7
    assert len(str(fitted.values["t"])) < 12_000


def test_what_is_not_used_is_left_alone() -> None:
    assert fit({"a": "a" * 40_000}, [], whole_at).values == {"a": "a" * 40_000}


@given(st.text(max_size=2_000))
def test_within_the_budget_a_text_is_inserted_to_the_letter(text: str) -> None:
    assert rendered("{{x}}", x=text) == RenderedPrompt(text, ())


@settings(max_examples=30)
@given(st.lists(st.integers(0, 20_000), min_size=1, max_size=8), st.sampled_from(["a", "é", FAMILY, "\U0001f1e9"]))
def test_every_cut_is_told_and_the_sum_fits(sizes: list[int], letter: str) -> None:
    values: dict[str, object] = {f"v{number}": f"{number}:{letter * size}" for number, size in enumerate(sizes)}
    prompt = rendered("".join(f"{{{{{name}}}}}" for name in values), **values)
    assert len(prompt.text) <= TOTAL_LIMIT
    assert {cut.name for cut in prompt.cuts} == {name for name, text in values.items() if str(text) not in prompt.text}
