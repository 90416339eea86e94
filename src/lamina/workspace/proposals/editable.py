"""Files that can be edited, by their format: what is common to YAML, JSON, TOML and PowerShell data."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

from lamina.workspace.proposals.text_nodes import NotEditableError, TextNodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.paths import Path
    from lamina.workspace.proposals.text_nodes import TextEdit

_NOT_EDITED = (".ps1", ".ini", ".cfg", ".eyaml", ".gz", ".j2")


class Editable(Protocol):
    """The text of one file: edits of values in it, by where they begin, lines and columns counted from one."""

    def edited(self, edits: Sequence[TextEdit]) -> bytes: ...

    def replace(self, line: int, column: int, value: Any) -> TextEdit: ...

    def add(self, line: int, column: int, path: Path, value: Any) -> TextEdit: ...

    def add_to_document(self, path: Path, value: Any) -> TextEdit: ...

    def add_document(self, value: Any) -> TextEdit: ...

    def remove(self, line: int, column: int, *, with_empty: bool = False) -> TextEdit: ...


def editable(path: str, data: bytes) -> Editable:
    """A file that can be edited."""
    ending = os.path.splitext(path)[1].lower()
    if ending in _NOT_EDITED:
        raise NotEditableError(f"files such as *{ending} are not edited")
    if ending == ".toml":
        from lamina.workspace.proposals.toml_text import TomlText

        return TomlText(data)
    if ending == ".psd1":
        from lamina.workspace.proposals.psd1_text import Psd1Text

        return Psd1Text(path, data)
    return TextNodes(data, is_json=ending == ".json")
