"""The tree: stores, folders and files as one table of tables.

A folder is a key whose members are its folders and files; a file is a key by its name without the last ending, and
holds what is written in it. `.yml`, `.yaml` and `.json` are read as YAML (the first document), `.psd1` as PowerShell
data, and anything else is one string. Names are case-insensitive; hidden files are ignored. Two files of one name in a
folder are an error.

A file that cannot be read counts as absent, as in the program, with a note; `strict` rejects it. Every file is read
once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from lamina.dialects.datum import messages
from lamina.dialects.datum.lookup_path import member
from lamina.dialects.datum.powershell_data import documents
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.errors import InputError, Severity
from lamina.origins import PositionMap
from lamina.sources import document_cache
from lamina.sources.caseless_keys import CaselessKey, caseless
from lamina.sources.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.errors import Note
    from lamina.run import Run
    from lamina.sources.inputs import Files, VersionedFiles
    from lamina.sources.source import Source

Position: TypeAlias = "TreeFolder | Node"
"""A position in a walk through the tree: a folder, or a value in a file."""

NODES_STORE: Final = "AllNodes"
WITHOUT_NODES: Final = (
    f"put each node into a file below {NODES_STORE}, or name a file of another folder with --node NAME"
)
"""What to do if a tree has no nodes."""
YAML_ENDINGS = (".yml", ".yaml", ".json")
_EACH = 512
"""The approximate size of a file besides its content, in bytes."""
_Found: TypeAlias = "tuple[Node | None, Note | None]"
_ABSENT = " and is ignored"


class File:
    """One file of the tree, read on demand. Its content is cached by the run and its session."""

    def __init__(self, name: str, files: Files, strict: bool) -> None:
        self.name = name
        self.problem: Note | None = None
        self._files = files
        self._version = getattr(files, "version", None)
        self._latest: tuple[int, _Found] | None = None
        self._was_read = False
        self._strict = strict
        self.key = caseless(base_name(name.rsplit("/", 1)[-1]))

    def node(self, run: Run) -> Node | None:
        """The content of the file; None if it is empty or cannot be read."""
        found = self._found(run) if self._version is None else self._current_content(self._version(self.name), run)
        self.problem = found[1]
        if self._strict:
            self.check_readable()
        return found[0]

    def _found(self, run: Run) -> _Found:
        found: _Found | None = run.find(self) if self._was_read else None
        if found is None:
            node, problem, weight = self._open(run)
            found = node, problem
            run.keep(self, found, weight)
            self._was_read = True
        return found

    def _current_content(self, version: int, run: Run) -> _Found:
        """The content of a file that may change: stored here, so that it can be dropped when it is outdated."""
        if self._latest is None or self._latest[0] != version:
            node, problem, _ = self._open(run)
            self._latest = version, (node, problem)
        return self._latest[1]

    def check_readable(self) -> None:
        """Reject a file that could not be read, for callers that need it."""
        if self.problem is not None:
            message = self.problem.message.replace(_ABSENT, "", 1)
            raise InputError(replace(self.problem, message=message, severity=Severity.ERROR))

    def _open(self, run: Run) -> tuple[Node | None, Note | None, int]:
        """The content of the file, why it cannot be read, and the size in bytes."""
        try:
            source = self._files.read(self.name)
            if source is None:
                return None, None, _EACH
            document = read_document(source, run)
        except InputError as error:
            return None, _unreadable(self.name, error), _EACH
        node = SourceNode(document.value, (), document.positions, 0, self.name) if document.value is not None else None
        return node, None, _EACH + document_cache.weight_of(document)


def read_document(source: Source, run: Run) -> Document:
    """The content of a file, by its extension."""
    name = source.name.lower()
    if name.endswith(YAML_ENDINGS):
        return documents.caseless_document(source, run)
    if name.endswith(".psd1"):
        return documents.caseless_psd1(source, run)
    positions = PositionMap(source.locate)
    positions.add(0, 0)
    return Document(source.data.decode("utf-8-sig", "replace"), positions)


def _unreadable(name: str, error: InputError) -> Note:
    finding = error.diagnostic
    related = finding.related
    return messages.UNREADABLE_FILE.at(
        finding.at, subject=name, related=related, hint=finding.hint, problem=finding.message
    )


class TreeFolder:
    """A folder: folders and files by name. Files that may change are given what is looked for and what is listed."""

    def __init__(self, name: str, files: Files | None = None) -> None:
        self.name = name
        self.members: dict[CaselessKey, TreeFolder | File] = {}
        self._live = cast("VersionedFiles", files) if hasattr(files, "version") else None

    @property
    def is_live(self) -> bool:
        """Whether its files may change while it is in use."""
        return self._live is not None

    def member(self, key: CaselessKey) -> TreeFolder | File | None:
        """What is there by that name."""
        if self._live is not None:
            self._live.looked_for(str(key), self.name)
        return self.members.get(key)

    def listing(self) -> dict[CaselessKey, TreeFolder | File]:
        """All that is in it."""
        if self._live is not None:
            self._live.listed(self.name)
        return self.members

    def add(self, key: CaselessKey, entry: TreeFolder | File) -> None:
        other = self.members.get(key)
        if other is not None:
            raise InputError(messages.DUPLICATE_FILE_NAME.at(one=other.name, other=entry.name, key=key))
        self.members[key] = entry

    def files(self) -> Iterator[File]:
        """All files in it and below, in order."""
        self.listing()
        return self.indexed_files()

    def indexed_files(self) -> Iterator[File]:
        """The same for an index; who looks into that says what for (`look_for`)."""
        for entry in self.members.values():
            if isinstance(entry, File):
                yield entry
            else:
                yield from entry.indexed_files()

    def look_for(self, name: str) -> None:
        """Say that a file of that name is looked for, in any folder."""
        if self._live is not None:
            self._live.looked_for(name, None)

    def table(self, shown: Callable[[File, Node], Node], run: Run) -> Node:
        """The folder as a table."""
        parts: dict[Any, Node] = {}
        for key, entry in self.listing().items():
            node = entry.node(run) if isinstance(entry, File) else entry.table(shown, run)
            if isinstance(entry, File) and node is not None:
                node = shown(entry, node)
            parts[key] = node or LiteralNode(None, (key,))
        return ComputedNode.of_parts({key: part.value for key, part in parts.items()}, (), parts)


class TreeWalk:
    """Looks up members in the tree; collects the files that could not be read."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.problems: dict[str, Note] = {}
        self.overlay: Callable[[File, Node], Node] | None = None
        """The content of a file as the current node sees it, if that differs from what is written in it."""
        self._seen: dict[str, Node] = {}

    def member(self, position: Position, name: str) -> Position | None:
        """The member of that name; None if there is none, or null."""
        if isinstance(position, Node):
            found = member(position, name)
            return None if found is None or found.value is None else found
        entry = position.member(caseless(name))
        if not isinstance(entry, File):
            return entry
        node = entry.node(self.run)
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
            entry.node(self.run)
            if entry.problem is not None:
                self.problems[entry.name] = entry.problem
        return position.table(self._shown, self.run)


