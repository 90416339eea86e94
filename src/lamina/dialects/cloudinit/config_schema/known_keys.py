"""The keys that cloud-config may have at a path, with what each takes, for who writes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.cloudinit.config_schema.schema_choice import own_schema
from lamina.protocol.extensions import KnownKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.paths import Path


def known_keys(path: Path) -> Iterable[KnownKey]:
    """The keys of the mapping at a path of a cloud-config."""
    found: dict[str, KnownKey] = {}
    for schema in _schemas_at(path):
        for name, of_key in schema.get("properties", {}).items():
            found.setdefault(name, KnownKey(name, "; ".join(_about(of_key))))
    return found.values()


def _schemas_at(path: Path) -> list[dict[str, Any]]:
    """All that the schema says of a place, of its alternatives, too."""
    schemas = list(_alternatives(own_schema()))
    for step in path:
        inner = [each for schema in schemas for each in _inside(schema, step)]
        schemas = [each for schema in inner for each in _alternatives(schema)]
    return schemas


def _inside(schema: dict[str, Any], step: object) -> Iterator[dict[str, Any]]:
    if isinstance(step, int):
        items = schema.get("items")
        yield from (each for each in (items if isinstance(items, list) else [items]) if isinstance(each, dict))
    elif step in schema.get("properties", {}):
        yield schema["properties"][step]
    else:
        yield from schema.get("patternProperties", {}).values()


def _alternatives(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    reference = schema.get("$ref")
    if reference is not None:
        yield from _alternatives(own_schema()["definitions"][reference.rpartition("/")[2]])
        return
    yield schema
    for word in ("oneOf", "anyOf", "allOf"):
        for each in schema.get(word, ()):
            yield from _alternatives(each)


def _about(schema: dict[str, Any]) -> Iterator[str]:
    """What a key takes, and since when it is deprecated."""
    schemas = list(_alternatives(schema))
    types: dict[str, None] = {}
    for each in schemas:
        kinds = each.get("type", ())
        types.update(dict.fromkeys([kinds] if isinstance(kinds, str) else kinds))
    if types:
        yield " or ".join(types)
    values = [str(value) for each in schemas for value in each.get("enum", ())]
    if values:
        yield f"one of {', '.join(values)}"
    since = next((each["deprecated_version"] for each in schemas if "deprecated_version" in each), None)
    if since is not None:
        yield f"deprecated since {since}"
