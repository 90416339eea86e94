"""The Deckhand dialect as a value."""

from __future__ import annotations

from lamina.dialect import Dialect
from lamina.dialects.deckhand.claim import claims
from lamina.dialects.deckhand.compiling import compile_inputs
from lamina.dialects.deckhand.observing import observe
from lamina.dialects.deckhand.options import DeckhandOptions

DIALECT = Dialect(
    name="deckhand",
    title="Deckhand documents",
    options=DeckhandOptions,
    claims=claims,
    compile=compile_inputs,
    many=lambda options: options.document is None,
    manual="Deckhand's layering guide",
    observe=observe,
)
