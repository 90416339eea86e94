"""Lines of files on which secrets begin: what is printed of such a file leaves them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.node import SourceNode
from lamina.views.lint.layer_index import sources_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.views.result import Result


def secret_lines(results: Iterable[Result], source: str) -> frozenset[int]:
    """The lines of a source on which secrets begin, in any of the results."""
    return frozenset(
        line
        for result in results
        for layer in sources_of(result.plan)
        if layer.node.origin().source == source and layer.node.holds_secret
        for line in _lines(layer.node)
    )


def _lines(node: SourceNode) -> Iterator[int]:
    """The lines of what is secret in a written value."""
    if not node.holds_secret:
        return
    value = node.value
    if not isinstance(value, (dict, list)) or not value:
        yield node.origin().line
        return
    for key in value if isinstance(value, dict) else range(len(value)):
        inner = node.child(key)
        if isinstance(inner, SourceNode):
            yield from _lines(inner)
