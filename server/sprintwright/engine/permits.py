"""What an agent may do: by its role's permissions, or as the user says.

An answer for the whole run holds for the same role and the very same words, the command or the difference whole
(faults.md X74); it is found again in the journal when the run is gone on with.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from sprintwright.engine.ports import Act, ActKind
from sprintwright.errors import PathRefused
from sprintwright.model.definition import Permissions
from sprintwright.paths import protection, relative_inside
from sprintwright.text import clean, one_line

ONCE, FOR_THIS_RUN, NEVER = "once", "for this run", "never"
"""What the user answers; anything else, such as the policy's `deny`, is no."""
_LASTING = {FOR_THIS_RUN: True, NEVER: False}

Decision: TypeAlias = Literal["allow", "deny", "ask"]
Granted: TypeAlias = dict[tuple[str, str], bool]
"""Role and words to the user's answer for the whole run."""

_CHANGES: tuple[ActKind, ...] = ("edit", "delete", "move")
_RULES: Mapping[Permissions, tuple[Decision, Decision, Decision]] = {
    # changes of files, commands, anything else that is not reading
    "read_only": ("deny", "deny", "ask"),
    "ask": ("ask", "ask", "ask"),
    "workspace_write": ("allow", "ask", "ask"),
    "full": ("allow", "allow", "allow"),
}
_HARMLESS: tuple[ActKind, ...] = ("read", "search", "think", "tool")
_SHELL = re.compile(r"[;&|<>`$\n(){}*?~!#\\]")
_OPEN_ENDED = frozenset([
    "sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh", "pwsh", "powershell", "cmd", "env", "xargs", "find",
    "eval", "exec", "sudo", "su", "doas", "nohup", "watch", "ssh", "scp", "sftp", "curl", "wget", "nc", "ncat",
    "netcat", "telnet", "ftp", "rsync", "socat", "python", "python2", "python3", "node", "deno", "bun", "ruby", "perl",
    "php", "lua", "awk", "gawk", "make", "npx", "uvx", "pipx", "git", "docker", "podman", "kubectl",
])  # fmt: skip
"""Programs of which one command says little about the next: they run what their input or their settings say."""


def decide(permissions: Permissions, act: Act, folder: Path) -> tuple[Decision, str]:
    """What a role's permissions say, and why it is not simply allowed. Pure.

    A place outside the folder or one of `.git`, `.sprintwright`, `.vscode` is refused to every role, and the settings
    of agents and shells are asked about by every role: what stands there runs by itself.
    """
    if act.kind in _HARMLESS:
        return "allow", ""
    changes, commands, others = _RULES[permissions]
    decision = changes if act.kind in _CHANGES else commands if act.kind == "execute" else others
    because = f"the role's permissions are {permissions}"
    for path in changed_by(act):
        try:
            protected = protection(relative_inside(path, folder))
        except PathRefused as error:
            return "deny", error.message
        if protected == "refused":
            return "deny", f"{path!r} is protected"
        if protected == "asks" and decision == "allow":
            decision, because = "ask", f"{path!r} decides what programs do here"
    return decision, because


def changed_by(act: Act) -> tuple[str, ...]:
    """The files that an act changes, as far as it says so."""
    return act.paths if act.kind in _CHANGES else ()


def choices(act: Act) -> tuple[str, ...]:
    """What the user can answer; nothing lasting where one act says little about the next (X74)."""
    return (ONCE, FOR_THIS_RUN, NEVER) if _says_all(act) else (ONCE, NEVER)


def _says_all(act: Act) -> bool:
    if any(protection(path) for path in act.paths) or not shown(act):
        return False
    if act.kind != "execute":
        return True
    if _SHELL.search(act.text):
        return False
    try:
        words = shlex.split(act.text)
    except ValueError:
        return False
    return bool(words) and words[0].rpartition("/")[2].casefold() not in _OPEN_ENDED and "=" not in words[0]


def shown(act: Act) -> str:
    """The words that the user reads and agrees to: all of them."""
    named = ", ".join(clean(path, newlines=False) for path in act.paths if not _names(act.title, path))
    title = "" if act.text.startswith(act.title) else one_line(act.title, 300)
    first = " ".join(part for part in (act.kind, title, f"({named})" if named else "") if part)
    return f"{first}\n\n{act.text}" if act.text else first


def _names(title: str, path: str) -> bool:
    """Whether a title has a path as a word of its own: `.env` does not stand in `.env.example`."""
    return re.search(rf"(?<![\w./\\-]){re.escape(path)}(?![\w./\\-])", title) is not None


def answered(granted: Granted, role: str, words: str, answer: str) -> bool:
    """Whether an answer allows the act; one for the whole run is kept in ``granted``."""
    if (lasting := _LASTING.get(answer)) is not None:
        granted[role, words] = lasting
    return answer in (ONCE, FOR_THIS_RUN)
