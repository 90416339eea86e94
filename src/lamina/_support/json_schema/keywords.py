"""The keywords of JSON Schema draft 4.

Every function gets the schema run, the value of the keyword, the value to check, the schema around the keyword and the
evaluation context. The values it compares are counted against the budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from numbers import Number
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina._support.json_schema.references import UnusableSchema
from lamina._support.json_schema.violations import abbreviated
from lamina._support.safe_regex import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sized

    from lamina._support.json_schema.draft4 import Schema, SchemaContext
    from lamina._support.json_schema.violations import Violation
    from lamina.budget import Budget

Check: TypeAlias = "Callable[[Schema, Any, Any, dict[Any, Any], SchemaContext], Iterator[Violation]]"

_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, Number) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def is_type(value: Any, name: Any) -> bool:
    """Whether a value has a type; dates, binary data and sets have none."""
    known = _TYPES.get(name) if isinstance(name, str) else None
    if known is None:
        raise UnusableSchema(f"unknown type {abbreviated(name)}")
    return known(value)


def _type(run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext) -> Iterator[Violation]:
    names = [wanted] if isinstance(wanted, str) else wanted
    run.budget.spend(len(names))
    if not any(is_type(value, name) for name in names):
        yield context.broken("type", wanted, value)


def _enum(run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext) -> Iterator[Violation]:
    if not any(equal(each, value, run.budget) for each in wanted):
        yield context.broken("enum", wanted, value)


def _properties(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if isinstance(value, dict):
        run.budget.spend(len(wanted))
        for name, inner in wanted.items():
            if name in value:
                yield from run.descend(inner, value[name], context, name)


def _pattern_properties(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if isinstance(value, dict):
        for pattern, inner in wanted.items():
            for name, each in value.items():
                if run.found(pattern, name):
                    yield from run.descend(inner, each, context, name)


def _additional_properties(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if not isinstance(value, dict):
        return
    run.budget.spend(len(value))
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    # The patterns are joined to one, as Deckhand's validator does; not every valid pattern can be joined.
    pattern = "|".join(patterns)
    extra = [name for name in value if name not in named and not (pattern and run.found(pattern, name))]
    if isinstance(wanted, dict):
        for name in extra:
            yield from run.descend(wanted, value[name], context, name)
    elif not wanted and extra and "patternProperties" in schema:
        yield context.broken("patternProperties", (sorted(extra), sorted(patterns)), value, named)
    elif not wanted and extra:
        yield context.broken("additionalProperties", sorted(extra, key=str), value, named)


def _required(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if isinstance(value, dict):
        run.budget.spend(len(wanted))
        for name in wanted:
            if name not in value:
                yield context.broken("required", name, value)


def _dependencies(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if not isinstance(value, dict):
        return
    run.budget.spend(len(wanted))
    for name, needed in wanted.items():
        if name not in value:
            continue
        if isinstance(needed, list):
            run.budget.spend(len(needed))
            for each in needed:
                if each not in value:
                    yield context.broken("dependencies", (each, name), value)
        else:
            yield from run.descend(needed, value, context)


def _items(run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext) -> Iterator[Violation]:
    if not isinstance(value, list):
        return
    if isinstance(wanted, dict):
        for position, each in enumerate(value):
            yield from run.descend(wanted, each, context, position)
    else:
        for position, (each, inner) in enumerate(zip(value, wanted, strict=False)):
            yield from run.descend(inner, each, context, position)


def _additional_items(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if not isinstance(value, list) or isinstance(schema.get("items", {}), dict):
        return
    known = len(schema["items"])
    if isinstance(wanted, dict):
        for position in range(known, len(value)):
            yield from run.descend(wanted, value[position], context, position)
    elif not wanted and len(value) > known:
        yield context.broken("additionalItems", value[known:], value)


def _all_of(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    for inner in wanted:
        yield from run.descend(inner, value, context)


def _any_of(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if not any(_passes(run, inner, value, context) for inner in wanted):
        yield context.broken("anyOf", wanted, value)


def _one_of(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    left = iter(wanted)
    first = next((inner for inner in left if _passes(run, inner, value, context)), _NO_VALUE)
    if first is _NO_VALUE:
        yield context.broken("oneOf", wanted, value)
    more = [inner for inner in left if run.valid(inner, value, context)]
    if more:
        yield context.broken("several oneOf", [*more, first], value)


_NO_VALUE: Final = object()


def _passes(run: Schema, schema: Any, value: Any, context: SchemaContext) -> bool:
    """Whether a schema finds nothing; unlike for `valid`, all of it is evaluated, as in Deckhand's validator."""
    found = 0
    for _ in run.descend(schema, value, context):
        found += 1
    return not found


