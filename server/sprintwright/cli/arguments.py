"""The arguments of one command: options anywhere, words in order, and `--ROLE AGENT` where a command takes roles."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

Words = Literal["one", "optional", "all"]
_NARGS: dict[Words, Any] = {"one": None, "optional": "?", "all": "*"}


class _Parser(argparse.ArgumentParser):
    """One sentence instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to read more; 2."""
        self.exit(2, f"{self.prog}: {message}\nSee: {self.prog} --help\n")


@dataclass(frozen=True, slots=True)
class _Word:
    dest: str
    count: Words
    default: str
    text: str


class Arguments:
    """What a command takes: declared once, for its `--help` and for reading.

    argparse reads the options only: with optional words it would take a role's agent for one of them.
    """

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text
        self._options = _Parser(prog=f"sprintwright {name}", add_help=False, allow_abbrev=False)
        self._words: list[_Word] = []
        self.option("--folder", default=".", metavar="DIR", help="the folder to work in (default: this one)")

    def option(self, *names: str, **how: Any) -> None:
        """An option, as argparse has it."""
        self._options.add_argument(*names, **how)

    def flag(self, name: str, text: str) -> None:
        """An option without a value."""
        self._options.add_argument(name, action="store_true", help=text)

    def word(self, dest: str, text: str, *, count: Words = "one", default: str = "") -> None:
        """A word, or with ``all`` a list of all that follow."""
        self._words.append(_Word(dest, count, default, text))

    def help_text(self) -> str:
        """The whole help of the command."""
        shown = _Parser(
            prog=f"sprintwright {self._name}", description=self._text, parents=[self._options], allow_abbrev=False
        )
        for word in self._words:
            shown.add_argument(word.dest, nargs=_NARGS[word.count], help=word.text)
        return shown.format_help()

    def parse(self, argv: Sequence[str], *, roles: bool = False) -> argparse.Namespace:
        """Read the arguments behind the command's name; what is wrong ends the program in words, with 2.

        Args:
            argv: what was typed.
            roles: take unknown flags as roles; they stand in ``rest``, each with its value.
        """
        typed = list(argv)
        end = typed.index("--") if "--" in typed else len(typed)
        if {"-h", "--help"} & set(typed[:end]):
            print(self.help_text(), end="")
            raise SystemExit(0)
        known, left = self._options.parse_known_args(typed[:end])
        words, rest = self._divided(left, roles)
        self._assign(known, words + typed[end + 1 :])
        known.rest = rest
        return known

    def _divided(self, left: list[str], roles: bool) -> tuple[list[str], list[str]]:
        words, flags = list[str](), list[str]()
        while left:
            word = left.pop(0)
            if not word.startswith("-") or word == "-":
                words.append(word)
                continue
            if not (roles and word.startswith("--")):
                self._options.error(f"unrecognized argument: {word}")
            flags.append(word)
            if "=" not in word and left and not left[0].startswith("--"):
                flags.append(left.pop(0))
        return words, flags

    def _assign(self, known: argparse.Namespace, words: list[str]) -> None:
        for word in self._words:
            if word.count == "all":
                setattr(known, word.dest, words)
                words = []
            elif words:
                setattr(known, word.dest, words.pop(0))
            elif word.count == "optional":
                setattr(known, word.dest, word.default)
            else:
                self._options.error(f"{word.dest.upper()} is missing: {word.text}")
        if words:
            self._options.error(f"unrecognized argument: {words[0]}")
