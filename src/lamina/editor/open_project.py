"""A project that is open in an editor: a workspace that follows what is typed, asked in threads of its own.

Whatever takes time is done in one of two threads, so that the loop which reads and writes messages is always free: one
applies edits, one answers. Messages are sent from the loop only.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from pygls import uris

from lamina.editor.file_text import FileText
from lamina.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final

    from lsprotocol import types

    from lamina.origins import Origin
    from lamina.project.project import Project
    from lamina.workspace.line_uses import LineUse

Answer = TypeVar("Answer")

_BOM: Final = b"\xef\xbb\xbf"


class OpenProject:
    """One project, and which of its files are open."""

    def __init__(self, project: Project, encoding: types.PositionEncodingKind | str | None) -> None:
        self.root = project.root
        self.workspace = Workspace(project)
        self.open: dict[str, str] = {}
        """The URIs of open files, as the editor wrote them, by their paths from the root."""
        self.unsaved: set[str] = set()
        self._encoding = encoding
        self._readers = ThreadPoolExecutor(1, "lamina reader")
        self._writers = ThreadPoolExecutor(1, "lamina writer")

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

    def location(self, origin: Origin) -> types.Location | None:
        """An origin as a location; None if it is in no file of the project."""
        from lsprotocol import types

        path = self.workspace.path_of(origin)
        return None if path is None else types.Location(self.uri_of(path), self.text_of(path).at(origin))

    def typed(self, path: str, text: str) -> bytes:
        """What the file will be when this text is saved: editors leave out a byte order mark, and write it again."""
        data = text.encode("utf-8", "surrogatepass")
        known = self.workspace.file(path)
        has_mark = known is not None and known.data.startswith(_BOM)
        return _BOM + data if has_mark and not data.startswith(_BOM) else data

    async def answer(self, work: Callable[..., Answer], *given: Any) -> Answer:
        """What work gives that only looks."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, work, *given)

    async def change(self, work: Callable[..., Answer], *given: Any) -> Answer:
        """What work gives that changes files of the workspace."""
        return await asyncio.get_running_loop().run_in_executor(self._writers, work, *given)

    def update(self, texts: Mapping[str, bytes | None]) -> Any:
        """Change files of the workspace."""
        return self.workspace.update(texts)

    def close(self) -> None:
        """Let go of everything; what still runs is not waited for."""
        self._readers.shutdown(wait=False, cancel_futures=True)
        self._writers.shutdown(wait=False, cancel_futures=True)
