"""Sharing: which parts of different outputs have the same value and the same history.

Nodes of a fleet have most of their layers in common. What is at a key of a merged mapping follows from what the layers
have there and from the steps that merge it; so two outputs share all they have at a key if the same mappings of the
same files set it and the same steps merge them. The page then collects it once.

A mapping has an outline if it was made only by taking mappings whole and by merging them key by key. Everything else
(computed values, keys removed by a marker elsewhere, very long histories) has none, and is collected as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.engine.delta import NEW, OLD, MapDelta, Removed
from lamina.engine.node import LiteralNode, MergedNode, SourceNode
from lamina.engine.step_context import StepRef
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from lamina.engine.node import Node

Part: TypeAlias = "_AbsentPart | _WrittenPart | _MergedPart"
"""A mapping that no source has, one that a source has, or two merged."""

DEEPEST = 64
"""Merges on top of one another that are looked at."""


class _Unknown(Exception):
    """What is at a key does not follow from what the two sides have there."""


class _AbsentPart:
    """Nothing, or an empty mapping that the program made."""

    __slots__ = ("ident",)

    def __init__(self, ident: int) -> None:
        self.ident = ident

    def at(self, key: Any) -> Hashable:  # noqa: ARG002 - it has nothing at any key
        return self.ident


_NOTHING, _EMPTY = _AbsentPart(0), _AbsentPart(1)


class _WrittenPart:
    __slots__ = ("ident", "value")

    def __init__(self, value: Mapping[Any, Any], ident: int) -> None:
        self.value = value
        self.ident = ident

    def at(self, key: Any) -> Hashable:
        return self.ident if key in self.value else 0


class _MergedPart:
    __slots__ = ("delta", "new", "old", "step")

    def __init__(self, delta: Any, step: int, old: Part, new: Part) -> None:
        self.delta = delta
        self.step = step
        self.old = old
        self.new = new

    def at(self, key: Any) -> Hashable:
        delta, old, new = self.delta, self.old, self.new
        entry: Any = delta
        if type(delta) is MapDelta:
            entry = delta.entries.get(key)
            if entry is None:
                return old.at(key)
            if type(entry) is Removed:
                if entry.marker is not None:
                    raise _Unknown
                entry = (entry.verdict, entry.by)
            elif entry is not OLD and entry is not NEW:
                entry = type(entry).__name__
            if delta.under:
                entry = entry, id(delta.under.get(key))
        return entry, self.step, old.at(key), new.at(key)


class Sharing:
    """Finds what outputs share; `through` says what the page shows of the name of an output."""

    def __init__(self, through: Callable[[str], Hashable]) -> None:
        self._through = through
        self._numbers: dict[Hashable, int] = {}
        """Small numbers for sources and steps: what is compared is short."""

    def outline(self, node: Node, table: str | None) -> Part | None:
        """How a mapping was made, if that is known; what put it into the output `table` is not shown.

        What is in a list may be at another position elsewhere, and events name positions.
        """
        if any(type(step) is int for step in node.path):
            return None
        try:
            return self._part(node, table, DEEPEST)
        except _Unknown:
            return None

    def mark(self, outline: Part | None, key: Any) -> Hashable | None:
        """What two outputs have in common if they share all they have at a key; None where that is not known."""
        if outline is None:
            return None
        try:
            return key, outline.at(key)
        except _Unknown:
            return None

    def _part(self, node: Node, table: str | None, depth: int) -> Part:
        if type(node) is MergedNode and depth:
            step = self._number(self._step(node, table))
            return _MergedPart(
                node.delta, step, self._part(node.old, table, depth - 1), self._part(node.new, table, depth - 1)
            )
        if type(node) is SourceNode and isinstance(node.value, dict):
            return _WrittenPart(node.value, self._number((id(node.tape), node.index, node.layer)))
        if type(node) is LiteralNode and node.value is MISSING:
            return _NOTHING
        if type(node) is LiteralNode and node.value == {}:
            return _EMPTY
        raise _Unknown

    def _number(self, entry: Hashable) -> int:
        return self._numbers.setdefault(entry, len(self._numbers) + 2)

    def _step(self, node: MergedNode, table: str | None) -> Hashable:
        """All that the page shows of the step that merged two nodes."""
        delta, cause = node.delta, node.cause
        by_key = type(delta) is MapDelta and not delta.outer
        if not (by_key or delta is OLD or delta is NEW) or node.marker is not None or not isinstance(cause, StepRef):
            raise _Unknown
        if cause.output == table:
            return ()
        step = cause.step
        if getattr(step, "directives", None):
            raise _Unknown
        return (
            node.verdict,
            id(node.policy),
            id(getattr(step, "policy", None)),
            step.directive.text,
            step.directive.origin,
            step.verb,
            step.hands_on,
            self._through(cause.output),
        )
