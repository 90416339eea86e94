"""The cloud-init dialect as a value."""

from __future__ import annotations

from lamina.dialects.cloudinit.content_types import detect
from lamina.dialects.cloudinit.options import CloudInitOptions
from lamina.protocol.dialect import Dialect, lazy

DIALECT = Dialect(
    name="cloud-init",
    title="cloud-init user-data",
    known_by="user-data, vendor-data, cloud.cfg or cloud.cfg.d/*.cfg, or files that start with #cloud-config",
    manual="cloud-init's manual",
    header="#cloud-config\n",
    options=CloudInitOptions,
    detect=detect,
    compile=lazy("lamina.dialects.cloudinit.compile:compile_inputs"),
    extensions={
        "boot": "lamina.dialects.cloudinit.boot.boot_text:BOOT_VIEW",
        "check": "lamina.dialects.cloudinit.lint:CHECK",
        "explain": "lamina.dialects.cloudinit.explain_hints:EXPLAIN",
        "fleet": "lamina.dialects.cloudinit.folder:FLEET",
        "golden": "lamina.dialects.cloudinit.golden:GOLDEN",
        "keys": "lamina.dialects.cloudinit.config_schema.known_keys:known_keys",
        "lint": "lamina.dialects.cloudinit.lint:RULES",
        "means": "lamina.dialects.cloudinit.means:MEANS",
        "secrets": "lamina.dialects.cloudinit.lint_secrets:SECRETS",
        "resembles": "lamina.dialects.cloudinit.misspelt_header:resembles_user_data",
        "targets": "lamina.dialects.cloudinit.targets:find_targets",
    },
)
