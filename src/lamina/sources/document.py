"""Documents: the results of readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.derived import Derived
from lamina.errors import Diagnostic, InputError, Note, Severity
from lamina.paths import show_key

if TYPE_CHECKING:
    from lamina.origins import Origin, PositionMap


class Document:
    """One document: its plain value, the positions of its nodes (the root is record 0), and the notes of the reader."""

    __slots__ = ("derived", "node_count", "notes", "only_json", "positions", "value")

    only_json: bool
    """Whether it is known to hold only what JSON has: mappings with strings as keys, lists, strings, numbers, booleans
    and null."""
    node_count: int
    """How many nodes it has; a collection counts twice."""
    notes: list[Note]
    derived: Derived
    """Values derived from the document, such as the step that merges it."""

    def __init__(self, value: Any, positions: PositionMap, notes: list[Note] | None = None) -> None:
        self.value = value
        self.positions = positions
        if notes is not None:
            self.notes = notes

    def __getattr__(self, name: str) -> Any:
        """Create the other attributes on demand: for most documents only the value is used."""
        made: Any
        if name == "notes":
            made = []
        elif name == "derived":
            made = Derived()
        elif name == "only_json":
            made = False
        elif name == "node_count":
            made = self.positions.record_count + self.positions.collection_count
        else:
            raise AttributeError(name)
        setattr(self, name, made)
        return made

    @property
    def origin(self) -> Origin:
        """Where the document's root was written."""
        return self.positions.origin(0)


def duplicate_key(key: Any, first: Origin, again: Origin) -> Note:
    """The note on a key written twice in one mapping."""
    return Diagnostic(
        code="duplicate-key",
        message=f"duplicate key {show_key(key)}, on lines {first.line} and {again.line}; the last one is used",
        at=again,
        related=(("the first one is here", first),),
        hint="remove one of them",
        severity=Severity.WARNING,
    )


def order_of_lines(note: Note) -> tuple[int, int]:
    """What notes on a document are sorted by, whatever a reader came to first."""
    return (note.at.line, note.at.column) if note.at else (0, 0)


def repeated_key_error(key: Any, first: Origin, again: Origin) -> InputError:
    """The error for a key written twice where the real program rejects that."""
    return InputError(
        Diagnostic(
            code="duplicate-key",
            message=f"duplicate key {show_key(key)}, on lines {first.line} and {again.line}",
            at=again,
            related=(("the first one is here", first),),
            hint="remove one of them",
        )
    )
