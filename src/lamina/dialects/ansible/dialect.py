"""Ansible as a dialect.

This module, `options` and `detect` are loaded with every command and import the few names they need from where they
are; all else of the dialect imports `lamina.plugin`, as an installed one would.
"""

from __future__ import annotations

from lamina.dialects.ansible.detect import detect
from lamina.dialects.ansible.options import AnsibleOptions
from lamina.protocol.dialect import Dialect, lazy

DIALECT = Dialect(
    name="ansible",
    title="Ansible inventories",
    known_by="ansible.cfg, or group_vars beside an inventory",
    options=AnsibleOptions,
    detect=detect,
    compile=lazy("lamina.dialects.ansible.hosts:compile_inputs"),
    extensions={
        "explain": "lamina.dialects.ansible.explain:EXPLAIN",
        "fleet": "lamina.dialects.ansible.hosts:FLEET",
        "golden": "lamina.dialects.ansible.golden:GOLDEN",
        "lint": "lamina.dialects.ansible.lint:RULES",
        "scope": "lamina.dialects.ansible.options:scope",
        "targets": "lamina.dialects.ansible.targets:find_targets",
    },
)
