"""The policy that follows the rules by path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.layers.path_patterns import PathPatterns
from lamina.dialects.layers.rule_tables import RuleTables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.dialects.layers.path_patterns import State
    from lamina.dialects.layers.settings import Rule

FAULTS: Mapping[str, lp.Message] = {
    "locked": lp.Message(
        code="locked-value",
        message="{layer} must not change {path}, which {detail} locks: it is {old} already, not {new}",
        hint="remove it from {layer}, or remove the lock",
    ),
    "conflict": lp.Message(
        code="conflicting-values",
        message="{path} is set to different values, {old} and {new}, which {detail} rejects",
        hint="set it in one layer only, or to the same value",
    ),
    "wrong-type": lp.Message(
        code="wrong-type-for-rule",
        message="{path} cannot be merged by {detail}: the earlier value is {old_kind}, this one is {new_kind}",
        hint="use the same type in both layers, or remove the rule",
    ),
    "no-key": lp.Message(
        code="item-without-key",
        message="{path} cannot be merged by key: {detail}",
        hint="give every item the key that the rule names, in all layers",
    ),
    "no-such-place": lp.Message(
        code="unusable-path",
        message="{layer} cannot be applied: {path} is not in a mapping or list that could hold it, but in {old_kind}",
        hint="check the path; positions of a list start at 0",
    ),
}


_MOST_NAMES: Final = 1 << 14
"""How many names of members are remembered, with the policy for each."""


class RulePolicy(lp.Policy):
    """The table of the first rule that matches the path, and what holds below it."""

    __slots__ = ("_rules_by_path", "_state")

    def __init__(self, rules_by_path: PathRules, state: State) -> None:
        rule = rules_by_path.rule_at(state)
        super().__init__(rules_by_path.table_of(rule), rule.label if rule else "", rule.origin if rule else None, {})
        self._rules_by_path = rules_by_path
        self._state = state

    def of_member(self, name: Any) -> lp.Policy:
        rules = self._rules_by_path
        made = rules.policy(rules.patterns.advance(self._state, name))
        if self.members is not None and rules.remembers_one_more():
            self.members[name] = made
        return made


class PathRules:
    """All rules, with the table of each."""

    def __init__(self, rules: Sequence[Rule], *, nulls: str | None, lists: str, only_present: bool = False) -> None:
        self._rules = rules
        self._tables = RuleTables(nulls=nulls, lists=lists, only_present=only_present)
        self.patterns = PathPatterns([rule.pattern for rule in rules])
        self._default = lp.Policy(self._tables.default)
        self._tables_by_rule: dict[int, lp.Cases] = {}
        self._inner_table = self._tables.of(None) if rules else self._tables.default
        self._room = _MOST_NAMES

    def remembers_one_more(self) -> bool:
        """Whether one more name may be remembered with its policy: a fleet may have any number of them."""
        self._room -= 1
        return self._room >= 0

    def root(self) -> lp.Policy:
        """The policy of the whole."""
        return self.policy(self.patterns.start)

    def policy(self, state: State) -> lp.Policy:
        """The policy in a state; one that holds for all that is below where no rule can match there."""
        return RulePolicy(self, state) if state else self._default

    def rule_at(self, state: State) -> Rule | None:
        number = self.patterns.matched(state)
        return None if number is None else self._rules[number]

    def table_of(self, rule: Rule | None) -> lp.Cases:
        if rule is None:
            return self._inner_table
        if id(rule) not in self._tables_by_rule:
            self._tables_by_rule[id(rule)] = self._tables.of(rule.merging)
        return self._tables_by_rule[id(rule)]

    def at(self, path: lp.Path) -> lp.Policy:
        """The policy at a path; positions in lists do not count."""
        policy = self.root()
        for step in path:
            policy = policy if isinstance(step, int) else policy.enter(step)
        return policy
