"""The Heat dialect as a value."""

from __future__ import annotations

from lamina.dialects.heat.detect import detect
from lamina.dialects.heat.options import HeatOptions
from lamina.protocol.dialect import Dialect, lazy

DIALECT = Dialect(
    name="heat",
    title="Heat environments",
    manual="Heat's manual",
    options=HeatOptions,
    detect=detect,
    compile=lazy("lamina.dialects.heat.compile:compile_inputs"),
    extensions={
        "explain": "lamina.dialects.heat.explain_hints:EXPLAIN",
        "golden": "lamina.dialects.heat.golden:GOLDEN",
        "lint": "lamina.dialects.heat.lint:RULES",
        "means": "lamina.dialects.heat.means:MEANS",
        "resembles": "lamina.dialects.heat.detect:resembles_environment",
        "plan": "lamina.dialects.heat.strategy_view:PLAN",
        "targets": "lamina.dialects.heat.targets:find_targets",
    },
)
