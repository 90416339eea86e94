"""Planted mistakes: one folder per rule, `bad` with the mistake and `good` without, and where the rule must fire."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lamina.dialects import registry as dialects
from lamina.protocol.lint import LintRule, rules_of
from lamina.views.lint.rules import GENERAL

HERE = Path(__file__).parents[1] / "lint"


@dataclass(frozen=True)
class Planted:
    """The inputs of both sets, and the places in the bad one as `file:line`."""

    inputs: tuple[str, ...]
    places: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    flags: str = ""
    """The options as they are given on the command line."""

    @property
    def command(self) -> str:
        """What finds the mistake on the command line."""
        return " ".join(["lamina lint", *filter(None, [self.flags]), *self.inputs])


TWO = ("image.yaml", "team.yaml")
ONE = ("team.yaml",)

TREE = (".",)
HEAT_ONE = ("one.yaml",)
HEAT_TWO = ("one.yaml", "two.yaml")


def heat(inputs: tuple[str, ...], place: str) -> Planted:
    """Environments of a stack whose template is next to them."""
    return Planted(inputs, (place,), {"template": "template.yaml"}, "-t template.yaml")


def asked(planted: Planted, code: str) -> Planted:
    """The same set, for a rule that is silent unless it is asked for."""
    flags = " ".join(filter(None, [f"--select {code}", planted.flags]))
    return replace(planted, options={**planted.options, "select": [code]}, flags=flags)


PLANTED = {
    "redundant-value": Planted(TWO, ("team.yaml:2",)),
    "always-overridden": asked(Planted(("global.yaml", "site.yaml"), ("global.yaml:20",)), "always-overridden"),
    "same-in-every-child": asked(Planted(TREE, ("./data/nodes/barley.yaml:1",)), "same-in-every-child"),
    "overridden-layer": asked(Planted(TWO, ("team.yaml:2",)), "overridden-layer"),
    "unreachable-rule": Planted(TREE, ("./Datum.yml:6",)),
    "unused-rule": Planted(TREE, ("./Datum.yml:6",)),
    "deletes-nothing": Planted(TREE, ("./AllNodes/web01.yml:5",)),
    "type-change": Planted(TWO, ("team.yaml:2",)),
    "near-miss-key": Planted(TWO, ("team.yaml:5",)),
    "duplicate-key": Planted(ONE, ("team.yaml:4",)),
    "compat-differs": asked(Planted(TWO, ("team.yaml:2",)), "compat-differs"),
    "never-used": Planted(TREE, ("./Roles/Wbe.yml:1",)),
    "cleartext-secret": Planted(ONE, ("team.yaml:5",)),
    "unknown-rule": Planted(TWO, ("team.yaml:2",)),
    "rule-without-effect": Planted(TWO, ("image.yaml:2",)),
    "list-replaced": Planted(TWO, ("team.yaml:2",)),
    "mapping-replaced": Planted(TWO, ("team.yaml:3",)),
    "scalar-ignored": Planted(TWO, ("team.yaml:3",)),
    "hidden-by-layer": Planted((".",), ("./cloud.cfg:1",), {"mode": "layers"}, "--mode layers"),
    "leftover-rule": Planted(TWO, ("team.yaml:3",)),
    "no-default-user": Planted(ONE, ("team.yaml:3",)),
    "duplicate-entry": Planted(TWO, ("team.yaml:3",)),
    "owner-before-users": Planted(ONE, ("team.yaml:8",)),
    "converted-scalar": Planted(ONE, ("team.yaml:4",)),
    "config-unknown-key": Planted(ONE, ("team.yaml:2",)),
    "config-wrong-type": Planted(ONE, ("team.yaml:4",)),
    "config-invalid-value": Planted(ONE, ("team.yaml:3",)),
    "config-missing-key": Planted(ONE, ("team.yaml:3",)),
    "config-deprecated": Planted(ONE, ("team.yaml:2",)),
    "undeclared-parameter": heat(HEAT_ONE, "one.yaml:3"),
    "mixed-notation": heat(HEAT_TWO, "two.yaml:2"),
    "entries-overridden": heat(HEAT_TWO, "two.yaml:2"),
    "concatenated-strings": heat(HEAT_TWO, "two.yaml:3"),
    "unused-strategy": heat(HEAT_ONE, "one.yaml:2"),
    "ignored-strategy": heat(HEAT_TWO, "two.yaml:2"),
    "late-strategy": heat(HEAT_TWO, "two.yaml:2"),
    "scalar-with-merge-strategy": heat(HEAT_ONE, "one.yaml:2"),
    "unknown-strategy-name": heat(HEAT_ONE, "one.yaml:2"),
    "unknown-chart-value": Planted(("chart", "prod.yaml"), ("prod.yaml:2",)),
    "large-number": Planted(("chart", "prod.yaml"), ("prod.yaml:1",)),
    "boolean-key": Planted(("chart", "prod.yaml"), ("prod.yaml:3",)),
    "null-kept": Planted(("chart", "prod.yaml"), ("prod.yaml:3",)),
    "subchart-off": Planted(("chart", "prod.yaml"), ("prod.yaml:2",)),
    "condition-without-value": Planted(("chart",), ("chart/Chart.yaml:5",)),
    "value-file-without-effect": Planted(("chart", "one.yaml", "two.yaml"), ("one.yaml:1",)),
    "rule-matches-nothing": Planted(
        ("base.yaml", "site.yaml"), ("rules.toml:1",), {"rules": "rules.toml"}, "--merge-rules rules.toml"
    ),
    "secret-not-encrypted": Planted(("site.yaml",), ("site.yaml:13",)),
    "missing-document-start": Planted(("policy.yaml", "site.yaml"), ("site.yaml:1",)),
    "layer-folder-mismatch": Planted((".",), ("./global/web.yaml:8",)),
    "no-parent-found": Planted(("site.yaml",), ("site.yaml:27",)),
    "abstract-without-children": asked(Planted(("site.yaml",), ("site.yaml:17",)), "abstract-without-children"),
    "data-not-selected": Planted(("site.yaml",), ("site.yaml:31",)),
    "truncated-path": Planted(("site.yaml",), ("site.yaml:28",)),
    "recurse-needs-literal": Planted(("site.yaml",), ("site.yaml:27",)),
    "unused-passphrase": asked(Planted(("site.yaml",), ("site.yaml:12",)), "unused-passphrase"),
    "changed-by-other-document": Planted(("site.yaml",), ("site.yaml:36",)),
    "unreachable-option": Planted(TREE, ("./Datum.yml:5",)),
    "unknown-strategy": Planted(TREE, ("./Datum.yml:5",)),
    "missing-tuple-key": Planted(TREE, ("./Datum.yml:5",)),
    "unreadable-file": Planted(TREE, ("./AllNodes/web02.yml:3",)),
    "missing-layer": Planted(TREE, ("./AllNodes/web02.yml:2",)),
    "duplicate-node-name": Planted(TREE, ("./AllNodes/Boston/web01.yml:1",)),
    "definition-key-case": Planted(TREE, ("./Datum.yml:6",)),
    "unknown-definition-key": Planted(TREE, ("./Datum.yml:6",)),
    "handler-not-run": Planted(TREE, ("./Datum.yml:7",)),
    "handler-error": Planted(TREE, ("./Roles/Web.yml:5",)),
    "leftover-marker": Planted(TREE, ("./AllNodes/web01.yml:6",)),
    "unknown-fact": Planted(TREE, ("./data/common.yaml:1",)),
    "unset-key": Planted(TREE, ("./data/common.yaml:1",)),
    "unused-lookup-option": Planted(TREE, ("./data/common.yaml:2",)),
    "ignored-lookup-option": Planted(TREE, ("./data/common.yaml:2",)),
    "outside-tree": Planted(TREE, ("./hiera.yaml:3",)),
    "variables-without-owner": Planted(TREE, ("./group_vars/wev.yml:1",)),
    "also-in-playbooks": Planted(TREE, ("./group_vars/web.yml:1",)),
    "hidden-variables": Planted(TREE, ("./group_vars/web.yml:1",)),
    "magic-variable": Planted(TREE, ("./group_vars/web.yml:1",)),
    "priority-without-effect": Planted(TREE, ("./group_vars/web.yml:1",)),
    "similar-group": Planted(TREE, ("./hosts:3",)),
    "skipped-in-inventory": Planted(TREE, ("./hosts.yml:3",)),
    "unparsed-inventory": Planted(TREE, ("./more:4",)),
    "group-and-host": Planted(TREE, ("./hosts:2",)),
    "lost-host": Planted(TREE, ("./hosts:1",)),
    "encrypted-file": Planted(TREE, ("./group_vars/web/vault.yml:1",)),
    "reserved-name": Planted(TREE, ("./group_vars/web.yml:1",)),
    "group-name": Planted(TREE, ("./hosts:1",)),
    "variable-name": Planted(TREE, ("./hosts:4",)),
}

RULES: dict[str, LintRule] = {
    rule.code: rule
    for rule in (*GENERAL, *(each for name in dialects.BUILT_IN for each in rules_of(dialects.find(name))))
}
"""All lint rules, by code."""
