"""Rules of a single stage: fields that need each other, exclude each other, or have no effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sprintwright.definitions.insertion import add_key, is_json
from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, SequenceNode, problem
from sprintwright.definitions.outline import Outline, StageView
from sprintwright.definitions.reporting import on_key, place_of
from sprintwright.model.problem import Edit, Fix, Problem

_FILLED = {
    "agent_turn": ("id", "role", "prompt"), "user_checkpoint": ("id", "prompt"), "parallel_group": ("id", "over"),
    "board_seed": ("id", "over"),
}  # fmt: skip
_NOT_IN_IDS = re.compile(r"[/\[\]\x00-\x1f\x7f-\x9f\u2028\u2029]")
_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,18}\s*")


def check_stage(stage: StageView, outline: Outline) -> Iterator[Problem]:
    """Everything that is wrong with a stage as it is, or useless about it."""
    yield from _filled(stage)
    yield from _id(stage)
    rules = {
        "agent_turn": _agent_turn, "loop": _loop, "parallel_group": _parallel_group, "check": _check,
        "board_seed": _board_seed,
    }  # fmt: skip
    rule: Callable[[StageView, Outline], Iterator[Problem]] | None = rules.get(stage.kind)
    if rule:
        yield from rule(stage, outline)
    if stage.has("verdict") and stage.kind not in ("agent_turn", "check", "user_checkpoint"):
        message = (
            f"{stage.title} is a {stage.kind}, which gives no verdict; move it to an agent_turn, check or "
            "user_checkpoint."
        )
        yield on_key(stage.node, "verdict", "verdict_misplaced", message)


def _filled(stage: StageView) -> Iterator[Problem]:
    """Fields that are there, but blank; the model tells of those that are missing."""
    for key in _FILLED.get(stage.kind, ("id",)):
        value = stage.node.get(key)
        if isinstance(value, ScalarNode) and not value.absent and not value.text.strip():
            yield on_key(
                stage.node, key, "empty_value", f"{stage.title} ({stage.kind}) has an empty {key!r}; fill it in."
            )


def _id(stage: StageView) -> Iterator[Problem]:
    if found := _NOT_IN_IDS.search(stage.id):
        message = f"The id {stage.id!r} has {found[0]!r}, which the keys of a run can't hold; leave it out."
        yield on_key(stage.node, "id", "stage_id", message)


def _agent_turn(stage: StageView, outline: Outline) -> Iterator[Problem]:
    node = stage.node
    pair = ("run_unless_marker_in", "run_unless_contains")
    given = [key for key in pair if stage.text(key)]
    if len(given) == 1:
        other = pair[1 - pair.index(given[0])]
        yield on_key(
            node, given[0], "run_unless", f"{stage.title} has {given[0]!r} without {other!r}; give both, or none."
        )
    marker, answer = "skip_user_checkpoint_marker", "on_answer_prompt"
    if stage.text(marker) and not stage.text(answer):
        message = f"{stage.title} has a marker but no {answer!r}; say what the agent is to do with the user's answer."
        yield on_key(node, marker, "marker_without_prompt", message, "warning")
    if stage.text(answer) and not stage.text(marker):
        message = f"{stage.title} has {answer!r}, which has no effect without {marker!r}."
        yield on_key(node, answer, "prompt_without_marker", message, "warning")
    verdict = node.get("verdict")
    if isinstance(verdict, MappingNode) and verdict.pairs and verdict.get("unknown") is None:
        message = f"{stage.title} has no verdict rule 'unknown': an answer without a verdict fails the stage."
        rule = '{"action": "retry", "warn": true}' if is_json(verdict) else "{action: retry, warn: true}"
        fix = add_key(verdict, "unknown", rule)
        yield problem("no_unknown_rule", message, place_of(node, "verdict"), severity="warning", fix=fix)
    if stage.has("use_memory"):
        message = f"{stage.title} has 'use_memory', which is accepted from older files and ignored."
        yield on_key(node, "use_memory", "ignored_key", message, "warning")


def _loop(stage: StageView, outline: Outline) -> Iterator[Problem]:
    limits = [key for key in ("max_iterations", "max_iterations_from") if _gives_limit(stage, key)]
    if stage.text("over"):
        for key in limits:
            message = f"{stage.title} goes over the headings '{stage.text('over')}', so {key!r} has no effect."
            yield on_key(stage.node, key, "limit_unused", message, "warning")
        return
    if not limits:
        message = f"{stage.title} (loop) would have no end; give it 'over', 'max_iterations' or 'max_iterations_from'."
        yield problem("endless_loop", message, place_of(stage.node, "max_iterations", "id"))
    if stage.body and not _has_entries(stage.body[-1].node.get("verdict")):
        last = stage.body[-1]
        message = f"{last.title} ends the body of {stage.id!r} without a verdict, so the loop goes on to its limit."
        yield problem("loop_without_verdict", message, place_of(last.node, "id", "kind"), severity="hint")


def _gives_limit(stage: StageView, key: str) -> bool:
    """Whether a limit is given, be it a wrong one: that is told by itself. 0 passes are none."""
    text = stage.text(key)
    return stage.has(key) and not (key == "max_iterations" and _INTEGER.fullmatch(text) and int(text) == 0)


def _has_entries(node: Node | None) -> bool:
    return isinstance(node, MappingNode) and bool(node.pairs)


def _parallel_group(stage: StageView, outline: Outline) -> Iterator[Problem]:
    text = stage.text("max_concurrency")
    if _INTEGER.fullmatch(text) and int(text) < 0:
        message = f"{stage.title} has 'max_concurrency' below 0, which means 1; write the number of items at a time."
        yield on_key(stage.node, "max_concurrency", "concurrency", message, "warning")
    yield from _needs_from(stage)


def _board_seed(stage: StageView, outline: Outline) -> Iterator[Problem]:
    if outline.root.text("board").strip().lower() not in ("true", "yes", "on", "1", "y", "t"):
        message = f"{stage.title} fills the board, but the workflow has none; add 'board: true' at the top."
        yield problem("board_off", message, place_of(stage.node, "kind"), fix=_board_on(outline.root))
    yield from _needs_from(stage)


def _board_on(root: MappingNode) -> Fix | None:
    title, value = "Add 'board: true'", root.get("board")
    if value is None:
        return add_key(root, "board", "true", title=title)
    edit = Edit(range=value.range, text="true" if value.end > value.start else " true")
    return Fix(title="Write 'board: true'", edits=(edit,))


def _needs_from(stage: StageView) -> Iterator[Problem]:
    if not stage.text("from"):
        message = f"{stage.title} ({stage.kind}) has no 'from', so there is no text to find headings in; name one."
        yield problem("from_missing", message, place_of(stage.node, "from", "over", "id"), severity="warning")


def _check(stage: StageView, outline: Outline) -> Iterator[Problem]:
    commands = stage.node.get("commands")
    if not isinstance(commands, SequenceNode):
        return
    for command in commands.items:
        if isinstance(command, SequenceNode):
            yield from _command(stage, command)


def _command(stage: StageView, command: SequenceNode) -> Iterator[Problem]:
    arguments = [item for item in command.items if isinstance(item, ScalarNode)]
    if not command.items or (arguments and not arguments[0].text.strip()):
        yield problem("empty_command", f"{stage.title} has a command without a program; name one.", command.range)
    for argument in arguments:
        if "{{" in argument.text:
            message = f"{stage.title}: nothing is inserted into commands, because agents could write it; spell it out."
            yield problem("template_in_command", message, argument.range)
        if "\0" in argument.text:
            message = f"{stage.title}: an argument can't hold a NUL character; remove it."
            yield problem("control_character", message, argument.range)
