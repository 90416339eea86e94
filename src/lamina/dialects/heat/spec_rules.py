"""The specification's merging: last one wins, unless a strategy says how two values are combined.

The type of a parameter comes from a template (`comma_delimited_list` is a list, `json` a dict, `string` a string;
numbers and booleans have no strategy) or, for an undeclared one, from its value. A string for a list parameter is a
list written with commas; two such texts give a string again, a string and a list give a list. JSON text for a json
parameter is a dict. What is named for the parameter beats what is named for the type.

extend       the items of both, none left out                          (list)
append       one text behind the other                                  (string)
merge        the later keys replace                                     (dict)
deep_merge   mappings are merged, everything else is replaced           (dict)
overwrite    the later value

Under a strategy named for the parameter both values must have its type, and numbers and booleans take none but
overwrite. A strategy for a type ignores pairs of other or differing types: there the last one wins. A later null
changes nothing, inside mappings too; a null that nothing else follows stays. Undeclared parameters are kept.
`resource_registry` is updated key by key; of `event_sinks` and `encrypted_param_names` the last one counts.

See Surface spec in docs/reference/heat.md; golden cases in spec-stated.json and spec-reading.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import values as c
from lamina.dialects.heat import parameter_schema
from lamina.dialects.heat import spec_strategies as words
from lamina.dialects.heat.conditional_operator import When
from lamina.dialects.heat.engine_rules import initial_step, not_a_section, rejection
from lamina.dialects.heat.environment import SectionDirective
from lamina.dialects.heat.json_values import NotJsonError, read_json
from lamina.dialects.heat.member_policies import ByMember, each
from lamina.dialects.heat.merge_section import MergeSection
from lamina.dialects.heat.messages import SPEC
from lamina.dialects.heat.sections import REGISTRY, SPEC_STRATEGIES, WITH_STRATEGIES
from lamina.dialects.heat.type_tables import SECTION, TAKEN
from lamina.plugin import (
    ALL,
    DESCEND,
    KEEP,
    LISTS,
    MAPS,
    NUMBERS,
    TAKE,
    Cases,
    Directive,
    From,
    Merge,
    Policy,
    Union,
)
from lamina.plugin.operators import BOOLS, Cast, Convert, JoinLists, JoinStrings, RejectPair
from lamina.values import TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.options import HeatOptions
    from lamina.dialects.heat.spec_strategies import Slots
    from lamina.dialects.heat.template import Types
    from lamina.engine.plan import AnyStep
    from lamina.engine.plan import Fail as FailStep
    from lamina.plugin.operators import Operator

Row = tuple[tuple[int, ...], tuple[int, ...], "Operator"]

_SCALARS: Final = (*BOOLS, *NUMBERS)
_NOTHING: Final = (c.ABSENT, c.NULL)
_OTHER_TYPE: Final = RejectPair("other-type")
_NULLS: Final[tuple[Row, ...]] = (((c.ABSENT,), (c.NULL,), TAKE), (ALL, (c.NULL,), KEEP))

SPLIT: Final = Cast("string split at commas", lambda text: text.split(",") if text else [])


def _mapping_text(text: str) -> dict[str, Any]:
    value = read_json(text)
    if not isinstance(value, dict):
        raise NotJsonError("the JSON is not an object")
    return value


FROM_JSON: Final = Cast("JSON string", _mapping_text)

_EACH: Final = each()
_AS_EMPTY: Final = Cast("missing value as an empty mapping", lambda empty_node: {})  # noqa: ARG005 - every cast has one side
_MEMBERS: Final = Cases(((c.ABSENT,), ALL, Convert(_EACH, old=_AS_EMPTY)), (ALL, ALL, _EACH))
"""Each parameter by its own policy, those of the first file included."""

_KINDS: Final[Mapping[str, str | None]] = {
    parameter_schema.LIST: words.LIST,
    parameter_schema.JSON: words.DICT,
    parameter_schema.STRING: words.STRING,
    parameter_schema.NUMBER: None,
    parameter_schema.BOOLEAN: None,
}
"""The type a declared parameter has for the specification."""


def _is_mapping_text(text: str) -> bool:
    try:
        _mapping_text(text)
    except NotJsonError:
        return False
    return True


def _both_readable(old: Any, new: Any) -> bool:
    return all(not isinstance(side, str) or _is_mapping_text(side) for side in (old, new))


def _list_rows(word: str, declared: bool) -> list[Row]:
    del word
    rows: list[Row] = [(LISTS, LISTS, JoinLists("old"))]
    if declared:
        rows += [
            ((c.EMPTY_TEXT,), TEXTS, TAKE),
            ((c.TEXT,), (c.EMPTY_TEXT,), KEEP),
            ((c.TEXT,), (c.TEXT,), JoinStrings(",")),
            (TEXTS, LISTS, Convert(JoinLists("old"), old=SPLIT)),
            (LISTS, TEXTS, Convert(JoinLists("old"), new=SPLIT)),
        ]
    return rows


def _string_rows(word: str, declared: bool) -> list[Row]:
    del word, declared
    return [((c.EMPTY_TEXT,), TEXTS, TAKE), ((c.TEXT,), (c.EMPTY_TEXT,), KEEP), ((c.TEXT,), (c.TEXT,), JoinStrings())]


def _dict_rows(word: str, declared: bool, otherwise: Operator) -> list[Row]:
    deeper: list[Row] = [(MAPS, MAPS, DESCEND)] if word == "deep_merge" else []
    union = Union(Cases(*_NULLS, *deeper, (ALL, ALL, TAKE)))
    rows: list[Row] = [(MAPS, MAPS, union)]
    if declared:
        both = Convert(union, old=FROM_JSON, new=FROM_JSON)
        rows += [
            ((c.TEXT,), (c.TEXT,), When(_both_readable, both, otherwise)),
            ((c.TEXT,), MAPS, When(_both_readable, Convert(union, old=FROM_JSON), otherwise)),
            (MAPS, (c.TEXT,), When(_both_readable, Convert(union, new=FROM_JSON), otherwise)),
        ]
    return rows


def _rows(word: str, declared: bool, otherwise: Operator) -> list[Row]:
    kind = words.TYPE_OF[word]
    if kind == words.DICT:
        return _dict_rows(word, declared, otherwise)
    return (_list_rows if kind == words.LIST else _string_rows)(word, declared)


def _named_table(word: str, known: str | None, declared: bool) -> Cases:
    """The table of a parameter with its own strategy."""
    if word == words.OVERWRITE:
        return Cases(*_NULLS, (ALL, ALL, TAKE))
    if declared and known is None:
        return Cases(*_NULLS, (ALL, ALL, RejectPair("no-strategy")))
    rows_of_type = _rows(word, declared, _OTHER_TYPE) if not declared or known == words.TYPE_OF[word] else []
    return Cases(
        *_NULLS,
        (ALL, _SCALARS, RejectPair("no-strategy")),
        (_SCALARS, ALL, RejectPair("no-strategy")),
        (_NOTHING, ALL, TAKE),
        *rows_of_type,
        (ALL, ALL, _OTHER_TYPE),
    )


def _slot_table(slots: Slots, known: str | None, declared: bool) -> Cases:
    """The table of a parameter for which only the strategies of types count."""
    rows: list[Row] = []
    for kind, slot in slots.types.items():
        if slot.word != words.OVERWRITE and (not declared or known == kind):
            rows += _rows(slot.word, declared, TAKE)
    return Cases(*_NULLS, (_NOTHING, ALL, TAKE), *rows, (ALL, ALL, TAKE))


class Spec:
    """One run: the slots, and the policies they give."""

    def __init__(self, slots: Slots, types: Types) -> None:
        self._slots = slots
        self._types = types
        self._tables: dict[tuple[str | None, str | None], Policy] = {}

    def steps(self, environments: Iterable[Environment], options: HeatOptions) -> list[AnyStep]:
        """The steps that merge the files in order."""
        steps: list[AnyStep] = [initial_step(options)] if options.initial_parameters else []
        for environment in environments:
            for section, value in environment.node.value.items():
                if value and section != SPEC_STRATEGIES:
                    steps.append(self._section(environment, section))
        return steps

    def _section(self, environment: Environment, section: str) -> Merge | FailStep:
        node = environment.node.child(section)
        directives: dict[Any, Directive] = {}
        if section in WITH_STRATEGIES:
            if not isinstance(node.value, dict):
                return rejection(not_a_section(environment, section))
            policies = {name: self._policy(name) for name in node.value}
            policy: Policy = ByMember(_MEMBERS, policies, TAKEN, "by strategy")
            directives = {name: found for name in node.value if (found := self._directive(name))}
        else:
            policy = SECTION if section == REGISTRY else TAKEN
        return MergeSection(
            directive=SectionDirective(environment, section),
            take=From(source=node, layer=environment.name),
            policy=policy,
            path=(section,),
            create=True,
            directives=directives,
            faults=SPEC,
            subject=environment.name,
        )

    def _policy(self, name: Any) -> Policy:
        slot, declared = self._slots.parameters.get(name), self._types.get(name)
        key = (slot.word if slot else None, declared.kind if declared else None)
        known = self._tables.get(key)
        if known is None:
            kind = _KINDS[declared.kind] if declared else None
            table = (
                _named_table(slot.word, kind, declared is not None)
                if slot
                else _slot_table(self._slots, kind, declared is not None)
            )
            known = self._tables[key] = Policy(table, slot.word if slot else "by type")
        return known

    def _directive(self, name: Any) -> Directive | None:
        slot = self._slots.parameters.get(name)
        return slot.directive if slot else None
