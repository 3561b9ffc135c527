"""The protocol's enumerations come in as members and go out as they came, also those that a newer protocol has."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from sprintwright.lsp.protocol import HardenedProtocol

WHERE = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}}


@pytest.mark.parametrize(("severity", "tag"), [(1, 1), (4, 2), (9, 77)])
def test_a_diagnostic_that_comes_back_in_a_code_action_goes_out_as_it_came(severity: int, tag: int) -> None:
    converter = default_converter()
    LanguageServer("sprintwright", "1", protocol_cls=HardenedProtocol, converter_factory=lambda: converter)
    sent: dict[str, Any] = {"message": "m", "range": WHERE, "severity": severity, "tags": [tag], "data": {"a": 1}}
    diagnostic = converter.structure(sent, types.Diagnostic)
    assert isinstance(diagnostic.severity, types.DiagnosticSeverity) == (severity < 9)
    action = types.CodeAction("Mend it", kind=types.CodeActionKind.QuickFix, diagnostics=[diagnostic])
    assert converter.unstructure(action) == {"title": "Mend it", "kind": "quickfix", "diagnostics": [sent]}


def test_a_number_that_is_none_is_still_refused() -> None:
    converter = default_converter()
    LanguageServer("sprintwright", "1", protocol_cls=HardenedProtocol, converter_factory=lambda: converter)
    with pytest.raises(Exception, match="Diagnostic"):
        converter.structure({"message": "m", "range": WHERE, "severity": "1"}, types.Diagnostic)
