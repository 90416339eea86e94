"""Datum as a dialect."""

from __future__ import annotations

from lamina.dialect import Dialect
from lamina.dialects.datum.claim import claims
from lamina.dialects.datum.compiling import compile_inputs
from lamina.dialects.datum.observing import checks
from lamina.dialects.datum.options import DatumOptions
from lamina.merge.caseless import caseless

DIALECT = Dialect(
    name="datum",
    title="Datum",
    options=DatumOptions,
    claims=claims,
    compile=compile_inputs,
    manual="Datum's merging guide",
    manners=("shipped", "documented"),
    key=caseless,
    checks=checks,
)
