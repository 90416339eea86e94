"""The Deckhand dialect as a value."""

from __future__ import annotations

from lamina.dialects.deckhand import graph
from lamina.dialects.deckhand.compile import compile_inputs
from lamina.dialects.deckhand.detect import claims
from lamina.dialects.deckhand.explain_context import background
from lamina.dialects.deckhand.fleet import fleet
from lamina.dialects.deckhand.golden import observe
from lamina.dialects.deckhand.graph_links import links
from lamina.dialects.deckhand.options import DeckhandOptions
from lamina.dialects.deckhand.select_documents import arrange
from lamina.dialects.extensions import PlanView
from lamina.dialects.registry import Dialect

DIALECT = Dialect(
    name="deckhand",
    title="Deckhand documents",
    options=DeckhandOptions,
    claims=claims,
    compile=compile_inputs,
    many=lambda options: options.document is None,
    noun="document",
    keeps_going=lambda options: options.keep_going,
    redacts=lambda options: options.redact,
    tells=lambda options: options.cleartext_secrets,
    arrange=arrange,
    manual="Deckhand's layering guide",
    graph=links,
    plan_view=PlanView("graph", graph.as_text, graph.as_data, graph.as_dot),
    background=background,
    observe=observe,
    fleet=fleet,
    whole=lambda options: options if options.document is None else None,
    lint="lamina.dialects.deckhand.lint:RULES",
)
