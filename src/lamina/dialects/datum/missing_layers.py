"""Layers that a node's own properties select and that do not exist: usually a misspelled role or location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support import suggestions
from lamina.dialects.datum.equality import text_form
from lamina.dialects.datum.tree import TreeFolder
from lamina.engine.provenance import first_origin
from lamina.errors import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.dialects.datum.node_values import NodeValues
    from lamina.dialects.datum.prefix_templates import ResolvedPrefix
    from lamina.errors import Note


def missing_layers(prefixes: Iterable[ResolvedPrefix], values: NodeValues) -> Iterator[Note]:
    """A note for every layer that a property of the node leads to and that does not exist."""
    for prefix in prefixes:
        if prefix.missing is None or not (reads := prefix.reads(values)):
            continue
        name, position = prefix.missing
        read = reads[-1]
        if not name.strip() or not isinstance(position, TreeFolder) or text_form(read.value) not in name:
            continue
        known = [str(key) for key in position.listing()]
        if name.lower() in map(str.lower, known):
            # The file is there and holds nothing yet.
            continue
        origin = first_origin(read)
        listed = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
        key = str(read.path[-1]) if read.path else "the value"
        yield Diagnostic(
            code="missing-layer",
            message=f"{key} is {name}, but the layer {prefix.path} does not exist",
            at=origin or prefix.prefix.origin,
            related=(("the layer is defined here", prefix.prefix.origin),) if origin and prefix.prefix.origin else (),
            hint=suggestions.did_you_mean(
                name, known, f"{position.name} contains {listed}" if known else f"{position.name} is empty"
            ),
            severity=Severity.WARNING,
            subject=prefix.path,
        )
