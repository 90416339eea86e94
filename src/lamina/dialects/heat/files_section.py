"""Attachments: the files besides the environments whose templates declare parameters.

They are found as Heat's client finds them: what the root template names as a `type` ending in .yaml or .template or by
`get_file`, then what each environment's `resource_registry` names, and what those templates name in turn. A template is
attached after what it names. A name is looked up beside the file that holds it (a registry may name another
`base_url`). Nothing is fetched from the network, and nothing is read outside the folder that holds the inputs and the
template.

Handed over in memory without the client, every other file is attached, in the order given.
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

from lamina.dialects.heat.json_values import NotJsonError
from lamina.dialects.heat.registry import client_error, entries, not_json
from lamina.dialects.heat.sections import REGISTRY
from lamina.dialects.heat.template import (
    Attachment,
    as_json,
    size_in_json,
    size_of,
    template_for_client,
    template_node,
)
from lamina.errors import Diagnostic, Severity
from lamina.paths import MISSING
from lamina.sources.inputs import DiskFiles, MemoryFiles, nearest, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.dialects.heat.environment import Environment
    from lamina.engine.node import SourceNode
    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.sources.inputs import Files, Inputs
    from lamina.sources.source import Source

_ENDINGS: Final = (".yaml", ".template")
_NETWORK: Final = ("http", "https", "ftp", "data")
"""What the client fetches and Lamina does not."""
_NAMED: Final = 5
"""How many missing templates a note names."""


def root_template(inputs: Inputs, name: str) -> Source:
    """The root template, from the files handed over or from disk."""
    found = inputs.files.read(name) if name in inputs.files.attached() else None
    return found or read_file(FilePath(name), name)


def attached_in_memory(inputs: Inputs, root: Source | None) -> list[Attachment]:
    """Every file handed over besides the inputs and the root template."""
    taken = {*(source.name for source in inputs.sources), root.name if root else None}
    found = (inputs.files.read(name) for name in inputs.files.attached() if name not in taken)
    return [Attachment(source, template_node(source), size_of(source)) for source in found if source is not None]


@dataclass(frozen=True, slots=True, eq=False)
class _Reference:
    """A file that is named somewhere: the document, the path in it, and the name."""

    holder: SourceNode
    path: Path
    name: str


class Search:
    """Follows references from file to file, each file once.

    With `via_client` the files are read as the client reads them, and what stops the client is a finding.
    """

    def __init__(self, inputs: Inputs, root: Source | None, *, via_client: bool) -> None:
        names = [source.name for source in inputs.sources]
        self._files = _files(inputs.files, [*names, root.name] if root else names)
        self._via_client = via_client
        self.found: dict[str, Attachment] = {}
        self.findings: list[Diagnostic] = []
        self._open: set[str] = set()
        self._unread: dict[str, _Reference] = {}

    def follow(self, template: SourceNode) -> None:
        """Attach what the root template names, and what that names in turn."""
        self._attach(template, self._files.folder_of(template.layer))

    def register(self, environment: Environment) -> None:
        """Attach what the registry of an environment names."""
        folder = self._files.folder_of(environment.name)
        for entry in entries(environment.section(REGISTRY)):
            reference = _Reference(environment.node, entry.path, entry.name)
            base = folder if entry.base is MISSING else self._base(entry.base, reference)
            if base is not None:
                self._attach_one(reference, base)

    def _base(self, base: Any, reference: _Reference) -> str | None:
        """The folder a `base_url` stands for; the client takes nothing but a URL."""
        parts = _split(base) if isinstance(base, str) else None
        if parts is not None and parts.scheme == "file":
            return unquote(parts.path)
        if parts is not None and parts.scheme in _NETWORK:
            self._unread.setdefault(reference.name, reference)
            return None
        if parts is not None and parts.path and not parts.scheme and not self._via_client:
            return str(base)
        named = _split(reference.name)
        if named is not None and named.scheme:
            return ""
        message = f"base_url must be a URL for {reference.name} to be found"
        self._stop(reference, message, "write file:///PATH/, or remove base_url")
        return None

    def _attach(self, template: SourceNode, folder: str) -> None:
        for reference in references(template):
            self._attach_one(reference, folder)

    def _attach_one(self, reference: _Reference, folder: str) -> None:
        """Attach a file after all that it names."""
        waiting: list[tuple[str, Attachment, Iterator[_Reference]]] = []
        self._enter(reference, folder, waiting)
        while waiting:
            path, attachment, rest = waiting[-1]
            named = next(rest, None)
            if named is not None:
                self._enter(named, posixpath.dirname(path), waiting)
                continue
            waiting.pop()
            self._open.discard(path)
            self.found[path] = attachment

    def _enter(
        self, reference: _Reference, folder: str, waiting: list[tuple[str, Attachment, Iterator[_Reference]]]
    ) -> None:
        """Open the file a reference names, if it was not attached before and can be read."""
        path = self._path(reference, folder)
        if path is None or path in self.found:
            return
        if path in self._open:
            self._stop(reference, f"{reference.name} leads back to itself", "let no template name itself")
            return
        source = self._read(reference, path)
        if source is None:
            return
        template = template_for_client(source) if self._via_client else template_node(source)
        self._open.add(path)
        waiting.append((path, self._attachment(source, template), references(template) if template else iter(())))

    def _attachment(self, source: Source, template: SourceNode | None) -> Attachment:
        if not self._via_client:
            return Attachment(source, template, size_of(source))
        if template is None:
            # What the client does not take for a template it sends as it is, and the server may take it for one.
            return Attachment(source, template_node(source), size_of(source))
        sent = self.as_sent(template)
        return Attachment(source, sent, size_in_json(sent, source))

    def as_sent(self, template: SourceNode) -> SourceNode:
        """A template as the client sends it; that it cannot be sent is a finding."""
        try:
            return as_json(template)
        except NotJsonError as error:
            self.findings.append(not_json(template, error))
            return template

    def _path(self, reference: _Reference, folder: str) -> str | None:
        """The path a reference means here, if it means one that Lamina may read."""
        parts = _split(reference.name)
        if parts is None or parts.scheme not in ("", "file", *_NETWORK) or "%00" in reference.name:
            self._miss(reference, None)
            return None
        path = self._files.path(folder, unquote(parts.path if parts.scheme else reference.name.partition("#")[0]))
        if parts.netloc or parts.scheme in _NETWORK or not self._files.may_read(path):
            self._unread.setdefault(reference.name, reference)
            return None
        return path

    def _read(self, reference: _Reference, path: str) -> Source | None:
        source = self._files.read(path)
        if source is None:
            self._miss(reference, path)
        return source

    def _miss(self, reference: _Reference, path: str | None) -> None:
        """What is missing stops the client; without the client it is a note."""
        if not self._via_client:
            self._unread.setdefault(reference.name, reference)
            return
        near = self._files.nearest(path, reference.name) if path else None
        self.findings.append(
            Diagnostic(
                code="missing-file",
                message=f"there is no file {reference.name or '(an empty name)'}, which Heat's client attaches",
                at=reference.holder.at(reference.path).origin(),
                path=reference.path,
                hint=near or "check the name, which is relative to this file; --via server goes on without the file",
                subject=reference.holder.layer,
            )
        )

    def _stop(self, reference: _Reference, message: str, hint: str) -> None:
        if self._via_client:
            self.findings.append(client_error(reference.holder, reference.path, message, hint=hint))

    def notes(self) -> list[Note]:
        """One note for all that could not be read."""
        if not self._unread:
            return []
        names = list(self._unread)
        listed = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        first = next(iter(self._unread.values()))
        return [
            Diagnostic(
                code="template-not-found",
                message=f"{len(names)} nested template{'s' if len(names) > 1 else ''} could not be read ({listed}); "
                "what only such a template declares counts as undeclared",
                at=first.holder.at(first.path).origin(),
                hint=self._files.reach,
                severity=Severity.INFO,
            )
        ]


class _OnDisk:
    """Files on disk, below the folder that holds the inputs and the template."""

    def __init__(self, names: Iterable[str]) -> None:
        folders = [FilePath(name).resolve().parent for name in names if FilePath(name).is_file()]
        self._root = FilePath(os.path.commonpath(folders)) if folders else None
        below = f"below {os.path.relpath(self._root)}" if self._root else "only beside inputs that are files,"
        self.reach = f"Lamina reads templates {below} and none from the network"

    def folder_of(self, name: str) -> str:
        return str(FilePath(os.path.realpath(name)).parent)

    def path(self, folder: str, name: str) -> str:
        return os.path.normpath(FilePath(folder) / name)

    def may_read(self, path: str) -> bool:
        return self._root is not None and FilePath(os.path.realpath(path)).is_relative_to(self._root)

    def read(self, path: str) -> Source | None:
        try:
            return read_file(FilePath(path), os.path.relpath(path)) if FilePath(path).is_file() else None
        except OSError:  # such as a name that is too long
            return None

    def nearest(self, path: str, name: str) -> str | None:
        return nearest(path, name)


class _InMemory:
    """Files handed over in memory."""

    reach = "Lamina reads the files handed over and none from the network"

    def __init__(self, files: Files) -> None:
        self._files = files

    def folder_of(self, name: str) -> str:
        return posixpath.dirname(name)

    def path(self, folder: str, name: str) -> str:
        return posixpath.normpath(posixpath.join(folder, name))

    def may_read(self, path: str) -> bool:
        return not path.startswith(("/", "../"))

    def read(self, path: str) -> Source | None:
        return self._files.read(path)

    def nearest(self, path: str, name: str) -> str | None:
        del path, name
        return None


class _Elsewhere(_InMemory):
    """Files of which only the inputs are at hand: those of a commit."""

    reach = "Lamina reads templates of the working tree only"

    def may_read(self, path: str) -> bool:
        del path
        return False


def _files(files: Files, names: Sequence[str]) -> _OnDisk | _InMemory:
    if isinstance(files, MemoryFiles) and files.names():
        return _InMemory(files)
    if isinstance(files, (DiskFiles, MemoryFiles)):
        return _OnDisk(names)
    return _Elsewhere(files)


def references(template: SourceNode) -> Iterator[_Reference]:
    """The files that a template names, in the order in which the client attaches them: what is inside comes first."""
    found: list[_Reference] = []
    seen: set[int] = set()

    def visit(holder: Any, path: Path) -> None:
        if id(holder) in seen:
            return
        seen.add(id(holder))
        inner = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, item in inner:
            if isinstance(item, (dict, list)):
                visit(item, (*path, key))
        for key, item in holder.items() if isinstance(holder, dict) else ():
            if isinstance(item, str) and (key == "get_file" or (key == "type" and item.endswith(_ENDINGS))):
                found.append(_Reference(template, (*path, key), item))

    visit(template.value, ())
    return iter(found)


def _split(name: str) -> SplitResult | None:
    """The parts of a reference; None if it can lead nowhere."""
    try:
        return None if "\0" in name else urlsplit(name)
    except ValueError:
        return None
