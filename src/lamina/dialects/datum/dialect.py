"""Datum as a dialect."""

from __future__ import annotations

from dataclasses import replace

from lamina.dialects.datum.compile import compile_inputs
from lamina.dialects.datum.detect import claims
from lamina.dialects.datum.explain_context import background
from lamina.dialects.datum.fleet import fleet
from lamina.dialects.datum.golden import checks
from lamina.dialects.datum.nodes import NODES
from lamina.dialects.datum.options import DatumOptions
from lamina.dialects.registry import Dialect
from lamina.sources.powershell.case_insensitive import caseless


def whole(options: DatumOptions) -> DatumOptions | None:
    """All nodes, unless one or a lookup is asked for."""
    return replace(options, all_nodes=True) if options.node is None and options.lookup is None else None


DIALECT = Dialect(
    name="datum",
    title="Datum",
    options=DatumOptions,
    claims=claims,
    compile=compile_inputs,
    noun="node",
    is_table=lambda options: options.all_nodes,
    manual="Datum's merging guide",
    manners=("shipped", "documented"),
    key=caseless,
    background=background,
    nodes=NODES,
    checks=checks,
    whole=whole,
    fleet=fleet,
    lint="lamina.dialects.datum.lint:RULES",
)
