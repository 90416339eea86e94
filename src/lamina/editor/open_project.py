"""A project that is open in an editor: a workspace that follows what is typed, asked in threads of its own.

Whatever takes time is done in one of three threads, so that the loop which reads and writes messages is always free:
one applies edits, one answers, one waits for the process that lints. Messages are sent from the loop only.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lsprotocol import types
from pygls import uris

from lamina.editor.file_text import FileText
from lamina.editor.lint_process import LintProcess
from lamina.paths import MISSING, walk
from lamina.run import Run
from lamina.sources.document_cache import yaml_documents
from lamina.workspace.outline import entries_of
from lamina.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.origins import Origin
    from lamina.project.project import Project
    from lamina.views.lint.fixes import PlacedEdit
    from lamina.workspace.impact import Impact
    from lamina.workspace.line_uses import LineUse
    from lamina.workspace.seen import Seen

Answer = TypeVar("Answer")

_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorSettings:
    """What an editor sets when it starts the server."""

    targets: tuple[str, ...] = ()
    """Only these targets, by names with stars."""
    lenses: bool = True
    lint: bool = True
    status: bool = False
    """Whether the editor is told after each render how many targets there are: `lamina/status`, which is our own."""
    compat: bool = False
    """Whether values that are others by the system's manual are listed."""

    @classmethod
    def of(cls, given: object) -> EditorSettings:
        """The settings as an editor sends them; what is no setting, or of another type, is left out."""
        fields: dict[str, Any] = given if isinstance(given, dict) else {}
        flags = {
            name: fields[name] for name in ("lenses", "lint", "status", "compat") if isinstance(fields.get(name), bool)
        }
        targets = fields.get("targets")
        names = tuple(each for each in targets if isinstance(each, str)) if isinstance(targets, list) else ()
        return cls(targets=names, **flags)


