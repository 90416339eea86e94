"""References: what a `$ref` of a schema means.

A reference is looked up in the schema itself, in what its parts call themselves by `id`, and in the schema of draft 4.
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
"""Characters of an address; addresses inside one another grow."""


class UnusableSchema(Exception):
    """A schema that cannot be used, where Deckhand's validator fails with an error of its own."""


class References:
    """What the references of one schema lead to."""

    def __init__(self, root: Any, spend: Callable[[int], None]) -> None:
        self._root = root
        self._spend = spend
        self._known: dict[str, Any] = {meta_schema.META_ID: meta_schema.META}
        self._anchors: dict[tuple[str, str], Any] = {}
        self._found: dict[tuple[str, str], tuple[Any, str]] = {}
        self._walked = False

    def start(self) -> str:
        """The address that references of the schema start from."""
        base = own_base(self._root, "")
        self._known[base] = self._root
        return base

    def lookup(self, reference: Any, base: str) -> tuple[Any, str]:
        """The schema that is meant, and the address that references inside it start from."""
        if not isinstance(reference, str):
            raise UnusableSchema("a $ref must be a string")
        known = self._found.get((reference, base))
        if known is None:
            known = self._found[reference, base] = self._looked_up(reference, base)
        return known

    def _looked_up(self, reference: str, base: str) -> tuple[Any, str]:
        self._spend(1 + len(reference))
        if reference.startswith("#"):
            address, fragment = base, reference[1:]
        else:
            address, fragment = urldefrag(urljoin(base, reference))
        resource = self._resource(address, reference)
        if fragment.startswith("/"):
            return self._pointed(resource, fragment, address, reference)
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

    def _pointed(self, resource: Any, pointer: str, address: str, reference: str) -> tuple[Any, str]:
        found, base, way = resource, address, list[Any]()
        for raw in unquote(pointer[1:]).split("/"):
            self._spend(1 + len(way))
            try:
                step = int(raw) if isinstance(found, list) else raw.replace("~1", "/").replace("~0", "~")
                found = found[step]
            except (LookupError, TypeError, ValueError):
                raise UnusableSchema(f"its $ref {reference[:200]!r} cannot be resolved") from None
            way.append(step)
            if isinstance(found, dict) and _is_schema(way):
                inner = own_base(found, base)
                if inner != base:
                    base, way = inner, []
        return found, base

    def _walk(self) -> None:
        """Find all parts of the schema that have a name of their own."""
        if self._walked:
            return
        self._walked = True
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
                self._known[inner] = schema
            elif isinstance(name, str) and name.startswith("#"):
                self._anchors[base, name[1:]] = schema
            waiting.extend((inner, part) for part in _parts(schema))


def own_base(schema: Any, base: str) -> str:
    """The address that references inside a schema start from."""
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


def _is_schema(way: list[Any]) -> bool:
    """Whether a way from one schema leads to another."""
    steps = iter(way)
    for step in steps:
        if step in ("items", "dependencies"):
            return True
        single = step in _ONE or step in _BOTH
        if not single and (step not in (_LISTS | _MAPPINGS) or next(steps, None) is None):
            return False
    return True


def _parts(schema: dict[Any, Any]) -> Iterator[Any]:
    """The schemas right inside a schema; what has another form is skipped by who walks."""
    for word, value in schema.items():
        if word in _ONE or word in _BOTH:
            yield value
        elif word in _MAPPINGS or word == "dependencies":
            yield from value.values() if isinstance(value, dict) else ()
        elif word in _LISTS or word == "items":
            yield from value if isinstance(value, list) else (value,)
