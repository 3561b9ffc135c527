"""Known secrets are masked where text enters: what is recorded, logged, shown or sent never holds them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus

_SHORTEST = 8
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:KEYS?|PASS|PASSWD|PASSPHRASE|PAT|PWD|CREDENTIALS?|BEARER|AUTHORIZATION)\d*(?:_|$)"
    r"|APIKEY|SECRET|PASSWORD|TOKEN",
    re.IGNORECASE,
)
_NOT_SECRET_NAME = re.compile(r"^(?:OLD)?PWD$|_(?:FILE|PATH|DIR|SOCK|URL|LIMIT|ID)$", re.IGNORECASE)
_COMMON_WORD = re.compile(
    r"(?:(?:test|dummy|fake|example|sample|secret|api|my|your|no|dev)[-_ ]?)*"
    r"(?:test|key|token|secret|value|example|password|passw0rd|here)"
    r"|change[-_ ]?me|disabled|placeholder|required|undefined|optional|development|production|unspecified"
    r"|0?123456789?0?|(.)\1*",
    re.IGNORECASE,
)
"""Values that stand in test set-ups for a secret: masking them would make ordinary text unreadable."""


class Masker:
    """Replaces the secrets that it knows by their names.

    Args:
        environment: variables; those whose *names* look like secrets count. Values under 8 characters, and
            common words, mask nothing.
        known: further secrets by name (configured keys, session secrets), whatever the names look like.
    """

    def __init__(self, environment: Mapping[str, str], known: Mapping[str, str] | None = None) -> None:
        secrets = {name: value for name, value in environment.items() if _looks_secret(name)}
        secrets.update(known or {})
        self._names: dict[str, str] = {}
        for name, value in secrets.items():
            if len(value) >= _SHORTEST and not _COMMON_WORD.fullmatch(value):
                for form in _forms(value):
                    self._names.setdefault(form, name)
        # Longest first: a secret that begins with another is masked whole.
        forms = sorted(self._names, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, forms))) if forms else None
        self._longest = max(map(len, forms), default=0)

    def mask(self, text: str) -> str:
        """The text with each secret, plain or encoded (URL, base64, JSON), replaced by `[masked NAME]`."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda match: f"[masked {self._names[match[0]]}]", text)

    def stream(self) -> MaskedStream:
        """A masker for text that arrives in pieces."""
        return MaskedStream(self)

    def settled(self, text: str) -> int:
        """How much of ``text`` can be masked now: behind it stands what may be the beginning of a secret."""
        if self._pattern is None:
            return len(text)
        end = next(
            start
            for start in range(max(0, len(text) - self._longest + 1), len(text) + 1)
            if start == len(text) or self._begins_secret(text[start:])
        )
        for match in self._pattern.finditer(text):
            if match.start() < end < match.end():
                return match.end()
        return end

    def _begins_secret(self, tail: str) -> bool:
        return any(form.startswith(tail) and form != tail for form in self._names)


class MaskedStream:
    """Masks across the borders of pieces: what could be the beginning of a secret waits for what follows."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._held = ""

    def feed(self, text: str) -> str:
        """Take a piece; what can be passed on now."""
        text = self._held + text
        end = self._masker.settled(text)
        self._held = text[end:]
        return self._masker.mask(text[:end])

    def close(self) -> str:
        """What was still held."""
        held, self._held = self._held, ""
        return self._masker.mask(held)


def _looks_secret(name: str) -> bool:
    return bool(_SECRET_NAME.search(name)) and not _NOT_SECRET_NAME.search(name)


def _forms(value: str) -> Iterator[str]:
    yield value
    for encoded in (quote(value, safe=""), quote(value), quote_plus(value)):
        yield encoded
        yield re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), encoded)
    for ascii_only in (True, False):
        yield json.dumps(value, ensure_ascii=ascii_only)[1:-1]
    yield repr(value)[1:-1]
    yield from _base64_forms(value.encode("utf-8", "surrogateescape"))


def _base64_forms(raw: bytes) -> Iterator[str]:
    """The letters that depend on the secret alone, at each of its three places in a longer text."""
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + raw).decode()
        first = -(-before * 8 // 6)
        last = (before + len(raw)) * 8 // 6
        yield encoded[first:last]
        yield encoded[first:last].replace("+", "-").replace("/", "_")
