"""The Heat dialect as a value."""

from __future__ import annotations

from lamina.dialects.extensions import PlanView
from lamina.dialects.heat.compile import compile_inputs
from lamina.dialects.heat.detect import claims
from lamina.dialects.heat.explain_hints import hint
from lamina.dialects.heat.golden import observe
from lamina.dialects.heat.options import HeatOptions
from lamina.dialects.heat.strategy_view import strategy_data, strategy_table, strategy_text
from lamina.dialects.registry import Dialect

DIALECT = Dialect(
    name="heat",
    title="Heat environments",
    options=HeatOptions,
    claims=claims,
    compile=compile_inputs,
    redacts=lambda options: options.redact,
    tells=lambda options: options.cleartext_secrets,
    manual="Heat's manual",
    hint=hint,
    plan_view=PlanView("strategies", strategy_text, strategy_data, table=strategy_table),
    observe=observe,
    lint="lamina.dialects.heat.lint:RULES",
)
