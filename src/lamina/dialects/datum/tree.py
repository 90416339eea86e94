"""The tree: stores, folders and files as one table of tables.

A folder is a key whose members are its folders and files; a file is a key by its name without the last ending, and
holds what is written in it. `.yml`, `.yaml` and `.json` are read as YAML (the first document), `.psd1` as PowerShell
data, and anything else is one text. Names are found without case; hidden files do not count. Two files of one name in
a folder are an error.

A file that cannot be read is as good as absent, as in the program, with a note; `strict` rejects it. Every file is read
once, whoever asks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.dialects.datum.lookup_path import member
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.errors import Diagnostic, InputError, Severity
from lamina.origins import PositionMap
from lamina.session import current_call
from lamina.sources import document_cache
from lamina.sources.document import Document
from lamina.sources.powershell.case_insensitive import CaselessKey, caseless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.errors import Note
    from lamina.sources.inputs import Files
    from lamina.sources.source import Source

Position: TypeAlias = "TreeFolder | Node"
"""A position in a walk through the tree: a folder, or a value in a file."""

YAML_ENDINGS = (".yml", ".yaml", ".json")
_EACH = 512
"""What a file takes whatever it holds, in bytes, about."""
_Found: TypeAlias = "tuple[File, Node | None, Note | None]"
_ABSENT = " and is ignored"


class File:
    """One file of the tree, read when asked for. What it holds is kept by the call that runs and by its session."""

    def __init__(self, name: str, files: Files, strict: bool) -> None:
        self.name = name
        self.problem: Note | None = None
        self._files = files
        self._version = getattr(files, "version", None)
        self._latest: tuple[int, _Found] | None = None
        self._strict = strict
        self.key = caseless(base_name(name.rsplit("/", 1)[-1]))

    def node(self) -> Node | None:
        """What the file holds; None when that is nothing, or cannot be read."""
        _, node, self.problem = self._found() if self._version is None else self._found_now(self._version(self.name))
        if self._strict:
            self.insist()
        return node

    def _found(self) -> _Found:
        call, key = current_call(), ("datum", id(self))
        found: _Found | None = call.find(key)
        if found is None:
            node, problem, weight = self._open()
            found = (self, node, problem)
            call.keep(key, found, weight)
        return found

    def _found_now(self, version: int) -> _Found:
        """The content of a file that may change: stored here, so that it is dropped when it is outdated."""
        if self._latest is None or self._latest[0] != version:
            node, problem, _ = self._open()
            self._latest = version, (self, node, problem)
        return self._latest[1]

    def insist(self) -> None:
        """Reject a file that could not be read, for those who cannot do without it."""
        if self.problem is not None:
            message = self.problem.message.replace(_ABSENT, "", 1)
            raise InputError(replace(self.problem, message=message, severity=Severity.ERROR))

    def _open(self) -> tuple[Node | None, Note | None, int]:
        """What the file holds, why it cannot be read, and what that takes in bytes."""
        try:
            source = self._files.read(self.name)
            if source is None:
                return None, None, _EACH
            document = read_document(source)
        except InputError as error:
            return None, _unreadable(self.name, error), _EACH
        node = SourceNode(document.value, (), document.tape, 0, self.name) if document.value is not None else None
        return node, None, _EACH + document_cache.weight_of(document)


def read_document(source: Source) -> Document:
    """What a file holds, by its ending."""
    name = source.name.lower()
    if name.endswith(YAML_ENDINGS):
        return document_cache.caseless_document(source)
    if name.endswith(".psd1"):
        return document_cache.caseless_psd1(source)
    tape = PositionMap(source.locate)
    tape.add(0, 0)
    return Document(source.data.decode("utf-8-sig", "replace"), tape)


def _unreadable(name: str, error: InputError) -> Note:
    finding = error.diagnostic
    return Diagnostic(
        code="unreadable-file",
        message=f"{name} cannot be read{_ABSENT}: {finding.message}",
        at=finding.at,
        related=finding.related,
        hint=finding.hint,
        severity=Severity.WARNING,
        subject=name,
    )


class TreeFolder:
    """A folder: folders and files by name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.members: dict[CaselessKey, TreeFolder | File] = {}

    def add(self, key: CaselessKey, entry: TreeFolder | File) -> None:
        other = self.members.get(key)
        if other is not None:
            raise InputError(
                Diagnostic(
                    code="duplicate-file-name",
                    message=f"{other.name} and {entry.name} have the same key, {key}",
                    hint="rename or remove one of them; the file extension is not part of the key",
                )
            )
        self.members[key] = entry

    def files(self) -> Iterator[File]:
        """All files in it and below, in order."""
        for entry in self.members.values():
            if isinstance(entry, File):
                yield entry
            else:
                yield from entry.files()

    def table(self, shown: Callable[[File, Node], Node] = lambda file, node: node) -> Node:  # noqa: ARG005 - as it is
        """The folder as a table."""
        parts: dict[Any, Node] = {}
        for key, entry in self.members.items():
            node = entry.node() if isinstance(entry, File) else entry.table(shown)
            if isinstance(entry, File) and node is not None:
                node = shown(entry, node)
            parts[key] = node or LiteralNode(None, (key,))
        return ComputedNode.of_parts({key: part.value for key, part in parts.items()}, (), parts)


class TreeWalk:
    """Steps through the tree; remembers the files on the way that could not be read."""

    def __init__(self) -> None:
        self.problems: dict[str, Note] = {}
        self.overlay: Callable[[File, Node], Node] | None = None
        """What a file holds for the node that looks, where that is not what is written in it."""
        self._seen: dict[str, Node] = {}

    def member(self, position: Position, name: str) -> Position | None:
        """The member of that name; None where there is none, or null."""
        if isinstance(position, Node):
            found = member(position, name)
            return None if found is None or found.value is None else found
        entry = position.members.get(caseless(name))
        if not isinstance(entry, File):
            return entry
        node = entry.node()
        if entry.problem is not None:
            self.problems[entry.name] = entry.problem
        return node if node is None or self.overlay is None else self._shown(entry, node)

    def _shown(self, file: File, node: Node) -> Node:
        if self.overlay is None:
            return node
        if file.name not in self._seen:
            shown = self.overlay(file, node)
            if shown is node:
                return node
            self._seen[file.name] = shown
        return self._seen[file.name]

    def value(self, position: Position) -> Node:
        """A position as a value: a folder becomes a table."""
        if isinstance(position, Node):
            return position
        for entry in position.files():
            entry.node()
            if entry.problem is not None:
                self.problems[entry.name] = entry.problem
        return position.table(self._shown)


def base_name(name: str) -> str:
    """A file's name without its last ending."""
    stem, dot, _ = name.rpartition(".")
    return stem if dot else name


def folder_tree(name: str, files: Files, names: Sequence[str], prefix: str, *, strict: bool) -> TreeFolder:
    """The folder below a prefix, with everything in it; two files of one name are rejected."""
    root = TreeFolder(name)
    for path in names:
        if not path.startswith(prefix):
            continue
        *folders, last = path[len(prefix) :].split("/")
        if any(part.startswith(".") for part in (*folders, last)):
            continue
        here = root
        for depth, part in enumerate(folders):
            inner = here.members.get(caseless(part))
            if not isinstance(inner, TreeFolder):
                inner = TreeFolder(prefix + "/".join(folders[: depth + 1]))
                here.add(caseless(part), inner)
            here = inner
        file = File(path, files, strict)
        here.add(file.key, file)
    return root
