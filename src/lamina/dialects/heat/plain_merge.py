"""Environments of which only the merged value is needed at first, since there is nothing to report about them.

That is so where no file or value is rejected, no strategy conflicts, nothing is dropped or read as JSON text, and no
container is shared by aliases. The files are then merged for the value alone; the steps are computed, and folded, when
somebody asks for them or for where a value comes from. Everything else is compiled by `engine_rules` at once, which
knows the rules in full and what to report.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lamina import values as c
from lamina.budget import current_budget
from lamina.dialects.heat.engine_rules import EngineRun
from lamina.dialects.heat.json_values import changes
from lamina.dialects.heat.parameter_schema import BOOLEAN, JSON, LIST, NUMBER, STRING
from lamina.dialects.heat.sections import SHIPPED_STRATEGIES, WITH_STRATEGIES
from lamina.dialects.heat.strategies import word_for
from lamina.dialects.heat.type_tables import DEEP_MERGE, MEMBERS, MERGE, OVERWRITE, SECTION, TAKEN, WORDS, policy_for
from lamina.engine.layered_value import LayeredValue, MergedValue
from lamina.engine.operators.whole import RejectPair
from lamina.engine.policy import Cases, Policy
from lamina.values import ALL, TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.options import HeatOptions
    from lamina.dialects.heat.plan_facts import Facts
    from lamina.dialects.heat.strategies import FixedStrategy
    from lamina.dialects.heat.template import Types
    from lamina.engine.plan import AnyStep

_NOT_PLAIN: Final = RejectPair("not plain")
"""Ends the merge for the value alone, since it promises nothing."""
_NONE: Final[dict[Any, Any]] = {}
_REJECTED: Final = Policy(Cases.everywhere(_NOT_PLAIN))


def _plain(kind: str, strategy: str) -> Policy:
    """The policy of a parameter for plain values: null is dropped with a note, and text may be JSON."""
    others = ((ALL, TEXTS, _NOT_PLAIN),) if kind == JSON and policy_for(kind, strategy) is not TAKEN else ()
    return Policy(Cases((ALL, (c.NULL,), _NOT_PLAIN), *others, *policy_for(kind, strategy).table.rows))


_POLICIES: Final[Mapping[str, Mapping[str, Policy]]] = {
    word: {kind: _plain(kind, word) for kind in (LIST, STRING, NUMBER, BOOLEAN, JSON)} for word in WORDS
}
"""By strategy and type."""
_MERGED_JSON: Final = frozenset(_POLICIES[word][JSON] for word in (MERGE, DEEP_MERGE))


class StepsOnDemand:
    """The steps of a run and its table of strategies, computed when one of them is asked for."""

    def __init__(self, facts: Facts, options: HeatOptions) -> None:
        self._facts = facts
        self._options = options

    @cached_property
    def _computed(self) -> tuple[list[AnyStep], Mapping[str, FixedStrategy]]:
        facts = self._facts
        run = EngineRun(facts.types, self._options, has_template=facts.has_template)
        return run.steps(facts.environments, self._options), run.table.fixed

    def steps(self) -> list[AnyStep]:
        """The steps that merge the files in order."""
        return self._computed[0]

    def fixed(self) -> Mapping[str, FixedStrategy]:
        """The strategy of each parameter."""
        return self._computed[1]


def merged_environment(facts: Facts, options: HeatOptions) -> MergedValue | None:
    """The merged environment; None where there may be something to report, or where the manual is followed."""
    budget = current_budget()
    if options.compat == "manual" or options.initial_parameters or budget is None:
        return None
    merge = _PlainMerge(facts.types)
    if not all(map(merge.add, facts.environments)) or not merge.merged.spend_from(budget):
        return None
    return MergedValue(merge.merged.value)


class _Members(Policy):
    """The policy of each parameter, by the file that sets it first."""

    __slots__ = ("_types", "own", "words")
    known: dict[Any, Policy]  # mutable here

    def __init__(self, types: Types) -> None:
        super().__init__(MEMBERS)
        self._types = types
        self.known = {}
        self.own: Mapping[Any, Any] = {}
        """The strategies of the file that is merged."""
        self.words: dict[Any, Any] = {}
        """The strategies in force."""

    def enter(self, name: Any) -> Policy:
        known = self.known.get(name)
        if known is None:
            known = self.known[name] = self._first_met(name)
        return known

    def _first_met(self, name: Any) -> Policy:
        declared = self._types.get(name)
        word = word_for(self.own, name, None) if self.own else OVERWRITE
        if declared is None or word not in WORDS:
            return _REJECTED
        self.words[name] = word
        return _POLICIES[word][declared.kind]

    def may_conflict(self, own: Mapping[Any, Any]) -> bool:
        """Whether a file names another strategy for a parameter than the one in force."""
        words = self.words
        if own.items() <= words.items():  # as in most files, but the first
            return False
        return any(word != words.get(name, word) for name, word in own.items())


class _PlainMerge:
    """The merge of one run, file by file."""

    def __init__(self, types: Types) -> None:
        self.merged = LayeredValue({})
        self._types = types
        self._members = _Members(types)

    def add(self, environment: Environment) -> bool:
        """Merge a file; False where it is not plain."""
        content = environment.node.value
        own = content.get(SHIPPED_STRATEGIES, _NONE)
        if environment.rejected or environment.shares or type(own) is not dict or self._members.may_conflict(own):
            return False
        self._members.own = own
        for section, values in content.items():
            if values and section != SHIPPED_STRATEGIES and not self._add_section(environment, section, values):
                return False
        return True

    def _add_section(self, environment: Environment, section: str, values: Any) -> bool:
        merged, members = self.merged, self._members
        if section not in WITH_STRATEGIES:
            return merged.merge_member(section, values, SECTION)
        if type(values) is not dict:
            return False
        if section not in merged.value:
            met = [name for name, value in values.items() if value is not None and name in self._types]
            if any(members.enter(name) is _REJECTED for name in met):
                return False
            return merged.merge_member(section, values, TAKEN)
        if not merged.merge_member(section, values, members):
            return False
        return environment.only_json or not any(
            members.known[name] in _MERGED_JSON and changes(value) for name, value in values.items()
        )
