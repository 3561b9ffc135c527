"""Which of the open documents are definition files, and what was read of each."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from sprintwright.definitions.nodes import MAX_CHARACTERS
from sprintwright.language.document import Document
from sprintwright.lsp.documents import ExactDocument, open_document

LANGUAGE = "sprintwright"
_MOST_READ = 4
"""What was read of further documents is forgotten: with the nodes of hundreds the garbage collector alone would stop
the loop for most of a second."""
_WORKFLOW = re.compile(r"(?:^|/)\.sprintwright/workflows/[^/].*\.(?:yaml|yml|json)\Z", re.IGNORECASE)
_ENDINGS = (".yaml", ".yml", ".json")


def path_of(uri: str) -> str:
    """The path of a URI with `/` between its parts, whatever is percent-encoded in it; nothing is looked up."""
    parts = urlsplit(uri, allow_fragments=False)
    return unquote(parts.path or uri).replace("\\", "/")


def is_definition_file(uri: str, language: str | None, user_folder: str = "") -> bool:
    """Whether a document is a workflow's definition: by its folder, or because the client says so.

    Args:
        user_folder: the folder of the user's own definitions.
    """
    if language == LANGUAGE:
        return True
    path = path_of(uri)
    if path.endswith(".schema.json"):
        return False
    own = user_folder.replace("\\", "/").rstrip("/")
    below_own = bool(own) and path.startswith(own + "/") and path.lower().endswith(_ENDINGS)
    return below_own or bool(_WORKFLOW.search(path))


class OpenDefinitions:
    """The definition files that the client has open."""

    def __init__(self, server: LanguageServer, user_folder: str = "") -> None:
        self._server, self._user_folder = server, user_folder
        self._read: dict[str, tuple[TextDocument, int | None, Document]] = {}

    def find(self, uri: str) -> TextDocument | None:
        """The document of a URI, if it is a definition file and open."""
        found = open_document(self._server.workspace, uri)
        if found is None or not is_definition_file(uri, found.language_id, self._user_folder):
            return None
        return found

    def read(self, uri: str, opened: TextDocument) -> Document:
        """Its newest version, with what was read of it before."""
        kept = self._read.pop(uri, None)
        if kept is not None and kept[0] is opened and kept[1] == opened.version and opened.version is not None:
            self._read[uri] = kept
            return kept[2]
        text = opened.source
        if isinstance(opened, ExactDocument) and opened.oversized:
            text = " " * (MAX_CHARACTERS + 1)  # whatever it says, it is only told that it is too large
        json = opened.language_id in ("json", "jsonc") or path_of(uri).lower().endswith(".json")
        document = Document(text, json=json)
        self._read[uri] = (opened, opened.version, document)
        if len(self._read) > _MOST_READ:
            self._read.pop(next(iter(self._read)))
        return document

    def forget(self, uri: str) -> None:
        """It was closed."""
        self._read.pop(uri, None)
