"""Deckhand's own schemas, in JSON Schema draft 4: for all documents, and for the built-in kinds.

They are described under Validation in docs/reference/deckhand.md.
"""

from __future__ import annotations

from typing import Any, Final

SCHEMA_NAME: Final = r"^[A-Za-z]+/[A-Za-z]+/v\d+$"
_TEXT: Final = {"type": "string"}

BASE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "schema": {"type": "string", "pattern": SCHEMA_NAME},
        "metadata": {
            "type": "object",
            "properties": {
                "schema": {
                    "anyOf": [
                        {"type": "string", "pattern": r"^metadata/Document/v\d+$"},
                        {"type": "string", "pattern": r"^metadata/Control/v\d+$"},
                    ]
                },
                "name": _TEXT,
            },
            "required": ["schema", "name"],
        },
    },
    "required": ["schema", "metadata"],
}
"""The schema of every document; its data may be anything."""

_DESTINATION: Final = {
    "type": "object",
    "properties": {
        "path": _TEXT,
        "pattern": _TEXT,
        "recurse": {
            "type": "object",
            "properties": {"depth": {"type": "integer", "minimum": -1}},
            "required": ["depth"],
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}
_SUBSTITUTION: Final = {
    "type": "object",
    "properties": {
        "src": {
            "type": "object",
            "properties": {
                "schema": {"type": "string", "pattern": SCHEMA_NAME},
                "name": _TEXT,
                "path": _TEXT,
                "pattern": _TEXT,
                "match_group": {"type": "integer"},
                "deepcopy": {"type": "boolean"},
            },
            "required": ["schema", "name", "path"],
            "additionalProperties": False,
        },
        "dest": {"anyOf": [_DESTINATION, {"type": "array", "minItems": 1, "items": _DESTINATION}]},
    },
    "required": ["src", "dest"],
    "additionalProperties": False,
}
_ACTION: Final = {
    "type": "object",
    "properties": {"method": {"enum": ["replace", "delete", "merge"]}, "path": _TEXT},
    "required": ["method", "path"],
    "additionalProperties": False,
}
_LAYERING: Final = {
    "type": "object",
    "properties": {
        "layer": _TEXT,
        "abstract": {"type": "boolean"},
        "parentSelector": {"type": "object", "minProperties": 1},
        "actions": {"type": "array", "minItems": 1, "items": _ACTION},
    },
    "required": ["layer"],
    "dependencies": {
        "parentSelector": {"required": ["actions"]},
        "actions": {"required": ["parentSelector"]},
    },
    "additionalProperties": False,
}

DOCUMENT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "schema": {"type": "string", "pattern": r"^metadata/Document/v\d+$"},
        "name": _TEXT,
        "labels": {"type": "object"},
        "replacement": {"type": "boolean"},
        "storagePolicy": {"type": "string", "enum": ["encrypted", "cleartext"]},
        "layeringDefinition": _LAYERING,
        "substitutions": {"type": "array", "items": _SUBSTITUTION},
    },
    "required": ["schema", "name", "storagePolicy", "layeringDefinition"],
    "additionalProperties": False,
}
"""The metadata of an ordinary document."""

DOCUMENTED: Final[dict[str, Any]] = {**DOCUMENT, "required": ["schema", "name", "layeringDefinition"]}
"""The same as the layering guide has it: `storagePolicy` may be omitted."""

CONTROL: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "schema": {"type": "string", "pattern": r"^metadata/Control/v\d+$"},
        "name": _TEXT,
        "labels": {"type": "object", "additionalProperties": _TEXT},
    },
    "required": ["schema", "name"],
}
"""The metadata of a control document."""

_TEXTS: Final = (
    *("Certificate", "CertificateAuthority", "CertificateAuthorityKey", "CertificateKey"),
    *("Passphrase", "PrivateKey", "PublicKey"),
)

ANY_DATA: Final = {"type": ["null", "string", "object", "array", "number", "boolean"]}
"""What the data of any document may be: what JSON has a type for."""

KINDS: Final[dict[str, dict[str, Any]]] = {
    **{f"deckhand/{kind}/v1": {"type": "string"} for kind in _TEXTS},
    "deckhand/LayeringPolicy/v1": {
        "type": "object",
        "properties": {"layerOrder": {"type": "array", "items": _TEXT}},
        "required": ["layerOrder"],
        "additionalProperties": False,
    },
    "deckhand/ValidationPolicy/v1": {
        "type": "object",
        "properties": {
            "validations": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "pattern": r"^.*-(validation|verification)$"},
                        "expiresAfter": _TEXT,
                    },
                    "required": ["name"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["validations"],
        "additionalProperties": False,
    },
    "deckhand/Base/v1": {
        "properties": {**BASE["properties"], "data": ANY_DATA},
        "additionalProperties": False,
        "required": ["schema", "metadata", "data"],
    },
    "metadata/Document/v1": DOCUMENT,
    "metadata/Control/v1": CONTROL,
}
"""The data of the kinds Deckhand knows by itself."""

VERSIONS: Final = ("v1", "v2")
"""The versions of kinds that a DataSchema may be for."""
