"""One remark of an evaluator or of a check about a place in the folder."""

from __future__ import annotations

import hashlib
from typing import Literal

from sprintwright.model.value import Value

FindingSeverity = Literal["error", "warning", "info", "hint"]


class Finding(Value):
    """A remark with a place. Lines and columns are 1-based as people and compilers write them; 0 = not known.

    ``path`` is relative to the folder, with ``/``, already confined; empty for a remark about the whole.
    """

    message: str
    severity: FindingSeverity = "warning"
    path: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    code: str = ""
    snippet: str = ""
    """Text of the line that is meant; finds the place again after edits."""
    suggestion: str = ""

    @property
    def identity(self) -> str:
        """Equal for the same remark in two passes: path and normalised snippet, or message (design.md section 4)."""
        text = " ".join((self.snippet or self.message).split())
        return hashlib.sha256(f"{self.path}\0{self.code}\0{text}".encode()).hexdigest()[:16]

    @property
    def place(self) -> str:
        """``path:line:column`` as far as it is known."""
        parts = [self.path, *(str(n) for n in (self.line, self.column) if n)] if self.path else []
        return ":".join(parts)
