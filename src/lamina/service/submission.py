"""A submission: the body of a PUT, read and checked, as the documents that are to be stored.

What is stored is JSON: keys are strings, and dates become ISO strings. What JSON cannot hold is rejected.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand import validation
from lamina.dialects.deckhand.document import SiteDocument
from lamina.errors import LaminaError
from lamina.run import Run
from lamina.service.errors import InvalidDocuments, InvalidInput
from lamina.service.faults import finding
from lamina.service.positions import NO_POSITIONS
from lamina.sources import document_cache
from lamina.sources.source import Source

if TYPE_CHECKING:
    from lamina.session import Session

LAYERING_POLICY = "deckhand/LayeringPolicy"
VALIDATION_POLICY = "deckhand/ValidationPolicy"
_FORM = "Each document must be a mapping with schema, metadata and data, and its metadata must fit its metadata schema."


@dataclass(frozen=True, slots=True)
class Submitted:
    """A document as it is to be stored."""

    schema: str
    layer: str | None
    name: str
    metadata: dict[str, Any]
    data: Any
    metadata_json: str
    data_json: str
    metadata_hash: bytes
    data_hash: bytes
    encrypted: bool

    @property
    def identity(self) -> bytes:
        """What it is known by in the store: schema, layer and name."""
        return sha256(json.dumps([self.schema, self.layer, self.name]).encode()).digest()

    @property
    def title(self) -> str:
        return f"[{self.schema}, {self.layer}] {self.name}"


def documents_of(body: bytes, session: Session) -> tuple[Submitted, ...]:
    """The documents of the body of a PUT, in order."""
    entries = yaml_values(body, session)
    wrong = [str(at) for at, value in enumerate(entries, 1) if not isinstance(value, dict) or not value]
    if wrong:
        indexes = ",".join(wrong)
        raise InvalidInput(f"Expected a list of valid objects. Invalid entries found at following indexes: {indexes}.")
    return tuple(submitted(entry) for entry in entries)


def yaml_values(body: bytes, session: Session) -> list[Any]:
    """The values of all YAML documents of a body."""
    if not body:
        return []
    try:
        return [read.value for read in document_cache.yaml_documents(Source("body", body), Run(session))]
    except LaminaError as error:
        found = error.diagnostic
        where = f" at line {found.at.line}, column {found.at.column}" if found.at else ""
        raise InvalidInput(
            f"The request body must be properly formatted YAML. Details: {found.message}{where}."
        ) from None


def submitted(entry: dict[Any, Any]) -> Submitted:
    """A document as it is to be stored, once it was checked."""
    check_form(entry)
    metadata, data = _with_defaults(entry["metadata"]), entry.get("data", {})
    encrypted = metadata["storagePolicy"] == "encrypted"
    if encrypted and data in ("", {}, [], None) and data is not False:
        metadata["storagePolicy"], encrypted = "cleartext", False
    plain: dict[str, Any] = as_json({"metadata": metadata, "data": data})
    metadata, data = plain["metadata"], plain["data"]
    return Submitted(
        schema=entry["schema"],
        layer=metadata["layeringDefinition"].get("layer"),
        name=metadata["name"],
        metadata=metadata,
        data=data,
        metadata_json=json.dumps(metadata),
        data_json=json.dumps(data),
        metadata_hash=json_hash(metadata),
        data_hash=json_hash(data),
        encrypted=encrypted,
    )


def content_key(schema: str, data_hash: bytes, metadata_hash: bytes) -> bytes:
    """What the content of a document is known by in the store."""
    return sha256(b"\0".join((schema.encode(), data_hash, metadata_hash))).digest()


def json_hash(value: Any) -> bytes:
    """The hash of a value that does not depend on the order of keys."""
    return sha256(json.dumps(value, sort_keys=True).encode()).digest()


def check_form(entry: dict[Any, Any]) -> None:
    """Reject a document that breaks the schemas of documents and their metadata."""
    schema, metadata = entry.get("schema"), entry.get("metadata")
    wrong: list[str] = []
    if schema is not None and (not isinstance(schema, str) or schema.count("/") < 2):
        wrong = [f"{schema!r} is not a schema: write NAMESPACE/KIND/vNUMBER, such as example/Kind/v1"]
    else:
        document = SiteDocument(entry, NO_POSITIONS, Source("body", b""))
        wrong = [found.message for found in validation.form_of(document)]
    layering = metadata.get("layeringDefinition") if isinstance(metadata, dict) else None
    layer = layering.get("layer") if isinstance(layering, dict) else None
    if not wrong and not isinstance(layer, str | None):
        wrong = [f"{layer!r} is not of type 'string'"]
    if wrong:
        name = metadata.get("name") if isinstance(metadata, dict) else None
        about = (_text(schema), as_json(layer or ""), as_json(name or ""))
        raise InvalidDocuments([finding("D001", message, _FORM, *about) for message in wrong])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _with_defaults(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """The metadata with the defaults that Deckhand fills in."""
    layering = metadata.get("layeringDefinition")
    layering = dict(layering) if isinstance(layering, dict) else {}
    layering.setdefault("abstract", False)
    filled = dict(metadata)
    filled["layeringDefinition"] = layering
    filled.setdefault("storagePolicy", "cleartext")
    filled.setdefault("replacement", False)
    return filled


def as_json(value: Any) -> Any:
    """A value in the terms of JSON."""
    kind = type(value)
    if kind is dict:
        return _object(value)
    if kind is list or kind is tuple:
        return [as_json(inner) for inner in value]
    if kind is str:
        if "\0" in value:
            raise InvalidInput("A string holds a null character, which cannot be stored.")
        return value
    if value is None or kind is bool or kind is int:
        return value
    if kind is float:
        if not math.isfinite(value):
            raise InvalidInput(f"{value} is not a number that JSON has.")
        return value
    if isinstance(value, date):
        return value.isoformat()
    raise InvalidInput(f"A value of type {kind.__name__} cannot be stored: JSON has no such type.")


def _object(value: dict[Any, Any]) -> dict[str, Any]:
    made = {_key(key): as_json(inner) for key, inner in value.items()}
    if len(made) != len(value):
        raise InvalidInput("Two keys of a mapping are the same once they are written as strings.")
    return made


def _key(key: Any) -> str:
    if type(key) is str:
        return str(as_json(key))
    if key is None or isinstance(key, (bool, int, float)):
        return json.dumps(as_json(key))
    if isinstance(key, date):
        return key.isoformat()
    raise InvalidInput(f"A value of type {type(key).__name__} cannot be a key: keys are strings.")


def one_value(body: bytes, session: Session) -> Any:
    """The one value of a body that holds at most one YAML document; null where it is empty."""
    values = yaml_values(body, session)
    if len(values) > 1:
        raise InvalidInput("The request body must hold one YAML document.")
    return as_json(values[0]) if values else None
