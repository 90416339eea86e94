"""The page on JSON output, made from the types that declare its forms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lamina.views.schemas import FORMS, names, schema_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_START = """\
# JSON output

Made from the program. Each form has a name, by which `lamina schema NAME` prints its JSON Schema, and a version, which
its member `version` says where it has one. Members may be added to an output only with a new version.
"""


def as_page() -> str:
    """All forms, each with its members and those of what is in it."""
    return "\n".join([_START, *(line for name in names() for line in _form(name))]) + "\n"


def _form(name: str) -> Iterator[str]:
    form, schema = FORMS[name], schema_of(name)
    yield from (f"## {name}", "", f"{form.title}. {form.about}", "")
    if "properties" in schema:
        yield from _members(schema)
    for inner, each in schema.get("$defs", {}).items():
        if "properties" in each:
            about = each.get("description")
            yield from (f"### {inner} in {name}", "", *([about, ""] if about else []))
            yield from _members(each)


def _members(schema: dict[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    yield from ("| member | what it is | about |", "| --- | --- | --- |")
    for name, member in schema["properties"].items():
        optional = "" if name in required else " (may be missing)"
        yield f"| `{name}` | {_in_a_cell(_kind(member))}{optional} | {_in_a_cell(member.get('description', ''))} |"
    yield ""


def _kind(schema: dict[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in schema:
        return "*" + str(schema["$ref"]).rpartition("/")[2] + "*"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{each}`" if each is not None else "null" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    kind = schema.get("type", "any value")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        if "prefixItems" in schema:
            return "a list of " + ", ".join(map(_kind, schema["prefixItems"]))
        return f"a list of {_kind(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"an object; each member {_kind(schema['additionalProperties'])}"
    return str(kind)


def _in_a_cell(text: str) -> str:
    return text.replace("|", "\\|")
