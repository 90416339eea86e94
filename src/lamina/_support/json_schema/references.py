"""The references (`$ref`) of a schema.

A reference is resolved in the schema itself, by the `id` of its parts, and in the meta-schema of draft 4.
Nothing is ever read from a file or from the network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urldefrag, urljoin

from lamina._support.json_schema import meta_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ONE: Final = frozenset({"not"})
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf"})
_MAPPINGS: Final = frozenset({"definitions", "patternProperties", "properties"})
_BOTH: Final = frozenset({"additionalItems", "additionalProperties"})
"""The words of a schema that hold one schema, a list of them, a mapping of them, or a schema or a boolean."""

_LONGEST: Final = 4096
"""How long an address may be; nested addresses grow."""


class UnusableSchema(Exception):
    """A schema that cannot be used; Deckhand's validator fails with an error."""


class SchemaReferences:
    """Resolves the references of one schema."""

    def __init__(self, root: Any, spend: Callable[[int], None]) -> None:
        self._root = root
        self._spend = spend
        self._known: dict[str, Any] = {meta_schema.META_ID: meta_schema.META}
        self._anchors: dict[tuple[str, str], Any] = {}
        self._found: dict[tuple[str, str], tuple[Any, str]] = {}
        self._indexed = False

    def start(self) -> str:
        """The base address of the schema."""
        base = own_base(self._root, "")
        self._known[base] = self._root
        return base

    def lookup(self, reference: Any, base: str) -> tuple[Any, str]:
        """The schema that a reference leads to, and its base address."""
        if not isinstance(reference, str):
            raise UnusableSchema("a $ref must be a string")
        known = self._found.get((reference, base))
        if known is None:
            known = self._found[reference, base] = self._find(reference, base)
        return known

    def _find(self, reference: str, base: str) -> tuple[Any, str]:
        self._spend(1 + len(reference) + len(base))  # both are kept
        if reference.startswith("#"):
            address, fragment = base, reference[1:]
        else:
            address, fragment = urldefrag(urljoin(base, reference))
        resource = self._resource(address, reference)
        if fragment.startswith("/"):
            return self._at_pointer(resource, fragment, address, reference)
        if fragment:
            return self._anchor(address, fragment, reference), address
        return resource, address

    def _resource(self, address: str, reference: str) -> Any:
        if address not in self._known:
            self._walk()
        if address not in self._known:
            nothing_read = "Lamina does not read schemas from files or URLs"
            raise UnusableSchema(f"its $ref {reference[:200]!r} is not part of the schema; {nothing_read}")
        return self._known[address]

    def _anchor(self, address: str, name: str, reference: str) -> Any:
        self._walk()
        if (address, name) not in self._anchors:
            raise UnusableSchema(f"its $ref {reference[:200]!r} cannot be resolved")
        return self._anchors[address, name]

    def _at_pointer(self, resource: Any, pointer: str, address: str, reference: str) -> tuple[Any, str]:
        found, base, path = resource, address, list[Any]()
        for raw in unquote(pointer[1:]).split("/"):
            self._spend(1 + len(path))
            try:
                step = int(raw) if isinstance(found, list) else raw.replace("~1", "/").replace("~0", "~")
                found = found[step]
            except (LookupError, TypeError, ValueError):
                raise UnusableSchema(f"its $ref {reference[:200]!r} cannot be resolved") from None
            path.append(step)
            if isinstance(found, dict) and _is_schema(path):
                inner = own_base(found, base)
                if inner != base:
                    base, path = inner, []
        return found, base

    def _walk(self) -> None:
        """Find all parts of the schema that have an `id`."""
        if self._indexed:
            return
        self._indexed = True
        seen: set[tuple[int, str]] = set()
        waiting = [("", self._root)]
        while waiting:
            base, schema = waiting.pop()
            if not isinstance(schema, dict) or (id(schema), base) in seen:
                continue
            seen.add((id(schema), base))
            self._spend(1 + len(schema))
            name = schema.get("id")
            inner = own_base(schema, base)
            if inner != base:
                self._spend(len(inner))
                self._known[inner] = schema
            elif isinstance(name, str) and name.startswith("#"):
                self._anchors[base, name[1:]] = schema
            waiting.extend((inner, part) for part in _parts(schema))


def own_base(schema: Any, base: str) -> str:
    """The base address of the references in a schema."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return base
    name = schema.get("id")
    if name is None or (isinstance(name, str) and name.startswith("#")):
        return base
    if not isinstance(name, str):
        raise UnusableSchema("an id must be a string")
    joined = urljoin(base, name.rstrip("#"))
    if len(joined) > _LONGEST:
        raise UnusableSchema(f"an id is longer than {_LONGEST:,} characters")
    return joined


def _is_schema(path: list[Any]) -> bool:
    """Whether a way from one schema leads to another."""
    steps = iter(path)
    for step in steps:
        if step in ("items", "dependencies"):
            return True
        single = step in _ONE or step in _BOTH
        if not single and (step not in (_LISTS | _MAPPINGS) or next(steps, None) is None):
            return False
    return True


def _parts(schema: dict[Any, Any]) -> Iterator[Any]:
    """The direct subschemas of a schema; callers skip values that are not schemas."""
    for keyword, value in schema.items():
        if keyword in _ONE or keyword in _BOTH:
            yield value
        elif keyword in _MAPPINGS or keyword == "dependencies":
            yield from value.values() if isinstance(value, dict) else ()
        elif keyword in _LISTS or keyword == "items":
            yield from value if isinstance(value, list) else (value,)
