"""The page on what Lamina prints as JSON, made from the forms that declare it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lamina.views import schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_START = """# JSON output

Made from the program. `lamina schema NAME` prints the JSON Schema of a form; `version` in an output is the version of
its form. A member in *italics* may be missing.
"""


def as_page() -> str:
    """All forms, each with the tables of its members; what several forms have comes last."""
    forms = {name: schemas.schema_of(name) for name in schemas.names()}
    users = Counter((name, repr(each)) for form in forms.values() for name, each in form.get("$defs", {}).items())
    shared = {name: each for form in forms.values() for name, each in _parts(form) if users[name, repr(each)] > 1}
    lines = [_START]
    for name, form in forms.items():
        lines += [f"## {name}\n\n{form['description']}\n", _members(form)]
        own = {inner: each for inner, each in _parts(form) if shared.get(inner) != each}
        for inner, each in own.items():
            lines += _part(f"{inner} ({name})", each)
    lines.append("## Parts of several outputs\n")
    for name, each in sorted(shared.items()):
        lines += _part(name, each)
    return "\n".join(lines)


def _parts(form: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    parts: Mapping[str, Any] = form.get("$defs", {})
    return parts.items()


def _part(title: str, schema: Mapping[str, Any]) -> list[str]:
    about = [f"{schema['description']}\n"] if "description" in schema else []
    return [f"### {title.replace('_', ' ')}\n", *about, _members(schema)]


def _members(schema: Mapping[str, Any]) -> str:
    members = schema.get("properties", {})
    if not members:
        return "Any value.\n"
    rows = [f"| {_name(name, schema)} | {_type(each)} | {_about(each)} |" for name, each in members.items()]
    return "\n".join(["| member | type | what it is |", "| --- | --- | --- |", *rows, ""])


def _name(name: str, schema: Mapping[str, Any]) -> str:
    return f"`{name}`" if name in schema.get("required", ()) else f"*`{name}`*"


def _type(schema: Mapping[str, Any]) -> str:
    """A type in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2].replace("_", " ")
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join("null" if word is None else f"`{word}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    kind = schema.get("type", "any value")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return _array(schema)
    values = schema.get("additionalProperties")
    return f"object of {_type(values)}" if isinstance(values, dict) else str(kind)


def _array(schema: Mapping[str, Any]) -> str:
    if "prefixItems" in schema:
        return "array of " + ", then ".join(_type(each) for each in schema["prefixItems"])
    return f"array of {_type(schema.get('items', {}))}"


def _about(schema: Mapping[str, Any]) -> str:
    return str(schema.get("description", "")).replace("|", "\\|")
