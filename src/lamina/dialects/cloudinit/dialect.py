"""The cloud-init dialect as a value."""

from __future__ import annotations

from lamina.dialects.cloudinit.compile import compile_inputs
from lamina.dialects.cloudinit.detect import claims
from lamina.dialects.cloudinit.explain_hints import hint
from lamina.dialects.cloudinit.golden import observe
from lamina.dialects.cloudinit.options import CloudInitOptions
from lamina.dialects.registry import Dialect, Style

DIALECT = Dialect(
    name="cloud-init",
    title="cloud-init user-data",
    options=CloudInitOptions,
    claims=claims,
    compile=compile_inputs,
    style=Style(header="#cloud-config\n", sort_keys=True),
    manual="cloud-init's manual",
    hint=hint,
    observe=observe,
    lint="lamina.dialects.cloudinit.lint:RULES",
)
