"""The dialect of plain files as a value.

This module, `options` and `detect` are loaded with every command and import the few names they need from where they
are; all else of the dialect imports `lamina.plugin`, as an installed one would.
"""

from __future__ import annotations

from lamina.dialects.layers.detect import detect
from lamina.dialects.layers.options import LayersOptions
from lamina.protocol.dialect import Dialect, lazy

DIALECT = Dialect(
    name="layers",
    title="plain YAML, JSON and TOML files",
    known_by="layers.yaml",
    options=LayersOptions,
    detect=detect,
    compile=lazy("lamina.dialects.layers.compile:compile_inputs"),
    extensions={
        "fallback": "lamina.dialects.layers.detect:is_plain",
        "fleet": "lamina.dialects.layers.fleet:FLEET",
        "lint": "lamina.dialects.layers.lint:RULES",
        "scope": "lamina.dialects.layers.options:scope",
        "targets": "lamina.dialects.layers.targets:find_targets",
    },
)
