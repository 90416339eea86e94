"""Parameter schemas: what Heat rejects in the declaration of a parameter, whatever the environments say.

Heat reads the schema of every parameter of every template before it opens an environment, and for one bad schema it
rejects the whole request. It looks at the keys, the type, the tags, and the form of each constraint. It does not look
at whether a constraint fits the type or the default; of several constraints in one entry it reads one.

See Types in docs/reference/heat.md; golden cases in corners2.json.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.heat import messages
from lamina.paths import show_key
from lamina.plugin import SourceNode, word_for

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from lamina.errors import Diagnostic, Message

STRING: Final = "string"
NUMBER: Final = "number"
LIST: Final = "comma_delimited_list"
JSON: Final = "json"
BOOLEAN: Final = "boolean"

MAX_PATTERN: Final = 10_000
"""How long an allowed_pattern may be; a limit of Lamina's own, since reading a pattern takes more time than its length
suggests."""


_PLAIN = frozenset(("type", "Type", "default", "Default", "description", "Description", "label", "hidden", "NoEcho"))
"""Keys of a schema whose values Heat accepts whatever they are, but for the type."""


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """How templates of one version declare parameters."""

    section: str
    type: str
    words: Mapping[str, str]
    """The types by their words here."""
    keys: tuple[str, ...]
    constraints: Callable[[SourceNode], Iterator[Diagnostic]]
    plain_keys: frozenset[str] = field(init=False)
    """Those of the keys whose values are accepted whatever they are, but for the type."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "plain_keys", _PLAIN.intersection(self.keys))


def is_plain(schema: Any, style: Style) -> bool:
    """Whether Heat surely accepts a schema; most have just a type and a default."""
    if type(schema) is not dict or not style.plain_keys.issuperset(schema):
        return False
    kind = schema.get(style.type)
    return isinstance(kind, str) and kind in style.words


def faults_in(holder: SourceNode, name: Any, style: Style) -> Iterator[Diagnostic]:
    """What Heat rejects in the schema of one parameter."""
    schema = holder.child(name)
    if not isinstance(schema, SourceNode) or not isinstance(schema.value, dict):
        yield messages.SCHEMA_NOT_A_MAPPING.at(
            holder.key_origin(name),
            subject=holder.layer,
            name=show_key(name),
            found=word_for(holder.value[name]),
            type=style.type,
            listed=", ".join(style.words),
        )
        return
    yield from _unknown_keys(schema, style.keys, f"the parameter {show_key(name)}")
    yield from _type_fault(holder, schema, name, style)
    if "tags" in style.keys and not isinstance(schema.value.get("tags", []), list):
        yield _fault(schema, "tags", messages.TAGS_NOT_A_LIST)
    yield from style.constraints(schema)


def _type_fault(holder: SourceNode, schema: SourceNode, name: Any, style: Style) -> Iterator[Diagnostic]:
    known = ", ".join(style.words)
    kind = schema.value.get(style.type)
    if kind is None:
        yield messages.NO_TYPE.at(
            holder.key_origin(name), subject=holder.layer, name=show_key(name), type=style.type, known=known
        )
    elif not isinstance(kind, str) or kind not in style.words:
        suggestion = suggestions.did_you_mean(str(kind).lower(), style.words)
        yield messages.UNKNOWN_TYPE.at(
            holder.key_origin(name),
            subject=holder.layer,
            name=show_key(name),
            kind=kind,
            suggestion=suggestion,
            known=known,
        )


def _unknown_keys(node: SourceNode, known: Collection[str], what: str) -> Iterator[Diagnostic]:
    for key in node.value:
        if key not in known:
            suggestion = suggestions.did_you_mean(str(key), list(known))
            yield messages.UNKNOWN_KEY.at(
                node.key_origin(key),
                subject=node.layer,
                what=what,
                key=show_key(key),
                suggestion=suggestion,
                listed=", ".join(known),
            )


def _fault(node: SourceNode, key: Any, message: Message, /, **words: Any) -> Diagnostic:
    """The finding about the value of a key."""
    return message.at(node.child(key).origin() or node.key_origin(key), subject=node.layer, **words)


def _hot_constraints(kinds: tuple[str, ...], schema: SourceNode) -> Iterator[Diagnostic]:
    holder = schema.child("constraints")
    if not isinstance(holder, SourceNode) or holder.value is None:
        return
    if not isinstance(holder.value, list):
        yield messages.CONSTRAINTS_NOT_A_LIST.at(holder.origin(), subject=holder.layer, found=word_for(holder.value))
        return
    for position in range(len(holder.value)):
        entry = holder.child(position)
        assert isinstance(entry, SourceNode)
        if isinstance(entry.value, dict):
            yield from _hot_constraint(kinds, entry)
        else:
            yield messages.CONSTRAINT_NOT_A_MAPPING.at(
                entry.origin(), subject=entry.layer, found=word_for(entry.value), listed=", ".join(kinds)
            )


def _hot_constraint(kinds: tuple[str, ...], entry: SourceNode) -> Iterator[Diagnostic]:
    unknown = list(_unknown_keys(entry, _HOT_CONSTRAINT_KEYS, "the constraint"))
    yield from unknown
    kind = next((kind for kind in kinds if kind in entry.value), None)
    if kind is None and not unknown:
        yield messages.NO_CONSTRAINT.at(entry.origin(), subject=entry.layer, listed=", ".join(kinds))
    elif kind in ("range", "length", "modulo"):
        inside = entry.child(kind)
        names = ("step", "offset") if kind == "modulo" else ("min", "max")
        if not isinstance(inside, SourceNode) or not isinstance(inside.value, dict):
            yield _fault(
                entry, kind, messages.BOUNDS_NOT_A_MAPPING, kind=kind, listed=" and ".join(names), first=names[0]
            )
            return
        unknown = list(_unknown_keys(inside, names, kind))
        yield from unknown or (_modulo(inside) if kind == "modulo" else _bounds(inside, kind, names))
    elif kind == "allowed_values":
        yield from _allowed_values(entry, kind)
    elif kind == "allowed_pattern":
        yield from _allowed_pattern(entry, kind)


