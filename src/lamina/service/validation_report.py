"""The report on rendered documents that violate their schemas, as Deckhand's clients read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.jsonpath.path import BadPath, of_destination
from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.dialects.deckhand.schemas import KINDS
from lamina.paths import child
from lamina.service.faults import finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.dialects.deckhand.validation import SchemaViolation
    from lamina.errors import Diagnostic
    from lamina.paths import Path

_DRAFT = "http://json-schema.org/draft-04/schema#"
_WITHHELD = "Sanitized to avoid exposing secret."
"""The placeholder for a value that may be secret, as clients know it."""


def report(schema_violations: Iterable[SchemaViolation], unusable: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """One entry for each thing that is wrong."""
    found = [_entry(breach) for breach in schema_violations]
    return found + [finding("D002", each.message, {}) for each in unusable]


def _entry(breach: SchemaViolation) -> dict[str, Any]:
    document, violation = breach.result.document, breach.violation
    careful = bool(document.substitutions) or breach.result.secret(violation.path)
    message = violation.message(secret=breach.result.secret(violation.path))
    if careful and violation.keyword == "type":
        message = _WITHHELD
    diagnostic = {
        "error_section": _section(breach),
        "schema_path": "." + ".".join(str(step) for step in breach.schema_path),
        "validation_schema": _named(breach.schema, document.schema),
    }
    return finding("D002", message, diagnostic, document.schema, document.layer, document.name)


def _named(schema: Any, kind: str) -> Any:
    """A schema as Deckhand shows it; those of its own kinds name their draft."""
    return {"$schema": _DRAFT, **schema} if kind in KINDS else schema


def _section(breach: SchemaViolation) -> Any:
    """The object around the error, without what may be secret."""
    document, path = breach.result.document, breach.violation.path
    data = _WITHHELD if document.encrypted else _without_substituted(document, breach.result.data)
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
            data = _withheld(data, found.path)
    except (BadPath, Unreachable, TypeError):
        return _WITHHELD
    return data


def _withheld(value: Any, path: Path) -> Any:
    """A value with the content of a path hidden."""
    if not path:
        return _WITHHELD
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = _withheld(value[path[0]], path[1:])
    return changed
