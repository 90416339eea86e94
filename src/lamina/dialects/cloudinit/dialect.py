"""The cloud-init dialect as a value."""

from __future__ import annotations

from lamina.dialects.base import Dialect, lazy
from lamina.dialects.cloudinit.detect import detect
from lamina.dialects.cloudinit.options import CloudInitOptions

DIALECT = Dialect(
    name="cloud-init",
    title="cloud-init user-data",
    manual="cloud-init's manual",
    options=CloudInitOptions,
    detect=detect,
    compile=lazy("lamina.dialects.cloudinit.compile:compile_inputs"),
    extensions={
        "explain": "lamina.dialects.cloudinit.explain_hints:EXPLAIN",
        "golden": "lamina.dialects.cloudinit.golden:GOLDEN",
        "lint": "lamina.dialects.cloudinit.lint:RULES",
        "targets": "lamina.dialects.cloudinit.targets:find_targets",
    },
)
