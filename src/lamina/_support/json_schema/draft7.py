"""The keywords of JSON Schema drafts 6 and 7, as far as they differ from draft 4, beside those of draft 4.

A schema may use the words of all three, as the validator of Helm allows where a schema names no draft: an exclusive
limit is a number, or a boolean beside the limit; 1.0 is an integer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina._support.json_schema.keywords import KEYWORDS, Check, equal, is_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina._support.json_schema.draft4 import Schema, SchemaContext
    from lamina._support.json_schema.violations import Violation


def _type(run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext) -> Iterator[Violation]:
    names = [wanted] if isinstance(wanted, str) else wanted
    whole = isinstance(value, float) and value.is_integer()
    if not any(is_type(value, name) or (whole and name == "integer") for name in names):
        yield context.broken("type", wanted, value)


def _const(run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext) -> Iterator[Violation]:
    if not equal(wanted, value, run.budget):
        yield context.broken("enum", [wanted], value)


def _contains(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if isinstance(value, list) and not any(run.valid(wanted, each, context) for each in value):
        yield context.broken("contains", wanted, value)


def _property_names(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if isinstance(value, dict):
        for name in value:
            yield from run.descend(wanted, name, context)


def _if(run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext) -> Iterator[Violation]:
    follows = schema.get("then" if run.valid(wanted, value, context) else "else", True)
    yield from run.descend(follows, value, context)


def _exclusive_minimum(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if is_type(wanted, "number") and is_type(value, "number") and value <= wanted:
        yield context.broken("exclusive minimum", wanted, value)


def _exclusive_maximum(
    run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
) -> Iterator[Violation]:
    if is_type(wanted, "number") and is_type(value, "number") and value >= wanted:
        yield context.broken("exclusive maximum", wanted, value)


def _limit(keyword: str, exclusive: str) -> Check:
    """A limit of draft 4, which an exclusive one that is a number does not change."""

    def check(
        run: Schema, wanted: Any, value: Any, schema: dict[Any, Any], context: SchemaContext
    ) -> Iterator[Violation]:
        alone = {**schema, exclusive: schema.get(exclusive) is True}
        return KEYWORDS[keyword](run, wanted, value, alone, context)

    return check


KEYWORDS_TO_7: Final[dict[Any, Check]] = {
    **KEYWORDS,
    "const": _const,
    "contains": _contains,
    "exclusiveMaximum": _exclusive_maximum,
    "exclusiveMinimum": _exclusive_minimum,
    "if": _if,
    "maximum": _limit("maximum", "exclusiveMaximum"),
    "minimum": _limit("minimum", "exclusiveMinimum"),
    "propertyNames": _property_names,
    "type": _type,
}
"""The check of each keyword of drafts 4, 6 and 7."""
