"""The Deckhand dialect as a value."""

from __future__ import annotations

from lamina.dialects.deckhand.detect import detect
from lamina.dialects.deckhand.options import DeckhandOptions
from lamina.protocol.dialect import Dialect, lazy

DIALECT = Dialect(
    name="deckhand",
    title="Deckhand documents",
    known_by="YAML documents with metadata.schema metadata/Document/v1",
    manual="Deckhand's layering guide",
    options=DeckhandOptions,
    detect=detect,
    compile=lazy("lamina.dialects.deckhand.compile:compile_inputs"),
    extensions={
        "explain": "lamina.dialects.deckhand.explain_context:EXPLAIN",
        "fleet": "lamina.dialects.deckhand.fleet:FLEET",
        "golden": "lamina.dialects.deckhand.golden:GOLDEN",
        "graph": "lamina.dialects.deckhand.graph_links:links",
        "lint": "lamina.dialects.deckhand.lint:RULES",
        "means": "lamina.dialects.deckhand.means:MEANS",
        "plan": "lamina.dialects.deckhand.graph:PLAN",
        "scope": "lamina.dialects.deckhand.options:scope",
        "targets": "lamina.dialects.deckhand.targets:find_targets",
    },
)
