"""The report on rendered documents that violate their schemas, as Deckhand's clients read it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.jsonpath.path import BadPath, of_destination
from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.dialects.deckhand.schemas import KINDS
from lamina.paths import child
from lamina.service.faults import finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.dialects.deckhand.validation import SchemaViolation
    from lamina.errors import Diagnostic
    from lamina.paths import Path

_LONGEST = 8 * 1024 * 1024
"""How many characters of objects and schemas are shown."""
_LEFT_OUT = "Left out, since the report is long."
_DRAFT = "http://json-schema.org/draft-04/schema#"
_REDACTED_TEXT = "Sanitized to avoid exposing secret."
"""The placeholder for a value that may be secret, as clients know it."""


def report(
    schema_violations: Iterable[SchemaViolation], unusable: Iterable[Diagnostic], withheld: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """One entry for each thing that is wrong; beyond a size, without the object around it and the schema.

    `withheld` is the data, without its secrets, of the documents that have any, by their titles.
    """
    found: list[dict[str, Any]] = []
    left = _LONGEST
    for violation_of in schema_violations:
        entry = _entry(violation_of, withheld, full=left > 0)
        left -= len(json.dumps(entry, default=str)) if left > 0 else 0
        found.append(entry)
    return found + [finding("D002", each.message, {}) for each in unusable]


def _entry(violation_of: SchemaViolation, withheld: Mapping[str, Any], *, full: bool) -> dict[str, Any]:
    document, violation = violation_of.result.document, violation_of.violation
    is_sensitive = bool(document.substitutions) or violation_of.result.secret(violation.path)
    message = violation.message(secret=violation_of.result.secret(violation.path))
    if is_sensitive and violation.keyword == "type":
        message = _REDACTED_TEXT
    diagnostic = {
        "error_section": _section(violation_of, withheld) if full else _LEFT_OUT,
        "schema_path": "." + ".".join(str(step) for step in violation_of.schema_path),
        "validation_schema": _named(violation_of.schema, document.schema) if full else _LEFT_OUT,
    }
    return finding("D002", message, diagnostic, document.schema, document.layer, document.name)


def _named(schema: Any, kind: str) -> Any:
    """A schema as Deckhand shows it; those of its own kinds name their draft."""
    return {"$schema": _DRAFT, **schema} if kind in KINDS else schema


def _section(violation_of: SchemaViolation, withheld: Mapping[str, Any]) -> Any:
    """The object around the error, without what may be secret."""
    document, path = violation_of.result.document, violation_of.violation.path
    shown = withheld.get(document.title, violation_of.result.data)
    data = _REDACTED_TEXT if document.encrypted else _without_substituted(document, shown)
    if not path:
        return {"data": data, "metadata": document.metadata, "schema": document.schema}
    for step in path[:-1]:
        data = child(data, step)
    return data


def _without_substituted(document: SiteDocument, data: Any) -> Any:
    """The data without what was substituted into it."""
    for substitution in document.substitutions:
        sides = substitution.get("dest") if isinstance(substitution, dict) else None
        for side in sides if isinstance(sides, list) else [sides]:
            data = _without(data, side.get("path") if isinstance(side, dict) else None)
    return data


def _without(data: Any, path: Any) -> Any:
    try:
        selector = of_destination(path)
        for found in selector.find(data):
            data = _redacted(data, found.path)
    except (BadPath, Unreachable, TypeError):
        return _REDACTED_TEXT
    return data


def _redacted(value: Any, path: Path) -> Any:
    """A value with the content of a path hidden."""
    if not path:
        return _REDACTED_TEXT
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = _redacted(value[path[0]], path[1:])
    return changed