def base_name(name: str) -> str:
    """A file's name without its last ending."""
    stem, dot, _ = name.rpartition(".")
    return stem if dot else name


def folder_tree(name: str, files: Files, names: Sequence[str], prefix: str, *, strict: bool) -> TreeFolder:
    """The folder below a prefix, with everything in it; two files of one name are rejected."""
    root = TreeFolder(name, files)
    folders = {"": root}
    for path in names:
        if not path.startswith(prefix):
            continue
        below = path[len(prefix) :]
        if below.startswith(".") or "/." in below:
            continue
        inside = below.rpartition("/")[0]
        folder = folders.get(inside)
        if folder is None:
            folder = folders[inside] = _added_folder(root, inside.split("/"), prefix, files)
        file = File(path, files, strict)
        folder.add(file.key, file)
    return root


def _added_folder(root: TreeFolder, parts: Sequence[str], prefix: str, files: Files) -> TreeFolder:
    """The folder at a path below a root, added with those above it where there is none so far."""
    folder = root
    for depth, part in enumerate(parts):
        inner = folder.members.get(caseless(part))
        if not isinstance(inner, TreeFolder):
            inner = TreeFolder(prefix + "/".join(parts[: depth + 1]), files)
            folder.add(caseless(part), inner)
        folder = inner
    return folder
