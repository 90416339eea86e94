"""Values in PowerShell data files: a constant is replaced where PowerShell reads the new text as exactly the value.

Members are neither added nor removed: what is around a value there may be an expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.powershell_data import psd1_reader, psd1_writer
from lamina.errors import InputError
from lamina.sources.source import Source
from lamina.values import same
from lamina.workspace.proposals.text_nodes import NotEditableError, TextEdit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.paths import Path

_ONLY_REPLACED = "values of PowerShell data files are replaced only, neither added nor removed"
_BOM = "\ufeff"


class Psd1Text:
    """The text of one PowerShell data file, of which scalars can be replaced."""

    def __init__(self, name: str, data: bytes) -> None:
        try:
            self.text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise NotEditableError("it is not text in UTF-8") from None
        self._source = Source(name, data)
        self._bom = len(self.text) - len(self.text.removeprefix(_BOM))

    def edited(self, edits: Sequence[TextEdit]) -> bytes:
        """The text with an edit made."""
        if len(edits) != 1:
            raise NotEditableError("only one value of a PowerShell data file is replaced at a time")
        [edit] = edits
        return (self.text[: edit.start] + edit.text + self.text[edit.end :]).encode("utf-8")

    def replace(self, line: int, column: int, value: Any) -> TextEdit:
        """Write another value in the place of the one that begins at a line and a column, counted from one."""
        try:
            written = psd1_writer.dump(value)
            changed, found = psd1_reader.with_text_at(self._source, line - 1, column - 1, written)
        except LookupError:
            raise NotEditableError("a key, a table or an array is there, or nothing") from None
        except (ValueError, InputError):
            raise NotEditableError("a PowerShell data file cannot hold that value there") from None
        if not same(found, value):
            raise NotEditableError("PowerShell would read that value as another one there")
        before = self.text[self._bom :]
        start = next(
            (at for at, (a, b) in enumerate(zip(before, changed, strict=False)) if a != b),
            min(len(before), len(changed)),
        )
        kept = 0
        while kept < min(len(before), len(changed)) - start and before[-1 - kept] == changed[-1 - kept]:
            kept += 1
        return TextEdit(self._bom + start, len(self.text) - kept, changed[start : len(changed) - kept])

    def add(self, line: int, column: int, path: Path, value: Any) -> TextEdit:  # noqa: ARG002
        raise NotEditableError(_ONLY_REPLACED)

    def add_to_document(self, path: Path, value: Any) -> TextEdit:  # noqa: ARG002
        raise NotEditableError(_ONLY_REPLACED)

    def add_document(self, value: Any) -> TextEdit:  # noqa: ARG002
        raise NotEditableError(_ONLY_REPLACED)

    def remove(self, line: int, column: int, *, with_empty: bool = False) -> TextEdit:  # noqa: ARG002
        raise NotEditableError(_ONLY_REPLACED)
