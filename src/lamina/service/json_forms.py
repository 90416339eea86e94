"""How the OpenAPI document says that a route answers by one of the schemas that `lamina schema` prints."""

from __future__ import annotations

from typing import Any

from lamina.views.schemas import schema_of


def answers(name: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route, by the name of a schema."""
    about = f"By the schema that 'lamina schema {name}' prints."
    return {200: {"description": about, "content": {"application/json": {"schema": schema_of(name)}}}}
