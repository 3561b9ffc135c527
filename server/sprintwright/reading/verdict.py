"""The verdict of a reply: the one grammar, for gate, tree, loop and log alike (design.md section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sprintwright.model.finding import Finding
from sprintwright.model.verdict import HISTORICAL_KEYS, UNKNOWN, Source, Verdict, VerdictRule
from sprintwright.reading.json_verdict import JsonVerdict, read_json_verdict, without_json
from sprintwright.reading.lines import Page, read_page
from sprintwright.reading.sentences import Keys
from sprintwright.reading.speech import Speech, read_speech
from sprintwright.text import fold

_LONGEST_TOOL = 10_000


def read_verdict(
    text: str, rules: Mapping[str, VerdictRule], *, tool: str | None = None, findings: Sequence[Finding] = ()
) -> Verdict:
    """Read which of the declared keys a reply gives. Fails closed, never raises, linear in the text.

    Sources, best first:

    1. ``tool``: the argument of ``give_verdict``.
    2. The last JSON object that has a ``verdict`` field of its own. Outside block quotes, comments and fences of
       other languages; objects inside other objects don't count, nor do several on one line or in one list that
       differ. When that last one is refused (a key twice, NaN) or names no key, earlier ones are not asked.
    3. The last line that is only a key or ``VERDICT: key``, after heading and list marks, emphasis, backticks and
       a full stop are taken off; outside fences, indented code, quotes and comments. Lines in a row that name
       different keys are an echo of the prompt. A label in capitals that ends in ``_STATUS`` or ``_VERDICT`` is
       as good as ``VERDICT``; ``WORKFLOW_REVIEW_STATUS: clean`` is in any case, as gates read it.
    4. The last sentence of prose that mentions a key, if it names exactly one, without negation, condition,
       question or quotation marks; with a warning. Not for a ``break`` whose key is an ordinary word: *the working
       tree is clean* judges nothing. Prose before a verdict of (2) or (3) is not asked: it is
       the way there. Behind it, it is: *on reflection*.

    Sources that differ: a key with ``retry`` wins, with a warning. A ``break`` that an open finding of severity
    error contradicts becomes the first declared key with ``retry``, else ``unknown``; one that a later sentence
    takes back (*this is not good_to_go*) becomes ``unknown``. ``unknown`` itself is never read from prose, and
    from tool or JSON it counts against any ``break``. A key of the older engine that is not declared gives
    ``unknown`` with a warning that names it.

    Args:
        text: the whole reply; the last 1,000,000 characters are looked at.
        rules: the keys that the stage declares. Compared without case, in NFC, longest first.
        tool: what the tool was called with in this turn; None when it was not called.
        findings: the open findings of this pass.
    """
    page = read_page(text)
    reading = _Reading(page, rules, tool)
    verdict = reading.verdict()
    if verdict.key == UNKNOWN and verdict.source == "none":
        return _with_historical(verdict, page, rules, tool)
    return _against_findings(verdict, rules, findings)


@dataclass(frozen=True, slots=True)
class _Candidate:
    key: str
    source: Source


class _Reading:
    """One reply read with one set of keys."""

    def __init__(self, page: Page, rules: Mapping[str, VerdictRule], tool: str | None) -> None:
        self._rules = rules
        keys = Keys(rules, unknown=UNKNOWN)
        self._json: JsonVerdict = read_json_verdict(page, keys)
        self._speech: Speech = read_speech(without_json(page, self._json.spans), keys)
        self._tool = _tool_key(tool, keys)
        self._warnings: list[str] = []
        if tool is not None and not self._tool:
            self._warnings.append(f"The tool gave {tool[:100]!r}, which is not a declared key.")
        if self._json.warning:
            self._warnings.append(self._json.warning)

    def verdict(self) -> Verdict:
        candidates = self._candidates()
        if not candidates:
            if (sentence := self._speech.sentence) and self._is_passing(sentence.key):
                word = (
                    f"The word {sentence.key!r} stands in a sentence, which is no verdict; it needs a line of its own."
                )
                self._warnings.append(word)
            return Verdict(warnings=tuple(self._warnings))
        chosen = self._choose(candidates)
        if chosen.source == "prose":
            self._warnings.append(f"The verdict {chosen.key!r} was read from a sentence, not from a verdict line.")
        if self._is_break(chosen.key) and self._taken_back(chosen.key):
            self._warnings.append(f"The reply gives {chosen.key!r} and later takes it back.")
            return Verdict(key=UNKNOWN, source=chosen.source, warnings=tuple(self._warnings))
        return Verdict(key=chosen.key, source=chosen.source, warnings=tuple(self._warnings))

    def _candidates(self) -> list[_Candidate]:
        speech = self._speech
        found = [_Candidate(self._tool, "tool"), _Candidate(self._json.key, "json")]
        found.append(_Candidate(speech.line_key, "line"))
        if speech.sentence and self._is_last(speech) and not self._is_passing(speech.sentence.key):
            found.append(_Candidate(speech.sentence.key, "prose"))
        return [candidate for candidate in found if candidate.key]

    def _is_passing(self, key: str) -> bool:
        """Whether a sentence may hold the key by the way: *the working tree is clean* is no yes."""
        return bool(key) and key.isalpha() and self._is_break(key)

    def _is_last(self, speech: Speech) -> bool:
        """Whether the sentence stands behind what the reply says in a better form."""
        before_json = self._json.key and speech.sentence_at < self._json.line
        return not before_json and speech.sentence_at > speech.line_at

    def _choose(self, candidates: list[_Candidate]) -> _Candidate:
        """The best source; when they differ, the best of those that ask for one more pass."""
        if len({candidate.key for candidate in candidates}) == 1:
            return candidates[0]
        open_ones = [candidate for candidate in candidates if not self._is_break(candidate.key)]
        declared = [candidate for candidate in open_ones if candidate.key != UNKNOWN]
        chosen = (declared or open_ones or candidates)[0]
        said = ", ".join(f"{candidate.key!r} ({candidate.source})" for candidate in candidates)
        self._warnings.append(f"The reply gives different verdicts: {said}. Taken: {chosen.key!r}.")
        return chosen

    def _is_break(self, key: str) -> bool:
        return key != UNKNOWN and self._rules[key].action == "break"

    def _taken_back(self, key: str) -> bool:
        sentence = self._speech.sentence
        if sentence is None or not self._is_last(self._speech):
            return False
        return sentence.mentioned == key and sentence.why in ("doubt", "question")


def _tool_key(tool: str | None, keys: Keys) -> str:
    if tool is None or len(tool) > _LONGEST_TOOL:
        return ""
    form = fold(tool)
    return UNKNOWN if form.strip() == UNKNOWN else keys.exact(form)


def _with_historical(verdict: Verdict, page: Page, rules: Mapping[str, VerdictRule], tool: str | None) -> Verdict:
    """An older key has no rule here, so it decides nothing; but its author should learn why."""
    said = fold(f"{page.text} {(tool or '')[:_LONGEST_TOOL]}")
    older = {key: VerdictRule(action="retry") for key in HISTORICAL_KEYS if key not in rules and key in said}
    if not older:
        return verdict
    found = _Reading(page, older, tool).verdict().key
    if found == UNKNOWN:
        return verdict
    declared = ", ".join(repr(key) for key in rules if key != UNKNOWN) or "none"
    warning = f"The reply gives {found!r}, a key that this stage does not declare (declared: {declared})."
    return verdict.model_copy(update={"warnings": (*verdict.warnings, warning)})


def _against_findings(verdict: Verdict, rules: Mapping[str, VerdictRule], findings: Sequence[Finding]) -> Verdict:
    """A reviewer who reports an error did not mean yes."""
    errors = [finding for finding in findings if finding.severity == "error"]
    if verdict.key == UNKNOWN or rules[verdict.key].action != "break" or not errors:
        return verdict
    key = next((name for name, rule in rules.items() if rule.action == "retry" and name != UNKNOWN), UNKNOWN)
    count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
    warning = f"The verdict {verdict.key!r} contradicts {count} among the open findings. Taken: {key!r}."
    return verdict.model_copy(update={"key": key, "warnings": (*verdict.warnings, warning)})
