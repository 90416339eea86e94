"""Heat's own merging, file by file and section by section.

The first file that fills a section is taken whole: undeclared parameters, nulls and JSON texts as they are. Once a
section has content, only declared parameters with a value that is not null are looked at; all others of a later file
are dropped silently. Parameters sent with the request fill the section before the first file. A section that is
empty is skipped. The strategies of a section are checked before any value of it is merged.

See Surface shipped in docs/reference/heat.md; golden cases in shipped-sections.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.heat import messages
from lamina.dialects.heat.converted_sources import Patched
from lamina.dialects.heat.environment import SectionDirective
from lamina.dialects.heat.json_values import NotJsonError, changes, through_json
from lamina.dialects.heat.member_policies import ByMember
from lamina.dialects.heat.merge_section import MergeInPlace, MergeSection
from lamina.dialects.heat.messages import SHIPPED
from lamina.dialects.heat.parameter_schema import JSON
from lamina.dialects.heat.sections import PARAMETERS, SHIPPED_STRATEGIES, WITH_STRATEGIES
from lamina.dialects.heat.strategies import StrategyTable
from lamina.dialects.heat.type_tables import IGNORED, MEMBERS, NOT_JSON, SECTION, TAKEN, policy_for
from lamina.plugin import Directive, Fail, From, LiteralNode, Merge, SourceNode
from lamina.values import word_for as kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.options import HeatOptions
    from lamina.dialects.heat.template import Types
    from lamina.engine.plan import AnyStep
    from lamina.errors import Note
    from lamina.plugin import Diagnostic, Node, Policy

_NULL: Final = frozenset((type(None),))


class EngineRun:
    """The state of a run: the steps so far, the strategies in force, the sections that have content."""

    def __init__(self, types: Types, options: HeatOptions, *, has_template: bool) -> None:
        self.table = StrategyTable(documented=options.compat == "manual")
        self.notes: list[Note] = []
        self._types = types
        self._has_template = has_template
        self._filled: set[str] = set()
        self._in_place = False
        self._policies: dict[Any, Policy] = {}
        """The policies of the parameters met so far."""
        self._by_member = ByMember(MEMBERS, self._policies, IGNORED, "by strategy")
        """The policy of all files that set only parameters met before; by the manual each file has its own."""
        self._through_json: set[Any] = set()
        """Those of them whose later values go through JSON text."""

    def steps(self, environments: Iterable[Environment], options: HeatOptions) -> list[AnyStep]:
        """The steps that merge the files in order, up to the first one that is rejected."""
        steps: list[AnyStep] = []
        if options.initial_parameters:
            self._filled.add(PARAMETERS)
            steps.append(initial_step(options))
        for environment in environments:
            if environment.rejected:
                return [*steps, rejection(environment.rejected)]
            self._in_place = self._in_place or environment.shares
            for section, value in environment.node.value.items():
                if value and section != SHIPPED_STRATEGIES:
                    step = self._section(environment, section)
                    steps.append(step)
                    if isinstance(step, Fail):
                        return steps
        return steps

    def _section(self, environment: Environment, section: str) -> Merge | Fail:
        node = environment.node.child(section)
        if section not in WITH_STRATEGIES:
            return self._merge_step(environment, section, node, SECTION)
        if not isinstance(node.value, dict):
            return rejection(not_a_section(environment, section))
        return self._parameters(environment, section, node)

    def _parameters(self, environment: Environment, section: str, node: Node) -> Merge | Fail:
        types, known = self._types, self._knows(node.value)
        names: Collection[str] = node.value
        if not known:
            names = [name for name, value in node.value.items() if value is not None and name in types]
        if names and not isinstance(environment.node.value.get(SHIPPED_STRATEGIES, {}), dict):
            return rejection(bad_strategies(environment, SHIPPED_STRATEGIES))
        conflict = self.table.add_names(environment, section, names, all_met=known)
        if conflict:
            return rejection(conflict)
        if section not in self._filled:
            self._filled.add(section)
            return self._merge_step(environment, section, node, TAKEN)
        if len(names) < len(node.value):
            self.notes.extend(self._ignored(environment, section, node))
        if not known:
            self._resolve_policies(names)
        patches, bad = self._through_json_text(node, names, only_json=environment.only_json)
        policy = self._by_member
        if bad or not known:
            policies = self._policies
            members = {name: policies[name] for name in names} | dict.fromkeys(bad, NOT_JSON)
            policy = ByMember(MEMBERS, members, IGNORED, "by strategy")
        if patches:
            assert isinstance(node, SourceNode)
            node = Patched(node, patches)
        return self._merge_step(environment, section, node, policy)

    def _knows(self, values: dict[Any, Any]) -> bool:
        """Fast path: whether all values of a file count, and all their parameters were met before."""
        met = not self.table.documented and self._policies.keys() >= values.keys()
        return met and _NULL.isdisjoint(map(type, values.values()))

    def _through_json_text(
        self, node: Node, names: Collection[str], *, only_json: bool
    ) -> tuple[dict[Any, Node], list[str]]:
        """The json values that JSON text changes, as they come out of it, and the names of those that are not JSON."""
        patches: dict[Any, Node] = {}
        bad: list[str] = []
        for name in [name for name in names if name in self._through_json]:
            if self._in_place or changes(node.value[name], only_json=only_json):
                try:
                    patches[name] = through_json(node.child(name))
                except NotJsonError:
                    bad.append(name)
        return patches, bad

    def _resolve_policies(self, names: Iterable[str]) -> None:
        """Resolve the policies of parameters that are not known yet; by the manual each file sets its own."""
        if self.table.documented:
            self._policies.clear()
            self._through_json.clear()
        for name in [name for name in names if name not in self._policies]:
            kind = self._types[name].kind
            policy = self._policies[name] = policy_for(kind, self.table.fixed[name].word)
            if kind == JSON and policy is not TAKEN:
                self._through_json.add(name)

    def _merge_step(self, environment: Environment, section: str, node: Node, policy: Policy) -> Merge:
        step = MergeInPlace if self._in_place else MergeSection
        return step(
            directive=SectionDirective(environment, section),
            take=From(source=node, layer=environment.name),
            policy=policy,
            path=(section,),
            create=True,
            directives=self.table.directives() if isinstance(policy, ByMember) else {},
            faults=SHIPPED,
            subject=environment.name,
        )

    def _ignored(self, environment: Environment, section: str, node: Node) -> Iterable[Note]:
        undeclared = [name for name in node.value if name not in self._types]
        nulls = [name for name, value in node.value.items() if value is None and name in self._types]
        for name in undeclared if self._has_template else ():
            yield self._undeclared(environment, section, name)
        if undeclared and not self._has_template:
            yield _no_template(environment, section, undeclared)
        for name in nulls:
            yield messages.NULL_IGNORED.at(
                environment.origin_of(section, name), (section, name), subject=environment.name, name=name
            )

    def _undeclared(self, environment: Environment, section: str, name: Any) -> Note:
        suggestion = suggestions.did_you_mean(str(name), [str(known) for known in self._types])
        return messages.PARAMETER_DROPPED.at(
            environment.origin_of(section, name),
            (section, name),
            subject=environment.name,
            name=name,
            suggestion=suggestion,
            section=section,
        )


def _no_template(environment: Environment, section: str, names: list[Any]) -> Note:
    listed = ", ".join(str(name) for name in names[:5]) + (", …" if len(names) > 5 else "")
    return messages.PARAMETERS_DROPPED.at(
        environment.origin_of(section), (section,), subject=environment.name, listed=listed
    )


def initial_step(options: HeatOptions) -> Merge:
    """The step that lays the parameters sent with the request."""
    return Merge(
        directive=Directive("parameters sent with the request"),
        take=From(source=LiteralNode(dict(options.initial_parameters or {}), (PARAMETERS,)), layer="the request"),
        policy=TAKEN,
        path=(PARAMETERS,),
        create=True,
        subject="the request",
    )


def rejection(finding: Diagnostic) -> Fail:
    """The step that stops the run."""
    return Fail(directive=Directive("refused", finding.at), finding=finding, subject=finding.subject)


def not_a_section(environment: Environment, section: str) -> Diagnostic:
    """The finding that a section of parameters is not a mapping."""
    return messages.SECTION_NOT_A_MAPPING.at(
        environment.origin_of(section),
        (section,),
        subject=environment.name,
        section=section,
        found=kind_of(environment.section(section)),
    )


def bad_strategies(environment: Environment, section: str) -> Diagnostic:
    """The finding that a section of strategies is not a mapping."""
    return messages.STRATEGIES_NOT_A_MAPPING.at(
        environment.origin_of(section),
        (section,),
        subject=environment.name,
        section=section,
        found=kind_of(environment.section(section)),
    )
