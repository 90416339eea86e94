"""The files section: templates besides the environments, which declare parameters.

They are found as Heat's client finds them: what the root template names as a `type` ending in .yaml or .template or by
`get_file`, then what each environment's `resource_registry` names, and what those templates name in turn. A template is
attached after what it names. A name is looked up beside the file that holds it (a registry may name another
`base_url`). Nothing is fetched from the network, and an environment or the root template, with all it names in turn,
reaches only files below its own folder, unless the caller allowed more. An environment below the folder of the root
template reaches that folder, too: it belongs to the tree that the caller named with the template.

For inputs in memory, without the client, every other file is attached, in the order given.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from lamina.dialects.heat import messages
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
from lamina.dialects.heat.template_tree import jinja_hint
from lamina.plugin import MISSING, Diagnostic, InputError, Severity
from lamina.sources.inputs import DiskFiles, MemoryFiles, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.template_tree import TemplateTree
    from lamina.errors import Note
    from lamina.plugin import Inputs, Message, Path, Source, SourceNode
    from lamina.plugin.formats import Files

_ENDINGS: Final = (".yaml", ".template")
_NETWORK: Final = ("http", "https", "ftp", "data")
"""URL schemes that the client fetches and Lamina does not."""
_NAMED: Final = 5
"""How many missing templates a note names."""


def root_template(inputs: Inputs, name: str) -> Source:
    """The root template, from the given files or from the folder of the inputs."""
    found = inputs.files.read(name) if name in inputs.files.attached() else None
    return found or inputs.opened(name)[0]


def attached_in_memory(inputs: Inputs, root: Source | None) -> list[Attachment]:
    """Every given file except the inputs and the root template."""
    taken = {*(source.name for source in inputs.sources), root.name if root else None}
    found = (inputs.files.read(name) for name in inputs.files.attached() if name not in taken)
    return [Attachment(source, template_node(source, inputs.run), size_of(source)) for source in found if source]


@dataclass(frozen=True, slots=True, eq=False)
class _FileReference:
    """A file that is named somewhere: the document, the path in it, and the name."""

    holder: SourceNode
    path: Path
    name: str

    @property
    def may_be_template(self) -> bool:
        """Whether the file can declare parameters: a script that `get_file` reads cannot."""
        return self.path[-1:] != ("get_file",) or self.name.endswith(_TEMPLATE_ENDINGS)


@dataclass(frozen=True, slots=True, eq=False)
class SearchScope:
    """Where references are looked up: the inputs, the root template, and a tree of templates."""

    inputs: Inputs
    root: Source | None = None
    tree: TemplateTree | None = None

    def readable_files(self, name: str) -> _ReadableFiles:
        """What an input may refer to: the tree or folder it is below, else its own folder."""
        inputs = self.inputs
        if isinstance(inputs.files, MemoryFiles) and inputs.files.names():
            return _ReadableFiles(inputs.files, posixpath.dirname(name))
        tree = self.tree
        inside = _folder_below(name, posixpath.join(tree.name, "*")) if tree is not None else None
        if tree is not None and inside is not None:
            return _ReadableFiles(tree.files, inside, tree.name, tree)
        root = self.root.name if self.root else None
        folder_below = _folder_below(name, root) if root else None
        if root and folder_below is not None:
            return _ReadableFiles(inputs.opened(root)[1], folder_below, posixpath.dirname(root), tree)
        return _ReadableFiles(inputs.files_of(name), "", posixpath.dirname(name), tree)


class FileSearch:
    """Follows references from file to file, each file once.

    With `via_client` the files are read as the client reads them, and what stops the client is a finding.
    """

    def __init__(self, scope: SearchScope, *, via_client: bool) -> None:
        self._scope = scope
        self._readable = _ReadableFiles(scope.inputs.files)
        self.run = scope.inputs.run
        self._via_client = via_client
        self.found: dict[str, Attachment] = {}
        """By their display name; one for each file, however it was reached."""
        self.findings: list[Diagnostic] = []
        self._open: set[str] = set()
        self._missing: list[Note] = []
        self._unread: dict[str, _FileReference] = {}
        self._outside: dict[str, _FileReference] = {}

    def follow(self, template: SourceNode) -> None:
        """Attach what the root template names, and what that names in turn."""
        self._readable = self._scope.readable_files(template.layer)
        self._attach(template, self._readable.folder)

    def register(self, environment: Environment) -> None:
        """Attach what the registry of an environment names."""
        self._readable = self._scope.readable_files(environment.name)
        for entry in entries(environment.section(REGISTRY)):
            reference = _FileReference(environment.node, entry.path, entry.name)
            base = self._readable.folder if entry.base is MISSING else self._base(entry.base, reference)
            if base is not None:
                self._attach_one(reference, base)

    def _base(self, base: Any, reference: _FileReference) -> str | None:
        """The folder of a `base_url`; the client accepts only a URL."""
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
        self._stop(reference, messages.NOT_A_URL)
        return None

    def _attach(self, template: SourceNode, folder: str) -> None:
        for reference in references(template):
            self._attach_one(reference, folder)

    def _attach_one(self, reference: _FileReference, folder: str) -> None:
        """Attach a file after all that it names."""
        waiting: list[_Waiting] = []
        self._enter(reference, folder, waiting)
        while waiting:
            path, shown, attachment, rest = waiting[-1]
            named = next(rest, None)
            if named is not None:
                self._enter(named, posixpath.dirname(path), waiting)
                continue
            waiting.pop()
            self._open.discard(shown)
            self.found[shown] = attachment

    def _enter(self, reference: _FileReference, folder: str, waiting: list[_Waiting]) -> None:
        """Open the file a reference names, if it was not attached before and can be read."""
        path = self._path(reference, folder)
        source = self._read(reference, path) if path is not None else None
        if path is None or source is None or source.name in self.found:
            return
        if source.name in self._open:
            self._stop(reference, messages.REFERS_TO_ITSELF)
            return
        template = (template_for_client if self._via_client else template_node)(source, self.run)
        self._open.add(source.name)
        rest = references(template) if template else iter(())
        waiting.append((path, source.name, self._attachment(source, template), rest))

    def _attachment(self, source: Source, template: SourceNode | None) -> Attachment:
        if not self._via_client:
            return Attachment(source, template, size_of(source))
        if template is None:
            # What the client does not take for a template it sends as it is, and the server may take it for one.
            return Attachment(source, template_node(source, self.run), size_of(source))
        sent = self.as_sent(template)
        return Attachment(source, sent, size_in_json(sent, source))

    def as_sent(self, template: SourceNode) -> SourceNode:
        """A template as the client sends it; that it cannot be sent is a finding."""
        try:
            return as_json(template)
        except NotJsonError as error:
            self.findings.append(not_json(template, error))
            return template

    def _path(self, reference: _FileReference, folder: str) -> str | None:
        """The path a reference means, seen from the folder of the input, if Lamina may read it."""
        parts = _split(reference.name)
        if parts is None or parts.scheme not in ("", "file", *_NETWORK) or "%00" in reference.name:
            self._miss(reference, None)
            return None
        if parts.netloc or parts.scheme in _NETWORK:
            self._unread.setdefault(reference.name, reference)
            return None
        name = unquote(parts.path if parts.scheme else reference.name.partition("#")[0])
        path = posixpath.normpath(posixpath.join(folder, name))
        if self._readable.may_read(path):
            return path
        self._outside.setdefault(reference.name, reference)
        return None

    def _read(self, reference: _FileReference, path: str) -> Source | None:
        source = self._readable.read(path)
        if source is None:
            self._miss(reference, path)
        return source

    def _miss(self, reference: _FileReference, path: str | None) -> None:
        """A missing file stops the client. What it would declare is unknown, and the rest of the result does not depend
        on it."""
        if not self._via_client:
            self._unread.setdefault(reference.name, reference)
            return
        near = self._readable.nearest(path, reference.name) if path else None
        self._missing.append(
            messages.MISSING_ATTACHMENT.at(
                reference.holder.at(reference.path).origin(),
                reference.path,
                subject=reference.holder.layer,
                name=reference.name or "(an empty name)",
                hint=near,
            )
        )

    def _stop(self, reference: _FileReference, message: Message) -> None:
        if self._via_client:
            self.findings.append(client_error(reference.holder, reference.path, message, name=reference.name))

    def notes(self) -> list[Note]:
        """A note for each file that is missing, one for all that could not be read, and one for all not read because of
        their location."""
        missing = {name: reference for name, reference in self._unread.items() if name not in self._outside}
        unread = (*_not_read(missing, messages.NOT_READ), *_not_read(self._outside, messages.OUTSIDE_NOT_READ))
        return [*self._missing, *unread]


_TEMPLATE_ENDINGS: Final = (".yaml", ".yml", ".template", ".json")

_Waiting: TypeAlias = "tuple[str, str, Attachment, Iterator[_FileReference]]"
"""A file whose own references are being followed: its path, the name it is shown by, what is attached, and the rest."""


def _not_read(named: Mapping[str, _FileReference], message: Message) -> Iterator[Note]:
    templates = {name: reference for name, reference in named.items() if reference.may_be_template}
    others = {name: reference for name, reference in named.items() if name not in templates}
    if templates:
        effect = "parameters that only such a template declares are treated as undeclared"
        yield _unread_note(templates, message, "nested template", effect)
    if others:
        note = _unread_note(others, message, "file", "this does not change the result")
        yield replace(note, severity=Severity.INFO)


def _unread_note(named: Mapping[str, _FileReference], message: Message, noun: str, effect: str) -> Note:
    names, first = list(named), next(iter(named.values()))
    what = f"{len(names)} {noun}{'s' if len(names) > 1 else ''}"
    listed = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    return message.at(first.holder.at(first.path).origin(), what=what, listed=listed, effect=effect)


class _ReadableFiles:
    """The files that an input may name, by their paths from one folder; the input is in `folder` below that."""

    def __init__(self, files: Files, folder: str = "", base: str = "", tree: TemplateTree | None = None) -> None:
        self._files = files
        self.folder = folder
        self._base = base
        self._tree = tree
        self._known: dict[str, Source | None] = {}

    def may_read(self, path: str) -> bool:
        """Whether a path is where the input may read; the file need not exist."""
        if isinstance(self._files, MemoryFiles):
            return not path.startswith(("/", "../"))
        try:
            self.read(path)
        except InputError as error:
            if error.diagnostic.code != "outside-folder":
                raise
            return False
        return True

    def read(self, path: str) -> Source | None:
        if path not in self._known:
            inside = self._tree.inside(posixpath.join(self._base, path)) if self._tree else None
            try:
                source = self._tree.files.read(inside) if self._tree and inside else self._files.read(path)
            except OSError:  # such as a name that is too long
                source = None
            self._known[path] = replace(source, name=posixpath.normpath(source.name)) if source else None
        return self._known[path]

    def nearest(self, path: str, name: str) -> str | None:
        """A hint: what a missing file is generated from, or a file next to it with a similar name."""
        if not isinstance(self._files, DiskFiles):
            return None
        return jinja_hint(self._files, self._base, path) or nearest(posixpath.join(self._base, path), name)


def _folder_below(name: str, root: str) -> str | None:
    """The folder of an input from that of the root template, if it is in that folder or below it."""
    folder = posixpath.relpath(posixpath.dirname(name) or ".", posixpath.dirname(root) or ".")
    return None if folder == ".." or folder.startswith("../") else folder


def references(template: SourceNode) -> Iterator[_FileReference]:
    """The files that a template names, in the order in which the client attaches them: what is inside comes first."""
    found: list[_FileReference] = []
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
                found.append(_FileReference(template, (*path, key), item))

    visit(template.value, ())
    return iter(found)


def _split(name: str) -> SplitResult | None:
    """The parts of a reference; None if it cannot refer to a file."""
    try:
        return None if "\0" in name else urlsplit(name)
    except ValueError:
        return None
