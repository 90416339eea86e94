"""How the OpenAPI document says that a route answers by one of the schemas that `lamina schema` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lamina.views.schemas import FORMS, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable

_SCHEMAS = "#/components/schemas/"


def answers(name: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route, by the name of a schema."""
    about = f"By the schema that 'lamina schema {name}' prints."
    return {200: {"description": about, "content": {"application/json": {"schema": {"$ref": _SCHEMAS + name}}}}}


def with_schemas(describe: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """The OpenAPI document with the schemas that it names; they are made when it is asked for."""

    def described() -> dict[str, Any]:
        document = describe()
        text, schemas = json.dumps(document), document["components"]["schemas"]
        schemas.update((name, schema_of(name)) for name in FORMS if f'"{_SCHEMAS}{name}"' in text)
        return document

    return described
