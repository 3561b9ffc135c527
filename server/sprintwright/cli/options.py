"""What each command takes, one function a command; `sprintwright.cli.commands` has the table of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sprintwright.cli.arguments import Arguments

_RUN = "id of the run or part of it, or `last`"


def nothing(_a: Arguments) -> None:
    """It takes no arguments."""


def any_run(a: Arguments) -> None:
    a.word("run", f"{_RUN} (default: the newest)", count="optional", default="last")


def this_run(a: Arguments) -> None:
    a.word("run", _RUN)


def live(a: Arguments) -> None:
    a.flag("--json", "one event a line instead of the live tree")
    a.flag("--yes", "ask nothing: empty answers, never a permission")
    a.flag("--plain", "no live tree, one line an event")
    a.option("--consent", metavar="HASH", help="agree to what files of this folder would run")
    a.flag("--concurrent", "although another run is live in the folder")


def passes(a: Arguments) -> None:
    a.option("--max-passes", type=int, metavar="N", help="limit of each loop of passes")


def roles(a: Arguments) -> None:
    a.option("--role", action="append", default=[], metavar="NAME=AGENT", help="agent of a role; also --NAME AGENT")
    a.option("--primary", metavar="AGENT", help="agent for every role that has none of its own")


def artifacts(a: Arguments) -> None:
    a.option("--artifacts", choices=("mine", "back"), help="files that were changed: use mine, or put them back")


def run(a: Arguments) -> None:
    a.word("workflow", "name of the workflow; see `sprintwright workflows`", count="optional")
    a.word("task", "what is to be done; `-` reads it from standard input", count="all")
    a.option("--task-file", metavar="F", help="read the task from a file")
    roles(a)
    a.option("--var", action="append", default=[], metavar="K=V", help="replace a variable of the workflow")
    a.option("--pause-after", action="append", default=[], metavar="STAGE", help="pause when this stage is done")
    a.option("--start-token", metavar="T", help="the same token again is the same run, however often it is sent")
    a.flag("--untrusted", "take nothing from the folder's own .sprintwright")
    passes(a)
    live(a)


def resume(a: Arguments) -> None:
    any_run(a)
    a.option("--interrupted", choices=("redo", "keep", "stop"), help="what to do with a cut-off turn")
    a.option("--definition", choices=("frozen", "current"), help="the run's own copy, or the file as it is now")
    artifacts(a)
    a.option("--turns", type=int, metavar="N", help="new limit of turns")
    a.option("--wall-seconds", type=float, metavar="N", help="new limit of the run's time")
    a.option("--tokens", type=int, metavar="N", help="new limit of tokens")
    a.option("--cost", type=float, metavar="N", help="new limit of cost, in US dollars")
    a.option("--items", type=int, metavar="N", help="new limit of items that one group or loop goes over")
    a.flag("--accept-shorter", "go on from a journal older than what was seen")
    passes(a)
    live(a)


def continue_(a: Arguments) -> None:
    any_run(a)
    artifacts(a)
    live(a)


def answer(a: Arguments) -> None:
    this_run(a)
    a.word("text", "the answer; `-` reads it from standard input", count="all")
    a.option("--question", metavar="KEY", help="which question, when several are open; see `sprintwright show`")
    artifacts(a)
    live(a)


def say(a: Arguments) -> None:
    this_run(a)
    a.word("text", "what the next prompt says too; `-` reads it from standard input", count="all")
    a.option("--lane", metavar="KEY", help="only to this item of a group, such as 'items[2]'")


def end(a: Arguments) -> None:
    any_run(a)
    artifacts(a)


def rerun(a: Arguments) -> None:
    this_run(a)
    a.word("leaf", "the step to do again, as `sprintwright show --json` names it; all behind it is done again too")
    a.flag("--preview", "only show what would be done again")
    artifacts(a)
    live(a)


def restore(a: Arguments) -> None:
    any_run(a)
    a.option("--to", metavar="LEAF", default="", help="to before this step, or `start` (default: before the run)")
    a.flag("--apply", "do it; without this, only show it")
    a.flag("--yes", "with --apply: do not ask")


def reconfigure(a: Arguments) -> None:
    any_run(a)
    roles(a)


def delete(a: Arguments) -> None:
    a.word("runs", f"{_RUN}; several are deleted one after the other", count="all")
    a.flag("--yes", "do not ask")


def finding(a: Arguments) -> None:
    this_run(a)
    a.word("finding", "number or id of the finding, as `sprintwright show` lists it")


def fix(a: Arguments) -> None:
    finding(a)
    roles(a)
    passes(a)
    live(a)


def show(a: Arguments) -> None:
    any_run(a)
    a.flag("--follow", "keep the picture up to date until the run ends")
    a.option("--format", choices=("tree", "json", "github", "sarif"), help="for people (tree), for scripts, or for CI")
    a.flag("--json", "the whole state as JSON: --format json")
    a.option("--changes", nargs="?", const="", metavar="LEAF", help="the diff of a leaf, a pass, or the run")


def listing(a: Arguments) -> None:
    a.flag("--all", "all your runs, wherever they are")
    a.option("--limit", type=int, metavar="N", help="only the newest N; 0: all (default: 50, with --json all)")
    a.flag("--json", "one run a line")


def lines(a: Arguments) -> None:
    a.flag("--json", "one entry a line, as JSON")


def validate(a: Arguments) -> None:
    a.word("files", "files to check (default: all that are seen from this folder)", count="all")
    lines(a)


def help_(a: Arguments) -> None:
    a.word("name", "a workflow or a command (default: a list of both)", count="optional")


def init(a: Arguments) -> None:
    a.option("--workflow", metavar="NAME", help="write a starter workflow into this folder instead")


def schema(a: Arguments) -> None:
    a.option("--check", metavar="FILE", help="exit 1 if FILE is not the schema")
