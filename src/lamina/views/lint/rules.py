"""The general rules, which hold for every plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lamina.errors import Severity
from lamina.protocol.lint import LintRule, rules_of
from lamina.views.lint.rule_comments import unknown_ignores
from lamina.views.lint.rule_dead_deletes import ineffective_deletes
from lamina.views.lint.rule_overridden import always_overridden, overridden_layers
from lamina.views.lint.rule_redundant import redundant_values
from lamina.views.lint.rule_same_in_children import same_in_every_child
from lamina.views.lint.rule_secrets import cleartext_secrets
from lamina.views.lint.rule_similar_keys import similar_keys
from lamina.views.lint.rule_type_change import kind_changes
from lamina.views.lint.rule_unreachable import unreachable_rules, unused_rules
from lamina.views.lint.rule_unused_files import unmatched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.errors import Note
    from lamina.protocol.dialect import Dialect
    from lamina.protocol.rendered import Checked
    from lamina.views.lint.context import Survey


def _of_survey(check: Callable[[Survey], Iterable[Note]]) -> Callable[[Checked], Iterable[Note]]:
    """A general rule may use the whole survey, of which the rules of a dialect are promised a part."""
    return cast("Callable[[Checked], Iterable[Note]]", check)


GENERAL = (
    LintRule(
        code="redundant-value",
        title="A value that repeats what a layer below already sets",
        about="A layer sets a value that a layer below it already sets, so it can be removed.",
        severity=Severity.INFO,
        check=_of_survey(redundant_values),
        fix="removes the entry, if it is the one in effect and every result stays exactly the same",
    ),
    LintRule(
        code="always-overridden",
        title="A value that every result overrides",
        about="Two or more results are made from a layer, and all of them override this value.",
        check=_of_survey(always_overridden),
        of_all=True,
    ),
    LintRule(
        code="same-in-every-child",
        title="A value that every child of a layer sets alike",
        about="Three or more results share a layer, and each of them sets the value itself, to the same.",
        severity=Severity.INFO,
        opt_in=True,
        check=_of_survey(same_in_every_child),
        of_all=True,
    ),
    LintRule(
        code="overridden-layer",
        title="A layer that is overridden completely",
        about="Other layers override everything a layer sets, so it can be removed, or the order is wrong.",
        severity=Severity.INFO,
        check=_of_survey(overridden_layers),
        of_all=True,
    ),
    LintRule(
        code="unreachable-rule",
        title="A merge rule that cannot be reached",
        about="Wherever the rule would apply, an earlier one matches first, so it is never used.",
        check=_of_survey(unreachable_rules),
        of_all=True,
    ),
    LintRule(
        code="unused-rule",
        title="A merge rule that is never applied",
        about="Only one layer sets the keys the rule is for, so there is nothing to merge.",
        severity=Severity.INFO,
        check=_of_survey(unused_rules),
        of_all=True,
    ),
    LintRule(
        code="deletes-nothing",
        title="A deletion that matches nothing",
        about="A value or marker deletes something that no layer sets.",
        check=_of_survey(ineffective_deletes),
    ),
    LintRule(
        code="type-change",
        title="A value whose type differs between layers",
        about="Two layers set one key to values of different types, such as a number and a string.",
        check=_of_survey(kind_changes),
    ),
    LintRule(
        code="near-miss-key",
        title="A key that looks like a misspelling of another one",
        about="Only one layer sets this key, and it is one edit away from a key that other layers set.",
        check=_of_survey(similar_keys),
        fix="writes the other key, if two or more layers set it",
    ),
    LintRule(
        code="duplicate-key",
        title="A key written twice in one mapping",
        about="A mapping has the same key twice, and only one of the values is used.",
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
        code="never-used",
        title="A file, layer, parent or node that nothing uses",
        about="Nothing in the input refers to the file, or the layer matches no file.",
        check=_of_survey(unmatched),
        of_all=True,
    ),
    LintRule(
        code="cleartext-secret",
        title="A secret stored in plain text",
        about="The value looks like a password, token or private key; the finding never shows it.",
        check=_of_survey(cleartext_secrets),
    ),
    LintRule(
        code="unknown-rule",
        title="A comment that ignores a rule that does not exist",
        about="The code in the brackets is misspelled or no longer exists, so the comment hides nothing.",
        check=_of_survey(unknown_ignores),
    ),
)


def rules_for(dialect: Dialect[Any]) -> tuple[LintRule, ...]:
    """All rules that hold for a dialect: the general ones and its own."""
    return (*GENERAL, *rules_of(dialect))