def _cfn_constraints(schema: SourceNode) -> Iterator[Diagnostic]:
    for kind, names in (("range", ("MinValue", "MaxValue")), ("length", ("MinLength", "MaxLength"))):
        if any(name in schema.value for name in names):
            yield from _bounds(schema, kind, names)
    if "AllowedValues" in schema.value:
        yield from _allowed_values(schema, "AllowedValues")
    if "AllowedPattern" in schema.value:
        yield from _allowed_pattern(schema, "AllowedPattern")


def _bounds(node: SourceNode, kind: str, names: tuple[str, str]) -> Iterator[Diagnostic]:
    given = [name for name in names if node.value.get(name) is not None]
    if not given:
        yield messages.NO_BOUND.at(node.origin(), subject=node.layer, kind=kind, first=names[0], second=names[1])
    for name in given:
        number = _number(node.value[name])
        if number is None:
            yield _fault(node, name, messages.BOUND_NOT_A_NUMBER, name=name)
        elif kind == "length" and isinstance(number, float):
            yield _fault(node, name, messages.BOUND_NOT_AN_INTEGER, name=name)


def _modulo(node: SourceNode) -> Iterator[Diagnostic]:
    step, offset = (_number(node.value.get(name)) for name in ("step", "offset"))
    if step is None or offset is None or any(number % 1 for number in (step, offset)):
        yield messages.MODULO_WITHOUT_INTEGERS.at(node.origin(), subject=node.layer)
    elif step == 0 or abs(offset) >= abs(step) or step * offset < 0:
        yield messages.BAD_OFFSET.at(node.origin(), subject=node.layer)


def _number(value: Any) -> float | None:
    """A number, or a string Heat reads as one."""
    if isinstance(value, (int, float)):
        return value
    if not isinstance(value, (str, bytes)):
        return None
    for reader in (int, float):
        try:
            return reader(value)
        except ValueError:
            continue
    return None


def _allowed_values(node: SourceNode, key: str) -> Iterator[Diagnostic]:
    if not isinstance(node.value[key], (list, tuple, bytes)):
        yield _fault(node, key, messages.VALUES_NOT_A_LIST, key=key, found=word_for(node.value[key]))


def _allowed_pattern(node: SourceNode, key: str) -> Iterator[Diagnostic]:
    pattern = node.value[key]
    if not isinstance(pattern, str):
        yield _fault(node, key, messages.PATTERN_NOT_A_STRING, key=key, found=word_for(pattern))
    elif len(pattern) > MAX_PATTERN:
        yield _fault(node, key, messages.PATTERN_TOO_LONG, key=key, max_pattern=MAX_PATTERN)
    else:
        try:
            re.compile(pattern)
        except Warning:
            return  # The host turns warnings into errors; the pattern itself is one that Python takes.
        except (re.error, ValueError, OverflowError, RecursionError) as error:
            yield _fault(node, key, messages.NOT_A_PATTERN, key=key, error=error)


_HOT_WORDS: Final = {kind: kind for kind in (STRING, NUMBER, LIST, JSON, BOOLEAN)}
_CFN_WORDS: Final = {
    "String": STRING,
    "Number": NUMBER,
    "CommaDelimitedList": LIST,
    "Json": JSON,
    "Boolean": BOOLEAN,
}
_HOT_KEYS: Final = ("type", "description", "default", "schema", "constraints", "hidden", "label", "immutable")
_CFN_KEYS: Final = (
    *("Type", "Default", "NoEcho", "AllowedValues", "AllowedPattern", "MaxLength", "MinLength", "MaxValue"),
    *("MinValue", "Description", "ConstraintDescription", "Label"),
)
_HOT_KINDS: Final = ("range", "length", "allowed_values", "allowed_pattern", "custom_constraint")
_HOT_CONSTRAINT_KEYS: Final = ("description", "modulo", *_HOT_KINDS)


def _hot_style(kinds: tuple[str, ...], *more: str) -> Style:
    return Style("parameters", "type", _HOT_WORDS, (*_HOT_KEYS, *more), lambda schema: _hot_constraints(kinds, schema))


_FIRST: Final = _hot_style(_HOT_KINDS)
_WITH_MODULO: Final = _hot_style(("modulo", *_HOT_KINDS))
_WITH_TAGS: Final = _hot_style(("modulo", *_HOT_KINDS), "tags")
_CFN: Final = Style("Parameters", "Type", _CFN_WORDS, _CFN_KEYS, _cfn_constraints)

STYLES: Final[Mapping[str, Mapping[str, Style]]] = {
    "heat_template_version": {
        **dict.fromkeys(("2013-05-23", "2014-10-16", "2015-04-30", "2015-10-15", "2016-04-08"), _FIRST),
        **dict.fromkeys(("2016-10-14", "newton"), _FIRST),
        **dict.fromkeys(("2017-02-24", "ocata", "2017-09-01", "pike"), _WITH_MODULO),
        **dict.fromkeys(("2018-03-02", "queens", "2018-08-31", "rocky", "2021-04-16", "wallaby"), _WITH_TAGS),
    },
    "HeatTemplateFormatVersion": {"2012-12-12": _CFN},
    "AWSTemplateFormatVersion": {"2010-09-09": _CFN},
}
"""How parameters are declared, by the version key of a template and its value."""
