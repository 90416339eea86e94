"""The schema of JSON Schema draft 4: what a schema must be."""

from __future__ import annotations

from typing import Any, Final

META_ID: Final = "http://json-schema.org/draft-04/schema"
OTHER_DRAFTS: Final = frozenset(
    {
        *(f"http://json-schema.org/draft-{number}/schema" for number in ("03", "06", "07")),
        *(f"https://json-schema.org/draft/{date}/schema" for date in ("2019-09", "2020-12")),
    }
)
"""Other drafts of JSON Schema that a part of a schema can name in `$schema`."""

_TEXT: Final = {"type": "string"}
_SCHEMA: Final = {"$ref": "#"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_NUMBER: Final = {"type": "number"}
_SWITCH: Final = {"type": "boolean"}
_SCHEMA_OR_SWITCH: Final = {"anyOf": [_SWITCH, _SCHEMA]}
_SCHEMAS: Final = {"type": "array", "minItems": 1, "items": _SCHEMA}
_NAMED_SCHEMAS: Final = {"type": "object", "additionalProperties": _SCHEMA}
_NAMES: Final = {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}
_TYPE: Final = {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]}

META: Final[dict[str, Any]] = {
    "id": META_ID,
    "type": "object",
    "properties": {
        **dict.fromkeys(("id", "$schema", "title", "description", "format"), _TEXT),
        **dict.fromkeys(("maximum", "minimum"), _NUMBER),
        **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "uniqueItems"), _SWITCH),
        **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"), _COUNT),
        **dict.fromkeys(("definitions", "properties", "patternProperties"), _NAMED_SCHEMAS),
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), _SCHEMAS),
        **dict.fromkeys(("additionalItems", "additionalProperties"), _SCHEMA_OR_SWITCH),
        "multipleOf": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        "pattern": {"type": "string", "format": "regex"},
        "items": {"anyOf": [_SCHEMA, _SCHEMAS]},
        "required": _NAMES,
        "dependencies": {"type": "object", "additionalProperties": {"anyOf": [_SCHEMA, _NAMES]}},
        "enum": {"type": "array", "minItems": 1, "uniqueItems": True},
        "type": {"anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1, "uniqueItems": True}]},
        "not": _SCHEMA,
    },
    "dependencies": {"exclusiveMaximum": ["maximum"], "exclusiveMinimum": ["minimum"]},
}
"""What a schema of draft 4 must be."""
