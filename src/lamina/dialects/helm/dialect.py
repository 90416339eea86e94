"""Helm as a dialect.

This module, `options` and `detect` are loaded with every command and import the few names they need from where they
are; all else of the dialect imports `lamina.plugin`, as an installed one would.
"""

from __future__ import annotations

from lamina.dialects.helm.detect import detect
from lamina.dialects.helm.options import HelmOptions
from lamina.protocol.dialect import Dialect, lazy

DIALECT = Dialect(
    name="helm",
    title="the values of a Helm chart",
    known_by="Chart.yaml at the top",
    options=HelmOptions,
    detect=detect,
    compile=lazy("lamina.dialects.helm.compile:compile_inputs"),
    extensions={
        "explain": "lamina.dialects.helm.manifest:EXPLAIN",
        "golden": "lamina.dialects.helm.golden:GOLDEN",
        "layer_names": "lamina.dialects.helm.targets:is_value_file",
        "lint": "lamina.dialects.helm.lint:RULES",
        "targets": "lamina.dialects.helm.targets:find_targets",
    },
)
