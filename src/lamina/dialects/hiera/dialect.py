"""Hiera as a dialect.

This module, `options` and `detect` are loaded with every command and import the few names they need from where they
are; all else of the dialect imports `lamina.plugin`, as an installed one would.
"""

from __future__ import annotations

from lamina.dialects.hiera.detect import detect
from lamina.dialects.hiera.options import HieraOptions
from lamina.protocol.dialect import Dialect, lazy

DIALECT = Dialect(
    name="hiera",
    title="Hiera 5",
    known_by="hiera.yaml at the top",
    manual="Puppet's manual",
    options=HieraOptions,
    detect=detect,
    compile=lazy("lamina.dialects.hiera.compile:compile_inputs"),
    extensions={
        "explain": "lamina.dialects.hiera.explain_context:EXPLAIN",
        "fleet": "lamina.dialects.hiera.fleet:FLEET",
        "golden": "lamina.dialects.hiera.golden:GOLDEN",
        "lint": "lamina.dialects.hiera.lint:RULES",
        "means": "lamina.dialects.hiera.means:MEANS",
        "scope": "lamina.dialects.hiera.options:scope",
        "targets": "lamina.dialects.hiera.targets:find_targets",
    },
)
