"""Claims: which sources set a value at a path of one side's result, whether or not they won.

A claim is a source's name and the number of the value it had there. Where a list was merged as a whole its items
cannot be matched by position; then everything a list held at the rest of the path counts as set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.history import events_of, events_where
from lamina.engine.provenance import layer_of, origins_of, source_nodes_behind, source_nodes_of
from lamina.paths import MISSING, Path, child, walk
from lamina.views.diff.change import ByKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.history import Event
    from lamina.engine.node import Node
    from lamina.engine.plan import Directive
    from lamina.origins import Origin
    from lamina.views.diff.edited_lines import EditedLines
    from lamina.views.diff.match_sources import SourceNames
    from lamina.views.diff.value_ids import Numbering

Claim = tuple[str, int]
_IGNORED = "ignored"
"""Verdicts of layers that set something and changed nothing."""


class LayerClaim(NamedTuple):
    """One claim of a source: the value, its origin, and its layer."""

    claim: Claim
    origin: Origin
    layer: str | None


class LayerClaims:
    """The claims on one side's output."""

    def __init__(self, node: Node, names: SourceNames, numbering: Numbering, edits: EditedLines, side: int) -> None:
        self._root = node
        self._names = names
        self._edits = edits
        self._side = side
        self._numbering = numbering
        self._nodes: dict[Path, Node] = {}
        self._value_lines: dict[str, set[int]] | None = None
        """The lines of what the layers hold, by source."""
        self._listed: dict[tuple[Path, Path, str | None], dict[Any, set[Claim]]] = {}

    @property
    def value(self) -> Any:
        """The value of the output."""
        return self._root.value

    def node(self, path: Path) -> Node:
        """The node at a path."""
        known = self._nodes.get(path)
        if known is None:
            known = self._nodes[path] = self._root.at(path)
        return known

    def is_text_known(self, source: str) -> bool:
        """Whether it is known which lines of a source were edited; not so for arguments of the command line."""
        return self._edits.of(self._side, source) is not None

    def edited(self, path: Path, origin: Origin) -> Origin | None:
        """The edited line of something that is written there and that the value at a path was made from."""
        edited = self._edits.of(self._side, origin.source)
        if edited is None or origin.line in edited:
            return origin
        written = {node.origin(): node for node in source_nodes_behind(self.node(path))}
        return self._edits.in_extent(self._side, written[origin]) if origin in written else None

    def edited_parts(self, path: Path, *, replaced: bool = False) -> list[tuple[Origin, str]]:
        """The edited lines of what a value was made from, with their layers; also of what was `replaced`."""
        node = self.node(path)
        nodes = source_nodes_behind(node) if replaced else source_nodes_of(node)
        found = ((self._edits.in_extent(self._side, each), each.layer) for each in nodes)
        return [(origin, layer) for origin, layer in found if origin is not None]

    def directives(self, path: Path) -> Iterator[tuple[Event, Origin]]:
        """The rules at a path that are written on an edited line."""
        for event in events_of(self.node(path)):
            at = event.directive.origin if event.directive else None
            if at is not None and at.line in (self._edits.of(self._side, at.source) or ()):
                yield event, at

    def sources(self, path: Path) -> set[tuple[str, str | None]]:
        """The sources of all that the value at a path was made from, by their names on both sides, and their parts."""
        origins = (each.origin() for each in source_nodes_behind(self.node(path)))
        return {(self._names.of(origin.source), origin.part) for origin in origins}

    def is_value(self, source: str, line: int) -> bool:
        """Whether a line is in what a layer holds."""
        if self._value_lines is None:
            self._value_lines = {}
            for node in source_nodes_behind(self._root):
                lines = self._edits.extent(self._side, node)
                self._value_lines.setdefault(node.origin().source, set()).update(lines)
        return line in self._value_lines.get(source, ())

    def claims_at(self, path: Path) -> list[LayerClaim]:
        """The claims that the value at a path comes from; for one assembled from several layers, all of them."""
        node = self.node(path)
        origins = origins_of(node)
        if len(origins) == 1:
            return [self._claim(node.value, origins[0], layer_of(node))]
        events = [event for event in events_of(node) if event.verdict != _IGNORED and event.origin]
        own = [self._claim(event.value, event.origin, event.layer) for event in events if event.origin]
        return own[::-1] or [self._claim(node.value, origin, None) for origin in origins]

    def removing_claims(self, path: Path) -> list[LayerClaim]:
        """The claims at a path that has no value any more, the last one first."""
        events = [event for event in events_of(self.node(path)) if event.verdict != _IGNORED]
        return [self._claim(event.value, event.origin, event.layer) for event in events if event.origin][::-1]

    def _claim(self, value: Any, origin: Origin, layer: str | None) -> LayerClaim:
        return LayerClaim((self._names.of(origin.source), self._numbering.of(value)), origin, layer)

    def has_claim(self, wanted_claim: LayerClaim, path: Path, named: Path = ()) -> bool:
        """Whether this side has the same claim at a path; `named` is the path with list items by their key."""
        source, number = wanted_claim.claim

        def is_wanted(place: Path, value: Any) -> bool:
            rest = self._rest(place, path)
            if rest and isinstance(value, (list, tuple)):
                return False  # what a list held is reported by the list's own events
            return self._numbering.of(walk(value, rest) if value is not MISSING else MISSING) == number

        own = (event.origin for event in events_where(self.node(path), is_wanted))
        if any(origin is not None and self._names.of(origin.source) == source for origin in own):
            return True
        list_path, rest = _innermost_list(self._root.value, path)
        if list_path is None:
            return False
        step = named[len(list_path)] if len(named) > len(list_path) else None
        return self.has_listed(wanted_claim, list_path, rest, step if isinstance(step, ByKey) else None)

    def has_listed(self, wanted_claim: LayerClaim, path: Path, rest: Path = (), key: ByKey | None = None) -> bool:
        """Whether this side has the same claim in an item of the list at a path: in any, or in those with a key."""
        field, value = (key.field, key.value) if key else (None, None)
        return wanted_claim.claim in self._claims_in_list(path, rest, field).get(value, ())

    def _claims_in_list(self, path: Path, rest: Path, field: str | None) -> dict[Any, set[Claim]]:
        """The claims of the layers of a list at the rest of the path in its items, by the value of their key field."""
        known = self._listed.get((path, rest, field))
        if known is None:
            known = self._listed[path, rest, field] = {}
            for event in events_of(self.node(path)):
                for value, claim in self._in_items(event, rest, field):
                    known.setdefault(value, set()).add(claim)
        return known

    def _rest(self, outer: Path, path: Path) -> Path:
        """What leads on from the place of an event; events are reported by the output they happened in."""
        if outer == path:
            return ()
        for whole in (path, (*self._root.path, *path)):
            if _is_above(outer, whole):
                return whole[len(outer) :]
        return ()

    def _in_items(self, event: Event, rest: Path, field: str | None) -> Iterator[tuple[Any, Claim]]:
        if event.origin is None or not isinstance(event.value, (list, tuple)):
            return
        source = self._names.of(event.origin.source)
        for item in event.value:
            value = item.get(field) if field is not None and isinstance(item, dict) else None
            if field is None or isinstance(value, (str, int)):
                yield value, (source, self._numbering.of(walk(item, rest)))

    def rules(self, path: Path) -> dict[tuple[str, str | None], Event]:
        """The rules that were applied at a path, by their words and the source they are in."""
        events = (event for event in events_of(self.node(path)) if event.directive)
        return {self._rule(event.directive): event for event in events if event.directive}

    def _rule(self, directive: Directive) -> tuple[str, str | None]:
        return directive.text, self._names.of(directive.origin.source) if directive.origin else None


def _is_above(outer: Path, path: Path) -> bool:
    """Whether one path leads to the other; positions may have shifted since."""
    return len(outer) <= len(path) and all(
        one == other or (type(one) is int and type(other) is int) for one, other in zip(outer, path, strict=False)
    )


def _innermost_list(value: Any, path: Path) -> tuple[Path | None, Path]:
    """The path of the last list on the way, and what follows the item's position; none if there is no list."""
    found: tuple[Path | None, Path] = (None, ())
    for at, step in enumerate(path):
        if isinstance(value, (list, tuple)):
            found = (path[:at], path[at + 1 :])
        value = child(value, step)
    return found