class OpenProject:
    """One project, and which of its files are open."""

    def __init__(
        self, project: Project, settings: EditorSettings, encoding: types.PositionEncodingKind | str | None
    ) -> None:
        self.root = project.root
        self.settings = settings
        self.workspace = Workspace(replace(project, patterns=settings.targets))
        self.open: dict[str, str] = {}
        """The URIs of open files, as the editor wrote them, by their paths from the root."""
        self.versions: dict[str, int] = {}
        self.unsaved: set[str] = set()
        self.fixes: dict[str, list[tuple[types.Diagnostic, PlacedEdit]]] = {}
        """For files that were linted: the edits that fix what was found."""
        self.linted: dict[str, list[types.Diagnostic]] = {}
        self.linting = LintProcess(project.root, settings.targets)
        self._encoding = encoding
        self._saved: Seen | None = None
        """The state in which nothing was unsaved, while something is."""
        self._impact: tuple[Seen, Impact] | None = None
        self._threads = {name: ThreadPoolExecutor(1, f"lamina {name}") for name in ("reads", "writes", "lints")}

    @property
    def shows_lenses(self) -> bool:
        return self.settings.lenses

    def path_of(self, uri: str) -> str | None:
        """A file as a path from the root; None if it is not below it."""
        file = uris.to_fs_path(uri)
        if file is None:
            return None
        try:
            path = os.path.relpath(os.path.realpath(file), self.root).replace(os.sep, "/")
        except ValueError:  # another drive
            return None
        return None if path == ".." or path.startswith("../") else path

    def uri_of(self, path: str) -> str:
        """The URI of a file, as the editor wrote it if it is open."""
        return self.open.get(path) or uris.from_fs_path(os.path.join(self.root, path)) or ""

    def text_of(self, path: str) -> FileText:
        """The text of a file as the workspace sees it; empty if there is none."""
        source = self.workspace.file(path)
        return FileText(source.data if source is not None else b"", self._encoding)

    def uses_at(self, path: str, line: int) -> list[LineUse]:
        """What a line decides, counted from one."""
        if self.workspace.file(path) is None:
            return []
        return self.workspace.uses(path, [line]).get(line, [])

    def value_on(self, path: str, line: int) -> Any:
        """The value of the key on a line, counted from zero; MISSING if there is none."""
        source = self.workspace.file(path)
        outline = self.workspace.outline(path) if source is not None else []
        documents = yaml_documents(source, Run()) if source is not None and outline else ()
        tops = outline if outline and outline[0].is_document else [None]
        for document, top in zip(documents, tops, strict=False):
            for entry in entries_of(top.inside if top is not None else outline):
                if entry.line == line + 1:
                    return walk(document.value, entry.path)
        return MISSING

    def location(self, origin: Origin) -> types.Location | None:
        """An origin as a location; None if it is in no file of the project."""
        path = self.workspace.path_of(origin)
        return None if path is None else types.Location(self.uri_of(path), self.text_of(path).at(origin))

    def text_edit(self, path: str, edit: PlacedEdit) -> types.TextEdit:
        """An edit in the protocol's terms."""
        text = self.text_of(path)
        start, end = (text.position(line - 1, column - 1) for line, column in (edit.start, edit.end))
        return types.TextEdit(types.Range(start, end), edit.text)

    def typed(self, path: str, text: str) -> bytes:
        """What the file will be when this text is saved: editors leave out a byte order mark, and write it again."""
        data = text.encode("utf-8", "surrogatepass")
        on_disk = self.on_disk(path)
        has_mark = on_disk is not None and on_disk.startswith(_BOM)
        return _BOM + data if has_mark and not data.startswith(_BOM) else data

    def on_disk(self, path: str) -> bytes | None:
        """What is saved of a file."""
        try:
            with open(os.path.join(self.root, path), "rb") as file:
                return file.read()
        except OSError:
            return None

    async def reads(self, work: Callable[..., Answer], *given: Any) -> Answer:
        """What work gives that only looks."""
        return await asyncio.get_running_loop().run_in_executor(self._threads["reads"], work, *given)

    async def writes(self, work: Callable[..., Answer], *given: Any) -> Answer:
        """What work gives that changes files of the workspace."""
        return await asyncio.get_running_loop().run_in_executor(self._threads["writes"], work, *given)

    async def lints(self, work: Callable[..., Answer], *given: Any) -> Answer:
        """What work gives that waits for lint."""
        return await asyncio.get_running_loop().run_in_executor(self._threads["lints"], work, *given)

    def update(self, texts: Mapping[str, bytes]) -> None:
        """Take over what was typed."""
        before = self.workspace.seen()
        changed = {path: data for path, data in texts.items() if data != self.on_disk(path)}
        if changed and not self.unsaved:
            self._saved = before
        self.unsaved = (self.unsaved - texts.keys()) | changed.keys()
        self.workspace.update(texts)
        if not self.unsaved:
            self._saved = None

    def refresh(self, paths: list[str]) -> None:
        """Take over what was saved, by whoever; a file that is open counts as it is shown."""
        closed = [path for path in paths if path not in self.open]
        if closed:
            self.workspace.refresh(closed)
        self.unsaved = {path for path in self.unsaved if path in self.open and self._differs(path)}
        self._saved = self._saved if self.unsaved else None

    def _differs(self, path: str) -> bool:
        source = self.workspace.file(path)
        return source is not None and source.data != self.on_disk(path)

    def impact(self) -> Impact:
        """What would change in the results if all that is unsaved were saved."""
        from lamina.workspace.impact import Impact

        saved, now = self._saved, self.workspace.seen()
        if saved is None:
            return Impact()
        if self._impact is None or self._impact[0] is not now:
            texts = {path: self.on_disk(path) for path in self.unsaved}
            self._impact = now, self.workspace.impact_since(saved, texts)
        return self._impact[1]

    def close(self) -> None:
        """Let go of everything; what still runs is not waited for."""
        self.linting.close()
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)
