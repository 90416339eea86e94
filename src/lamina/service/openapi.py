"""The OpenAPI document, from the routes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from lamina.service.explorer.announcements import EVENTS
from lamina.service.explorer.routes import PREFIX as EXPLORER
from lamina.service.request import LONGEST_MESSAGE
from lamina.service.wire import MEDIA_TYPE
from lamina.version import VERSION
from lamina.views.schemas import schema_of

if TYPE_CHECKING:
    from lamina.service.route import Operation, Route
    from lamina.service.site import ServedSite

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
_STRING = {"type": "string", "minLength": 1}
_INTEGER = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
_PARAMETERS: dict[str, dict[str, bool]] = {
    "revisions/{revision}/explain": {"document": True, "path": True},
    "revisions/{revision}/where": {"source": True, "line": True, "column": False},
    "explore/outputs": {"target": True},
    "explore/tree": {"target": True, "output": True},
    "explore/stack": {"target": True, "output": True, "path": True},
    "explore/search": {"words": True, "target": False},
    "explore/where": {"source": True, "line": True, "column": False, "target": False},
    "explore/compare": {"before": True, "after": True},
}
"""The parameters of the routes that answer in JSON, by the ends of their paths, and whether they are needed."""
_TRIED = {
    "type": "object",
    "required": ["source", "line", "column", "value"],
    "properties": {
        "source": _STRING,
        "line": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
        "column": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
        "value": {"type": "string", "description": "The other value, as YAML."},
        "target": {"type": "string", "description": "The revision, where a store is explored."},
    },
}
_SUCCESS = {"PUT": "200", "GET": "200", "POST": "201", "DELETE": "204"}
_ERROR = {"$ref": "#/components/schemas/Status"}


def text(site: ServedSite) -> str:
    """The document of a site as JSON."""
    return json.dumps(document(site), indent=2) + "\n"


def document(site: ServedSite) -> dict[str, Any]:
    """The document."""
    named = {operation.schema for route in site.routes for operation in route.operations.values() if operation.schema}
    paths = {_path(route): _methods(route) for route in site.routes}
    paths[EVENTS] = {"get": _events()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lamina service",
            "version": VERSION,
            "description": site.about,
        },
        "paths": paths,
        "components": {
            "schemas": {
                "Status": _status_schema(),
                "Document": _document_schema(),
                **{name: schema_of(name) for name in sorted(named)},
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _path(route: Route) -> str:
    return route.path


def _methods(route: Route) -> dict[str, Any]:
    return {method.lower(): _operation(route, method, operation) for method, operation in route.operations.items()}


def _operation(route: Route, method: str, operation: Operation) -> dict[str, Any]:
    schema = operation.schema
    success = "204" if route.path.endswith("/health") else "200" if schema else _SUCCESS[method]
    found: dict[str, Any] = {
        "operationId": operation.run.__name__,
        "summary": operation.about,
        "parameters": [*_path_parameters(route), *_query_parameters(route, method)],
        "responses": {
            success: {"description": "Done."} if success == "204" else _done(route, schema),
            "default": _json("An error.", _ERROR) if route.path.startswith(EXPLORER) else _yaml("An error.", _ERROR),
        },
    }
    if method == "PUT" or (method == "POST" and "rollback" not in route.path):
        found["requestBody"] = {"content": {MEDIA_TYPE: {"schema": _body(route, method, schema)}}}
    return found


def _body(route: Route, method: str, schema: str | None) -> dict[str, Any]:
    if route.path.startswith(EXPLORER):
        return _TRIED
    return {"type": "string"} if method == "PUT" or schema else {"type": "object"}


def _done(route: Route, schema: str | None) -> dict[str, Any]:
    if schema:
        return _json(f"By the schema that 'lamina schema {schema}' prints.", {"$ref": f"#/components/schemas/{schema}"})
    return _yaml("Done.", _shape(route))


def _json(about: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {"application/json": {"schema": schema}}}


def _events() -> dict[str, Any]:
    return {
        "operationId": "explore_events",
        "summary": "What changes, as it happens: events called change, with a generation and targets, or an error.",
        "responses": {
            "200": {"description": "Server-sent events.", "content": {"text/event-stream": {}}},
            "default": _json("An error.", _ERROR),
        },
    }


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
        said = route.operations[method].role in ("write", "admin")
        return [_parameter("message", {"type": "string", "maxLength": LONGEST_MESSAGE})] if said else []
    last = route.path.rsplit("/", 1)[-1]
    order = _parameter("order", {"enum": ["asc", "desc"]})
    for end, names in _PARAMETERS.items():
        if route.path.endswith(end):
            return [{**_parameter(name, _type_of(name)), "required": needed} for name, needed in names.items()]
    if last == "revisions":
        return [*map(_repeated, ("tag", "sort")), order, _from_one("newest"), _from_one("before")]
    if last == "audit":
        return [_from_one("limit"), _from_one("before")]
    if last not in _LISTINGS:
        return []
    return [
        *map(_repeated, _FILTERS),
        order,
        _parameter("limit", {"type": "integer", "minimum": 0}),
        _parameter("cleartext-secrets", {"type": "boolean"}),
    ]


def _type_of(name: str) -> dict[str, Any]:
    return _INTEGER if name in ("line", "column") else _STRING


def _parameter(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}


def _from_one(name: str) -> dict[str, Any]:
    return _parameter(name, {"type": "integer", "minimum": 1, "maximum": 999_999_999})


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
