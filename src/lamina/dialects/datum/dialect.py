"""Datum as a dialect."""

from __future__ import annotations

from lamina.dialects.datum.detect import detect
from lamina.dialects.datum.options import DatumOptions
from lamina.protocol.dialect import Dialect, lazy

DIALECT = Dialect(
    name="datum",
    title="Datum",
    known_by="Datum.yml at the top",
    manual="Datum's merging guide",
    options=DatumOptions,
    detect=detect,
    compile=lazy("lamina.dialects.datum.compile:compile_inputs"),
    extensions={
        "explain": "lamina.dialects.datum.explain_context:EXPLAIN",
        "fleet": "lamina.dialects.datum.fleet:FLEET",
        "golden": "lamina.dialects.datum.golden:GOLDEN",
        "lint": "lamina.dialects.datum.lint:RULES",
        "means": "lamina.dialects.datum.means:MEANS",
        "scope": "lamina.dialects.datum.options:scope",
        "targets": "lamina.dialects.datum.targets:find_targets",
    },
)
