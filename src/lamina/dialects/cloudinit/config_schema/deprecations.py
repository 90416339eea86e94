"""Deprecations: keys and forms that cloud-init still accepts, and their replacements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.dialects.cloudinit.config_schema.alternatives import fits, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina._support.json_schema.draft4 import Schema
    from lamina.paths import Path

_KINDS: Final = ("deprecated", "changed")
"""What cloud-init's own schema marks: keys, and what used to be accepted for a key."""
_NAMED: Final = re.compile(r"\b[Uu]se \*\*(?P<name>[^*]+)\*\*")
"""How cloud-init's own schema names the replacement."""


class Deprecation(NamedTuple):
    """Where something deprecated is, since which version if the schema says so, and what to do instead."""

    path: Path
    since: str
    instead: str


def deprecations(schema: Schema, value: Any) -> Iterator[Deprecation]:
    """What is deprecated in a value, by a schema that marks it so."""
    return _Walk(schema).found(schema.root, value, ())


class _Walk:
    """A walk over a value and the parts of the schema that apply to it."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def found(self, schema: Any, value: Any, path: Path) -> Iterator[Deprecation]:
        """What is deprecated in a value."""
        self._schema.budget.spend(1)
        schema = resolved(schema, self._schema.root)
        if not isinstance(schema, dict):
            return
        for kind in _KINDS:
            if schema.get(kind) is True:
                yield Deprecation(path, str(schema.get(f"{kind}_version", "")), _instead(schema, kind))
        for form in self._forms(schema, value):
            yield from self.found(form, value, path)
        if isinstance(value, dict):
            for key, inner in value.items():
                for part in self._parts(schema, key):
                    yield from self.found(part, inner, (*path, key))
        elif isinstance(value, list) and isinstance(schema.get("items"), dict):
            for position, inner in enumerate(value):
                yield from self.found(schema["items"], inner, (*path, position))

    def _forms(self, schema: dict[str, Any], value: Any) -> Iterator[Any]:
        """The schemas that apply to the same value: all of `allOf`, and the first matching alternative."""
        yield from schema.get("allOf") or ()
        for keyword in ("oneOf", "anyOf"):
            matching = (form for form in schema.get(keyword) or () if fits(form, value, self._schema))
            yield from [form for form in [next(matching, None)] if form is not None]

    def _parts(self, schema: dict[str, Any], key: Any) -> Iterator[Any]:
        """The schemas of what is under a key."""
        named, patterns = schema.get("properties") or {}, schema.get("patternProperties") or {}
        if not isinstance(key, str):
            return
        if key in named:
            yield named[key]
        matching = [part for pattern, part in patterns.items() if self._schema.found(pattern, key)]
        yield from matching
        if key not in named and not matching and isinstance(schema.get("additionalProperties"), dict):
            yield schema["additionalProperties"]


def _instead(schema: dict[str, Any], kind: str) -> str:
    text = str(schema.get(f"{kind}_description") or "see cloud-init's manual")
    named = _NAMED.search(text)
    return f"use {named['name']}" if named else text