def _not(run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext) -> Iterator[Violation]:
    if run.valid(wanted, value, context):
        yield context.broken("not", wanted, value)


def _minimum(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if is_type(value, "number"):
        exclusive = schema.get("exclusiveMinimum", False)
        if value <= wanted if exclusive else value < wanted:
            yield context.broken("exclusive minimum" if exclusive else "minimum", wanted, value)


def _maximum(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if is_type(value, "number"):
        exclusive = schema.get("exclusiveMaximum", False)
        if value >= wanted if exclusive else value > wanted:
            yield context.broken("exclusive maximum" if exclusive else "maximum", wanted, value)


def _multiple_of(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if is_type(value, "number") and not _is_multiple(value, wanted):
        yield context.broken("multipleOf", wanted, value)


def _is_multiple(value: Any, unit: Any) -> bool:
    """The quotient of two floats must be an integer, so 0.3 is not a multiple of 0.1."""
    if not isinstance(unit, float):
        return not value % unit
    quotient = value / unit
    if math.isinf(quotient):
        return (Fraction(value) / Fraction(unit)).denominator == 1
    return bool(int(quotient) == quotient)


def _pattern(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if isinstance(value, str) and not run.found(wanted, value):
        yield context.broken("pattern", wanted, value)


def _format(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if run.checks_patterns and wanted == "regex" and isinstance(value, str):
        run.budget.spend(len(value))
        if not readable(value):
            yield context.broken("format", wanted, value)


def _unique_items(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if wanted and isinstance(value, list) and not unique(value, run.budget):
        yield context.broken("uniqueItems", wanted, value)


def _size(keyword: str, kind: type[Sized], too: Callable[[int, Any], bool]) -> Check:
    def check(
        run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
    ) -> Iterator[Violation]:
        if isinstance(value, kind) and too(len(value), wanted):
            yield context.broken(keyword, wanted, value)

    return check


def _is_less(size: int, wanted: Any) -> bool:
    return bool(size < wanted)


def _is_more(size: int, wanted: Any) -> bool:
    return bool(size > wanted)


KEYWORDS: Final[dict[Any, Check]] = {
    "additionalItems": _additional_items,
    "additionalProperties": _additional_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "dependencies": _dependencies,
    "enum": _enum,
    "format": _format,
    "items": _items,
    "maxItems": _size("maxItems", list, _is_more),
    "maxLength": _size("maxLength", str, _is_more),
    "maxProperties": _size("maxProperties", dict, _is_more),
    "maximum": _maximum,
    "minItems": _size("minItems", list, _is_less),
    "minLength": _size("minLength", str, _is_less),
    "minProperties": _size("minProperties", dict, _is_less),
    "minimum": _minimum,
    "multipleOf": _multiple_of,
    "not": _not,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "properties": _properties,
    "required": _required,
    "type": _type,
    "uniqueItems": _unique_items,
}
"""The check of each keyword; other keywords are ignored."""


def equal(one: Any, other: Any, budget: Budget) -> bool:
    """Whether two values are the same: 1 and 1.0 are, 1 and true are not, at any depth."""
    budget.spend(1)
    if one is other:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(equal(left, right, budget) for left, right in pairs)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        if len(one) != len(other):
            return False
        return all(key in other and equal(value, other[key], budget) for key, value in one.items())
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def unique(items: list[Any], budget: Budget) -> bool:
    """Whether no two items are equal: compares neighbours if the items can be sorted, else all pairs."""
    # Python itself compares what is sorted, which cannot be counted on the way.
    budget.spend(_comparison_cost(items, budget) * len(items).bit_length())
    marked: list[Any] = [_MARKED.get(item, item) if isinstance(item, bool) else item for item in items]
    try:
        ordered = sorted(marked)
    except (NotImplementedError, TypeError):
        return not any(equal(*pair, budget) for pair in combinations(marked, 2))
    return not any(equal(*pair, budget) for pair in pairwise(ordered))


_MARKED: Final[dict[Any, object]] = {True: object(), False: object()}
"""Stand-ins for booleans, which Python considers equal to numbers."""


def _comparison_cost(value: Any, budget: Budget) -> int:
    """The number of comparisons that a value takes."""
    cost, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        size = len(each) if isinstance(each, (str, bytes, list, dict)) else 0
        budget.spend(1 + size // 100)
        cost += 1 + size // 100
        if isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, dict):
            waiting.extend(each.values())
    return cost
