"""Values that change their type from one layer to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import Compose, Computed
from lamina.engine.provenance import key_origin, source_nodes_of
from lamina.errors import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.delta import Delta
    from lamina.engine.node import Node, SourceNode
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.views.lint.context import Survey
    from lamina.views.lint.merge_pairs import MergePair

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),
    ((int, float), "a number"),
    (str, "a string"),
    (dict, "a mapping"),
    ((list, tuple), "a list"),
)


def kind_changes(survey: Survey) -> Iterator[Note]:
    """A finding for each value that is merged with one of another type."""
    reported: set[Origin] = set()
    for pair in survey.merge_pairs:
        if not pair.both or pair.old.value is None or pair.new.value is None:
            continue
        if pair.step.verb is not None:
            # What is filled in from elsewhere often replaces a placeholder.
            continue
        if kind_of(pair.old.value) == kind_of(pair.new.value) or _is_converted(pair.delta):
            continue
        earlier, later = _as_written(pair.old), _as_written(pair.new)
        if earlier is not None and later is not None and later.origin() not in reported:
            reported.add(later.origin())
            yield _finding(survey, pair, earlier, later)


def _is_converted(delta: Delta) -> bool:
    """Whether the merge converts one of the values, since both are forms of the same thing."""
    while isinstance(delta, Compose):
        if isinstance(delta.old, Computed) or isinstance(delta.new, Computed):
            return True
        delta = delta.delta
    return False


def _as_written(node: Node) -> SourceNode | None:
    """The value as written; None if the program converted it to another type."""
    written = next(source_nodes_of(node), None)
    return written if written is not None and kind_of(written.value) == kind_of(node.value) else None


def kind_of(value: Any) -> str:
    """What people call a value's kind; numbers are one kind, whole or not."""
    return next((word for kinds, word in _KINDS if isinstance(value, kinds)), f"a {type(value).__name__}")


def _finding(survey: Survey, pair: MergePair, earlier: SourceNode, later: SourceNode) -> Note:
    before, after = kind_of(earlier.value), kind_of(later.value)
    return Diagnostic(
        code="type-change",
        message=f"{survey.name(later, pair)} is {after} here and {before} in {earlier.layer}",
        at=key_origin(later),
        path=survey.full_path(pair.output, pair.path),
        related=((f"{before} is here", earlier.origin()),),
        hint="use one type in both; quotes make a string",
        subject=later.layer,
    )
