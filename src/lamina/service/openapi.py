"""The OpenAPI document, from the routes."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from lamina.service.routes import ROUTES, Operation, Route
from lamina.service.wire import MEDIA_TYPE
from lamina.version import VERSION

_NUMBERS = {"revision", "other", "number", "entry"}
_LISTINGS = ("documents", "rendered-documents")
_FILTERS = (
    "schema",
    "metadata.name",
    "metadata.layeringDefinition.layer",
    "metadata.layeringDefinition.abstract",
    "metadata.label",
    "status.bucket",
    "sort",
)
_EXPLAINED = ("document", "path")
_JSON_ROUTES = ("explain", "impact")
_SUCCESS = {"PUT": "200", "GET": "200", "POST": "201", "DELETE": "204"}
_ERROR = {"$ref": "#/components/schemas/Status"}


@cache
def text() -> str:
    """The document as JSON."""
    return json.dumps(document(), indent=2) + "\n"


def document() -> dict[str, Any]:
    """The document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lamina service",
            "version": VERSION,
            "description": "Deckhand's API: buckets, revisions, tags, validations and rendered documents.",
        },
        "paths": {_path(route): _methods(route) for route in ROUTES},
        "components": {
            "schemas": {"Status": _status_schema(), "Document": _document_schema()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _path(route: Route) -> str:
    return route.path


def _methods(route: Route) -> dict[str, Any]:
    return {method.lower(): _operation(route, method, operation) for method, operation in route.operations.items()}


def _operation(route: Route, method: str, operation: Operation) -> dict[str, Any]:
    in_json = any(f"/{word}" in route.path for word in _JSON_ROUTES)
    success = "204" if route.path.endswith("/health") else "200" if in_json else _SUCCESS[method]
    found: dict[str, Any] = {
        "operationId": operation.run.__name__,
        "summary": operation.about,
        "parameters": [*_path_parameters(route), *_query_parameters(route, method)],
        "responses": {
            success: {"description": "Done."} if success == "204" else _done(route, in_json=in_json),
            "default": _yaml("An error.", _ERROR),
        },
    }
    if method == "PUT" or (method == "POST" and "rollback" not in route.path):
        schema = {"type": "string"} if method == "PUT" or in_json else {"type": "object"}
        found["requestBody"] = {"content": {MEDIA_TYPE: {"schema": schema}}}
    return found


def _done(route: Route, *, in_json: bool) -> dict[str, Any]:
    if in_json:
        about = "The JSON of 'lamina explain' or 'lamina diff'; 'lamina schema' prints the schemas."
        return {"description": about, "content": {"application/json": {"schema": {"type": "object"}}}}
    return _yaml("Done.", _shape(route))


def _shape(route: Route) -> dict[str, Any]:
    """Documents come as a stream of YAML documents, which a schema cannot describe; all else is one mapping."""
    if route.path.endswith("documents"):
        return {"description": "A stream of documents, each by the schema Document."}
    return {"type": "object"}


def _yaml(about: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {MEDIA_TYPE: {"schema": schema}}}


def _path_parameters(route: Route) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "minimum": 0} if name in _NUMBERS else {"type": "string", "minLength": 1},
        }
        for name in re.findall(r"\{(\w+)\}", route.path)
    ]


def _query_parameters(route: Route, method: str) -> list[dict[str, Any]]:
    if method != "GET":
        return []
    last = route.path.rsplit("/", 1)[-1]
    order = _parameter("order", {"enum": ["asc", "desc"]})
    if last == "explain":
        return [{**_parameter(name, {"type": "string", "minLength": 1}), "required": True} for name in _EXPLAINED]
    if last == "revisions":
        return [*map(_repeated, ("tag", "sort")), order]
    if last not in _LISTINGS:
        return []
    return [
        *map(_repeated, _FILTERS),
        order,
        _parameter("limit", {"type": "integer", "minimum": 0}),
        _parameter("cleartext-secrets", {"type": "boolean"}),
    ]


def _parameter(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}


def _repeated(name: str) -> dict[str, Any]:
    return _parameter(name, {"type": "array", "items": {"type": "string"}})


def _status_schema() -> dict[str, Any]:
    text_or_null = {"type": ["string", "null"]}
    details = {
        "type": "object",
        "required": ["errorCount", "errorType", "messageList"],
        "properties": {
            "errorCount": {"type": "integer"},
            "errorType": {"type": "string"},
            "messageList": {"type": "array", "items": {"type": "object"}},
        },
    }
    properties = {
        "apiVersion": {"type": "string"},
        "code": {"type": "string"},
        "details": details,
        "kind": {"const": "Status"},
        "message": text_or_null,
        "metadata": {"type": "object"},
        "reason": {"type": "string"},
        "retry": {"type": "boolean"},
        "status": {"const": "Failure"},
    }
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


def _document_schema() -> dict[str, Any]:
    status = {
        "type": "object",
        "required": ["bucket", "revision"],
        "properties": {"bucket": {"type": "string"}, "revision": {"type": "integer"}},
    }
    properties: dict[str, Any] = {
        "data": {},
        "id": {"type": "integer"},
        "metadata": {"type": "object"},
        "schema": {"type": "string"},
        "status": status,
    }
    return {"type": "object", "required": list(properties), "properties": properties, "additionalProperties": False}
