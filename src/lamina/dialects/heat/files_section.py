"""Attachments: the files besides the environments whose templates declare parameters.

Handed over in memory, every other file is attached, in the order given. On disk they are found as Heat's client finds
them: what the root template names as a `type` ending in .yaml or .template, then what each environment's
`resource_registry` names, and what those templates name in turn. A name is looked up beside the file that holds it
(a registry may say another `base_url`). Nothing is fetched from the network, and nothing is read outside the folder
that holds the inputs and the template.
"""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from lamina.dialects.heat.sections import REGISTRY
from lamina.dialects.heat.template import template_node
from lamina.engine.node import SourceNode
from lamina.errors import Diagnostic, Severity
from lamina.sources.inputs import DiskFiles, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.dialects.heat.environment import Environment
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs
    from lamina.sources.source import Source

_ENDINGS: Final = (".yaml", ".template")
_NO_FILES: Final = ("base_url", "hooks", "restricted_actions")
_NAMED: Final = 5
"""How many missing templates a note names."""
_LOOKED_AT: Final = 10_000
"""How many values are looked at to find the place of a name."""


def root_template(inputs: Inputs, name: str) -> Source:
    """The root template, from the files handed over or from disk."""
    found = inputs.files.read(name) if name in inputs.files.attached() else None
    return found or read_file(FilePath(name), name)


def attached(
    inputs: Inputs, root: Source | None, environments: Sequence[Environment]
) -> tuple[list[Source], list[Note]]:
    """The attached files, in the order in which they count, and what could not be read."""
    names = [source.name for source in inputs.sources]
    if not isinstance(inputs.files, DiskFiles):
        taken = {*names, root.name if root else None}
        found = (inputs.files.read(name) for name in inputs.files.attached() if name not in taken)
        return [source for source in found if source is not None], []
    search = _FileSearch([*names, root.name] if root else names)
    if root is not None:
        search.follow(root)
    for environment in environments:
        search.register(environment)
    return list(search.found.values()), search.notes()


class _FileSearch:
    """Follows references from file to file, each file once."""

    def __init__(self, names: Iterable[str]) -> None:
        folders = [FilePath(name).resolve().parent for name in names if FilePath(name).is_file()]
        self._root = FilePath(os.path.commonpath(folders)) if folders else FilePath.cwd()
        self.found: dict[FilePath, Source] = {}
        self._missing: dict[str, SourceNode] = {}

    def follow(self, template: Source) -> None:
        """Attach what a template names, and what that names in turn."""
        todo = [template]
        while todo:
            source = todo.pop(0)
            node = template_node(source)
            for name in nested_types(node.value) if node else ():
                assert node is not None
                todo.extend(self._attach(name, FilePath(source.name).parent, node))

    def register(self, environment: Environment) -> None:
        """Attach what the registry of an environment names."""
        registry = environment.section(REGISTRY)
        base = registry.get("base_url") if isinstance(registry, dict) else None
        folder = _local(base) if isinstance(base, str) else None
        for name in registered(registry):
            for source in self._attach(name, folder or FilePath(environment.name).parent, environment.node):
                self.follow(source)

    def _attach(self, name: str, folder: FilePath, named_in: SourceNode) -> list[Source]:
        """The file of that name, if it is there and was not attached before."""
        local = _local(name)
        path = (folder / local).resolve() if local else None
        if path in self.found:
            return []
        if path is None or not path.is_relative_to(self._root) or not path.is_file():
            self._missing.setdefault(name, named_in)
            return []
        source = self.found[path] = read_file(path, os.path.relpath(path))
        return [source]

    def notes(self) -> list[Note]:
        """One note for all that could not be read."""
        if not self._missing:
            return []
        names = list(self._missing)
        listed = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        return [
            Diagnostic(
                code="template-not-found",
                message=f"{len(names)} nested template{'s' if len(names) > 1 else ''} could not be read ({listed}); "
                "what only such a template declares counts as undeclared",
                at=_place(*next(iter(self._missing.items()))),
                hint=f"Lamina reads templates below {os.path.relpath(self._root)} and none from the network",
                severity=Severity.INFO,
            )
        ]


def _place(name: str, named_in: SourceNode) -> Origin | None:
    """Where a template or an environment names a file."""
    todo: list[Path] = [()]
    for path in todo:
        node = named_in.at(path)
        value = node.value
        if isinstance(value, str) and value == name:
            return node.origin() if isinstance(node, SourceNode) else None
        keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        todo.extend((*path, key) for key in keys if len(todo) < _LOOKED_AT)
    return None


def nested_types(value: Any) -> Iterator[str]:
    """The templates that a template names as types, in document order."""
    todo = [value]
    while todo:
        holder = todo.pop()
        inner = list(holder.values()) if isinstance(holder, dict) else holder
        kind = holder.get("type") if isinstance(holder, dict) else None
        if isinstance(kind, str) and kind.endswith(_ENDINGS):
            yield kind
        todo.extend(item for item in reversed(inner) if isinstance(item, (dict, list)))


def registered(registry: Any) -> Iterator[str]:
    """The files a registry names: for types, and for single resources."""
    for key, value in registry.items() if isinstance(registry, dict) else ():
        if key == "resources":
            for resource in value.values() if isinstance(value, dict) else ():
                yield from registered(resource)
        elif isinstance(value, str) and value and "::" not in value and key not in _NO_FILES:
            yield value


def _local(name: str) -> FilePath | None:
    """The path a reference means on this machine, if it means one."""
    parts = urlsplit(name)
    if parts.scheme == "file":
        return FilePath(unquote(parts.path))
    return None if parts.scheme in ("http", "https", "ftp", "swift") or "\0" in name else FilePath(name)
