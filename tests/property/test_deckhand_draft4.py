"""Schemas are evaluated as Deckhand's validator does it: Python's jsonschema, draft 4, is the oracle."""

from __future__ import annotations

import datetime
import math
import warnings
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator
from referencing import Registry

from lamina._support.json_schema.draft4 import LimitReached, Schema, check_schema, to_check
from lamina._support.json_schema.references import UnusableSchema

NAMES = st.sampled_from(["a", "b", "80", "é", "x\n", ""])
KEYS = st.one_of(NAMES, st.sampled_from([80, 1, True, None]))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([0.1, 0.3, 0.5, 1.0, 4.0, 19.99, 1e300, math.inf, -math.inf, 10**400]),
    st.sampled_from(["", "a", "ab", "aa\n", "AB", "٣", "übér", "80", "\U0001f600"]),
    st.sampled_from([datetime.date(2020, 1, 1), b"a"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)
PATTERNS = st.sampled_from(
    ["a", "^a$", "(?i)^ab$", "^(?P<q>a)(?P=q)$", r"b\Z", "^a{,2}$", r"^\w+$", r"^\d$", "[", "(a)?(?(1)b|c)", "", r"\Aa"]
)
TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string", "nonsense"])
REFERENCES = st.sampled_from(
    [
        *("#", "#/definitions/one", "#/definitions/none", "#/properties/a", "#named", "#/definitions/two/items"),
        *("http://example.org/x", "file:///etc/passwd", "part", "part#/not", "#/anyOf/0", "#/anyOf/x", "#/words/a~1b"),
    ]
)
UNITS = st.sampled_from([1, 2, 0.1, 0.5, 0.01, 0, -1])


def _keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    named = st.dictionaries(NAMES, inner, max_size=3)
    several = st.lists(inner, max_size=3)
    names = st.lists(NAMES, max_size=3)
    count = st.integers(-1, 4)
    return st.fixed_dictionaries(
        {},
        optional={
            "$ref": REFERENCES,
            "id": st.sampled_from(["#named", "part", "http://example.org/x", "other/part"]),
            "$schema": st.just("http://json-schema.org/draft-04/schema#"),
            "additionalItems": st.one_of(st.booleans(), inner),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": inner,
            "const": SCALARS,
            "definitions": st.dictionaries(st.sampled_from(["one", "two"]), inner, max_size=2),
            "dependencies": st.dictionaries(NAMES, st.one_of(inner, names), max_size=2),
            "enum": st.lists(VALUES, max_size=3),
            "exclusiveMaximum": st.booleans(),
            "exclusiveMinimum": st.booleans(),
            "format": st.sampled_from(["ipv4", "regex", "date"]),
            "items": st.one_of(inner, several),
            "maxItems": count,
            "maxLength": count,
            "maxProperties": count,
            "maximum": st.sampled_from([0, 1, 2.5]),
            "minItems": count,
            "minLength": count,
            "minProperties": count,
            "minimum": st.sampled_from([0, 1, 2.5]),
            "multipleOf": UNITS,
            "pattern": PATTERNS,
            "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
            "properties": named,
            "required": names,
            "type": st.one_of(TYPES, st.lists(TYPES, max_size=3)),
            "uniqueItems": st.booleans(),
        },
    ).flatmap(_some)


def _some(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A few of the keywords, in any order: a schema with many is hardly ever one that can be used."""
    return st.permutations(list(schema)).map(lambda order: {word: schema[word] for word in order[:4]})


SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.just({}), _keywords, max_leaves=6)


def _by_jsonschema(schema: Any, value: Any) -> Any:
    try:
        Draft4Validator.check_schema(schema)
        validator = Draft4Validator(schema, registry=Registry())
        return sorted((repr(tuple(error.absolute_path)), error.message) for error in validator.iter_errors(value))
    except Exception:  # whatever it makes of such a schema
        return "unusable"


def _by_lamina(schema: Any, value: Any) -> Any:
    budget = to_check()
    try:
        if check_schema(schema, budget) is not None:
            return "unusable"
        found = Schema(schema, budget).violations(value)
        return sorted((_without_null(violation.path), violation.message()) for violation in found)
    except (UnusableSchema, LimitReached):
        return "unusable"


def _without_null(path: tuple[Any, ...]) -> str:
    """The oracle leaves keys that are null out of its paths."""
    return repr(tuple(step for step in path if step is not None))


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, str) or isinstance(theirs, str):
        return bool(ours == theirs)
    return len(ours) == len(theirs) and all(
        one[0] == other[0] and (one[1] == other[1] or "…" in one[1] or " bits" in one[1])
        for one, other in zip(ours, theirs, strict=True)
    )


@settings(max_examples=600, deadline=None)
@given(schema=SCHEMAS, value=VALUES)
@example(schema={"multipleOf": 0.1}, value=math.inf)
@example(schema={"multipleOf": 2}, value=math.inf)
@example(schema={"uniqueItems": True}, value=[[1], [True], [1]])
@example(schema={"patternProperties": {"a": {}}}, value={80: 1})
@example(schema={"patternProperties": {"b": {}, "(?i)a": {}}, "additionalProperties": False}, value={"c": 1})
@example(schema={"additionalProperties": {"type": "string"}}, value={None: 1})
@example(schema={"enum": [1]}, value=True)
@example(schema={"properties": {"a": {"$ref": "#/definitions/none"}}}, value={"b": 1})
@example(schema={"anyOf": [{"type": "string", "$ref": "#/x"}]}, value=1)
@example(schema={"not": {"type": "string", "pattern": "["}}, value=1)
@example(schema={"$ref": "http://json-schema.org/draft-04/schema#"}, value={"type": 5})
@example(schema={"id": "http://h/a", "properties": {"a": {"id": "b", "items": {"$ref": "a#/not"}}}}, value={"a": [1]})
def test_schemas_mean_what_they_mean_to_deckhand(schema: Any, value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = _by_jsonschema(schema, value)
    ours = _by_lamina(schema, value)
    assert _same(ours, theirs), (ours, theirs)
