"""Selecting documents by name: NAME or SCHEMA/NAME, with a layer after it if necessary."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand import messages
from lamina.plugin import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.dialects.deckhand.options import DeckhandOptions
    from lamina.engine.step_context import Folded


def names_of(schema: Any, name: Any, layer: str) -> tuple[str, ...]:
    """The names that select a document."""
    return f"{name}", f"{schema}/{name}", f"{name} ({layer})", f"{schema}/{name} ({layer})"


def arrange(outputs: Sequence[Folded], options: DeckhandOptions) -> Sequence[Folded]:
    """The selected documents, in an order that does not depend on that of the files."""
    ordered = sorted(outputs, key=_key)
    if options.document is None:
        return ordered
    chosen = [output for output in ordered if options.document in names_of(*_key(output))]
    if not chosen:
        raise UsageError(
            unknown(options.document, (name for output in ordered for name in names_of(*_key(output))[:2]))
        )
    return chosen


def _key(output: Folded) -> tuple[str, str, str]:
    value = output.value
    metadata = value["metadata"]
    layering = metadata.get("layeringDefinition")
    layer = layering.get("layer") if isinstance(layering, dict) else None
    return str(value["schema"]), str(metadata["name"]), str(layer or "")


def documents_called(name: str, documents: Iterable[SiteDocument]) -> list[SiteDocument]:
    """The documents of that name."""
    documents = list(documents)
    found = [one for one in documents if name in names_of(one.schema, one.name, one.layer)]
    if not found:
        raise UsageError(unknown(name, (called for one in documents for called in (one.name, one.title))))
    return found


def unknown(name: str, known: Iterable[str]) -> Diagnostic:
    """The finding that there is no document of that name."""
    near = get_close_matches(name, list(known), n=3)
    return messages.NO_SUCH_DOCUMENT.at(
        name=name,
        hint=f"did you mean {' or '.join(near)}?"
        if near
        else "write NAME or SCHEMA/NAME; abstract and replaced documents are not in the output",
    )
