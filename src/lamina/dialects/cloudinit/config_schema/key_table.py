"""The table of keys (`config_keys.yaml`) as a JSON Schema of draft 4."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from lamina.dialects.cloudinit.config_schema.type_expression import read_expression

Schema = dict[str, Any]


@cache
def own_schema() -> Schema:
    """The schema made from the table. All callers share it, and none may change it."""
    text = files(__package__ or "").joinpath("config_keys.yaml").read_text("utf-8")
    table = yaml.safe_load(text)
    schema = _mapping(table["keys"])
    schema["definitions"] = {name: _schema(value) for name, value in table["types"].items()}
    return schema


def _schema(value: Any) -> Schema:
    return _mapping(value) if isinstance(value, dict) else read_expression("null" if value is None else str(value))


def _mapping(table: dict[str, Any]) -> Schema:
    if "$either" in table:
        return {"oneOf": [_mapping(each) for each in table["$either"]]}
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": {}}
    required: list[str] = []
    for key, value in table.items():
        if key.startswith("$"):
            _set_root_keyword(schema, key, value)
        elif key == "<any>":
            schema["additionalProperties"] = _schema(value)
        elif key.startswith("</"):
            schema.setdefault("patternProperties", {})[key[2:-2]] = _schema(value)
        else:
            name = key.removesuffix("!")
            schema["properties"][name] = _schema(value)
            required += [name] if name != key else []
    return {**schema, "required": required} if required else schema


def _set_root_keyword(schema: Schema, keyword: str, value: Any) -> None:
    match keyword:
        case "$least":
            schema["minProperties"] = value
        case "$exactly_one":
            schema["oneOf"] = [{"required": [name]} for name in value]
        case "$at_least_one":
            schema["anyOf"] = [{"required": [name]} for name in value]
        case "$not_both":
            schema["allOf"] = [{"not": {"required": pair}} for pair in value]
        case _:
            raise ValueError(f"{keyword} is not known in the table of keys")
