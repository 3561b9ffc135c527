"""Every command of the terminal, once: its name, its place in the help, and what it takes. A new one is added here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sprintwright.cli import options

if TYPE_CHECKING:
    from sprintwright.cli.arguments import Arguments

WATCH, ACT, ABOUT, OTHER = "start and watch", "act on a run", "workflows and agents", "other"


@dataclass(frozen=True, slots=True)
class Command:
    """One command. ``module`` is the one of `sprintwright.cli` whose ``run`` does it; by default that of its name."""

    name: str
    group: str
    text: str
    arguments: Callable[[Arguments], None]
    module: str = ""
    roles: bool = False
    """Whether unknown flags are roles: `--evaluator human`."""

    @property
    def acts(self) -> bool:
        """Whether it starts, decides or changes something: then an agent in its turn must not call it."""
        return self.group == ACT or self.name in ("run", "init")


COMMANDS: tuple[Command, ...] = (
    Command("run", WATCH, "Start a workflow on a task; asks for what is missing.", options.run, roles=True),
    Command("show", WATCH, "Show a run: tree, verdicts, findings, and what to type next.", options.show),
    Command("list", WATCH, "List the runs of a folder.", options.listing, "listing"),
    Command("demo", WATCH, "Run the demo: a real loop on a sample project, without any agent.",
            lambda a: a.flag("--plain", "no live tree, one line an event")),
    Command("resume", ACT, "Go on with a run that was interrupted, cancelled or stopped.", options.resume),
    Command("continue", ACT, "Go on with a run that paused after a stage.", options.continue_, "continue_"),
    Command("answer", ACT, "Answer a question that a run is waiting for.", options.answer),
    Command("say", ACT, "Add your words to the next prompt of a run.", options.say),
    Command("pause", ACT, "Pause a live run after the turn in hand.", options.any_run),
    Command("cancel", ACT, "Cancel a live run; what is finished is kept.", options.any_run),
    Command("end", ACT, "End a finished run that waits for it.", options.end),
    Command("rerun", ACT, "Do a step and all behind it again.", options.rerun),
    Command("restore", ACT, "Put the folder back to how it was before a step.", options.restore),
    Command("reconfigure", ACT, "Give the roles of a run to other agents.", options.reconfigure, roles=True),
    Command("delete", ACT, "Delete a run's own files; the folder's stay.", options.delete),
    Command("dismiss", ACT, "Mark a finding as none.", options.finding),
    Command("fix", ACT, "Start a run that mends one finding.", options.fix, roles=True),
    Command("workflows", ABOUT, "List the workflows that can be run here.", options.lines),
    Command("validate", ABOUT, "Check workflow files; every problem with its place.", options.validate),
    Command("agents", ABOUT, "List the configured agents and what is wrong with them.", options.lines),
    Command("init", ABOUT, "Write a first configuration, or a starter workflow.", options.init),
    Command("help", OTHER, "Explain a workflow step by step, or list what there is.", options.help_),
    Command("lsp", OTHER, "Serve an editor over standard input and output (language server).", options.nothing),
    Command("schema", OTHER, "Print the JSON Schema of workflow files.", options.schema),
)  # fmt: skip

_HEAD = """\
usage: sprintwright COMMAND …

Multi-agent development workflows: design, build, judge, until the work is good.
"""
_TAIL = """
start here:
  sprintwright demo                  a whole run on a sample project; needs no agent
  sprintwright init                  a first configuration, with the agents that you have
  sprintwright run                   asks what to run; or: run dev "Add a --json flag"
  sprintwright help dev              what a workflow does, step by step
  sprintwright COMMAND --help        what a command takes

exit codes: 0 completed, 1 failed, 2 usage or refused, 3 not converged, 4 needs you,
            130 cancelled (143 and 129 by signal)
"""


def find(name: str) -> Command | None:
    """The command of that name."""
    return next((command for command in COMMANDS if command.name == name), None)


def overview() -> str:
    """The text of `--help`: every command, by what one wants to do."""
    lines = [_HEAD]
    for group in (WATCH, ACT, ABOUT, OTHER):
        lines.append(f"{group}:")
        lines += [f"  {command.name:<12} {command.text}" for command in COMMANDS if command.group == group]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n" + _TAIL
