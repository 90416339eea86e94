"""The resource registry of an environment, as the client reads it: which files it names, and what stops the client.

Every entry is the name of a file, unless it is a mapping, holds `::` (another type), or is `base_url`, `hooks` or
`restricted_actions`. The mappings below `resources` are read in the same way. Names are relative to the file they are
in, or to `base_url`. The client expects a mapping and strings, and stops with its own error on anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.heat import messages
from lamina.dialects.heat.sections import REGISTRY
from lamina.plugin import MISSING, SourceNode, show, word_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.heat.json_values import NotJsonError
    from lamina.plugin import Diagnostic, Message, Origin, Path

BASE: Final = "base_url"
RESOURCES: Final = "resources"
_NO_FILES: Final = ("hooks", "restricted_actions")


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """A file that a registry names: where in the environment, by what name, and what it is relative to, if not to the
    environment itself."""

    path: Path
    name: str
    base: Any = MISSING


def entries(registry: Any) -> Iterator[RegistryEntry]:
    """The files a registry names, in the order in which the client attaches them."""
    if not isinstance(registry, dict):
        return
    base = registry.get(BASE, MISSING)
    yield from _entries(registry, (REGISTRY,), base)
    resources = registry.get(RESOURCES)
    for name, resource in resources.items() if isinstance(resources, dict) else ():
        if isinstance(resource, dict):
            yield from _entries(resource, (REGISTRY, RESOURCES, name), resource.get(BASE, base))


def _entries(holder: dict[Any, Any], path: Path, base: Any) -> Iterator[RegistryEntry]:
    for key, value in holder.items():
        if isinstance(value, str) and "::" not in value and key != BASE and key not in _NO_FILES:
            yield RegistryEntry((*path, key), value, base)


def registry_faults(environment: SourceNode) -> Iterator[Diagnostic]:
    """What in the registry of an environment stops the client."""
    registry = environment.child(REGISTRY)
    value = registry.value if REGISTRY in environment.value else None
    if value is None:
        return
    if not isinstance(value, dict):
        yield _fault(environment, (REGISTRY,), "must be a mapping")
        return
    yield from _entry_faults(environment, value, (REGISTRY,))
    resources = value.get(RESOURCES, {})
    if not isinstance(resources, dict):
        # Of what is not a string either, the loop over the entries has reported it already.
        if isinstance(resources, str):
            yield _fault(environment, (REGISTRY, RESOURCES), "must be a mapping")
        return
    for name, resource in resources.items():
        path = (REGISTRY, RESOURCES, name)
        if isinstance(resource, dict):
            yield from _entry_faults(environment, resource, path)
        else:
            yield _fault(environment, path, "must be a mapping of types to files")


def _entry_faults(environment: SourceNode, holder: dict[Any, Any], path: Path) -> Iterator[Diagnostic]:
    for key, value in holder.items():
        if key == BASE or isinstance(value, (dict, str)):
            continue
        if isinstance(value, list) and ("::" in value or key in _NO_FILES):
            continue
        yield _fault(environment, (*path, key), "must be a file name or a type name")


def _fault(environment: SourceNode, path: Path, expected: str) -> Diagnostic:
    return client_error(
        environment,
        path,
        messages.BAD_REGISTRY_ENTRY,
        written=show(path),
        expected=expected,
        found=word_for(environment.at(path).value),
    )


def client_error(document: SourceNode, path: Path, message: Message, /, **words: Any) -> Diagnostic:
    """The finding that Heat's client stops at something with its own error."""
    return message.at(origin_at(document, path), path, subject=document.layer, **words)


def not_json(document: SourceNode, error: NotJsonError) -> Diagnostic:
    """The finding that a file cannot be written as JSON."""
    return client_error(document, error.path, messages.NOT_JSON, layer=document.layer, error=error)


def origin_at(document: SourceNode, path: Path) -> Origin:
    """Where a key or an item is written, or else what holds it."""
    holder = document.at(path[:-1])
    found = holder.key_origin(path[-1]) if path and isinstance(holder, SourceNode) else None
    return found or document.at(path).origin() or document.origin()
