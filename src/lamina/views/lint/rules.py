"""The general rules, which hold for every plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.errors import Severity
from lamina.views.lint.rule import LintRule, rules_of
from lamina.views.lint.rule_dead_deletes import ineffective_deletes
from lamina.views.lint.rule_overridden import always_overridden, overridden_layers
from lamina.views.lint.rule_redundant import redundant_values
from lamina.views.lint.rule_secrets import cleartext_secrets
from lamina.views.lint.rule_similar_keys import near_misses
from lamina.views.lint.rule_type_change import kind_changes
from lamina.views.lint.rule_unreachable import idle_rules, unreachable_rules
from lamina.views.lint.rule_unused_files import unmatched

if TYPE_CHECKING:
    from lamina.dialects.base import Dialect

GENERAL = (
    LintRule(
        code="redundant-value",
        title="A value set again to what it already was",
        about="A layer sets a value that another layer below it already gives, so it could be left out.",
        severity=Severity.INFO,
        check=redundant_values,
    ),
    LintRule(
        code="always-overridden",
        title="A value that every result overrides",
        about="Two or more results are made from a layer, and none of them holds this value of it.",
        check=always_overridden,
        of_all=True,
    ),
    LintRule(
        code="lost-layer",
        title="A layer of which nothing is left",
        about="Other layers override everything a layer says, so it could be left out, or the order is wrong.",
        severity=Severity.INFO,
        check=overridden_layers,
        of_all=True,
    ),
    LintRule(
        code="unreachable-rule",
        title="A merge rule that cannot be reached",
        about="Wherever the rule would apply an earlier one comes first, so it is never used.",
        check=unreachable_rules,
        of_all=True,
    ),
    LintRule(
        code="idle-rule",
        title="A merge rule with nothing to act on",
        about="Where the rule applies no two values ever meet, so it has no effect.",
        severity=Severity.INFO,
        check=idle_rules,
        of_all=True,
    ),
    LintRule(
        code="strikes-nothing",
        title="A deletion that hits nothing",
        about="A value or marker says that something is to be deleted, and there is no such thing.",
        check=ineffective_deletes,
    ),
    LintRule(
        code="kind-changes",
        title="A value that changes its kind between layers",
        about="Two layers set one key to values of different kinds, such as a number and a text.",
        check=kind_changes,
    ),
    LintRule(
        code="near-miss-key",
        title="A key that is nearly another one",
        about="Only one layer sets this key, and it is one edit away from a key that other layers set beside it.",
        check=near_misses,
    ),
    LintRule(
        code="duplicate-key",
        title="A key written twice in one mapping",
        about="A mapping has the same key twice, and all but one of the values are lost without a word.",
    ),
    LintRule(
        code="compat-differs",
        title="A result that is not what the manual says",
        about="The program and its manual give different values here; the result is what the program gives. Reported "
        "only where it is selected.",
        severity=Severity.INFO,
        opt_in=True,
    ),
    LintRule(
        code="never-matches",
        title="A file, layer, parent or node that nothing uses",
        about="Nothing in the input leads to the file, or the layer leads to no file.",
        check=unmatched,
        of_all=True,
    ),
    LintRule(
        code="cleartext-secret",
        title="A secret written in the clear",
        about="The text looks like a password, token or private key; the finding never shows it.",
        check=cleartext_secrets,
    ),
)


def rules_for(dialect: Dialect[Any]) -> tuple[LintRule, ...]:
    """All rules that hold for a dialect: the general ones and its own."""
    return (*GENERAL, *rules_of(dialect))
