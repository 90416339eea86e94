"""The server: which request is answered by which module, and what is sent when.

The loop of the protocol reads and writes; it never waits for work, and nothing is written from another thread. An edit
is applied after a short pause in typing, then the diagnostics of the open files follow, unless the text has changed
again meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from lamina.editor.definition import definition
from lamina.editor.diagnostics import diagnostics
from lamina.editor.hover import hover
from lamina.editor.open_project import OpenProject
from lamina.editor.parent import end_with_parent
from lamina.editor.references import references
from lamina.errors import LaminaError
from lamina.project.folder_project import discover
from lamina.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_PAUSE: Final = 0.05
"""How many seconds without a further edit end a burst of typing."""


class EditorServer(LanguageServer):
    """The language server, with the projects of the folders that are open."""

    def __init__(self) -> None:
        super().__init__("lamina", VERSION)
        self.projects: list[OpenProject] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._edits: dict[str, bytes | None] = {}
        """What was typed and is not in the workspace yet, by URI."""
        self.loading: set[asyncio.Task[None]] = set()
        """The folders that are being opened; requests wait for them."""

    def project_of(self, uri: str) -> tuple[OpenProject, str] | None:
        """The innermost project that a file is in, and its path there."""
        found = [(each, path) for each in self.projects if (path := each.path_of(uri)) is not None]
        return max(found, key=lambda each: len(each[0].root), default=None)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something beside answering requests; what goes wrong is logged, since nobody waits for it."""

        async def done() -> None:
            try:
                await work
            except asyncio.CancelledError:
                raise
            except LaminaError as error:
                self.log(str(error))
            except Exception:
                logging.getLogger(__name__).exception("a defect of Lamina's")

        task = asyncio.get_running_loop().create_task(done())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def start_folder(self, uri: str) -> None:
        """Open a folder; requests wait until it is there."""
        task = self.start(self.open_folder(uri))
        self.loading.add(task)
        task.add_done_callback(self.loading.discard)

    def log(self, text: str) -> None:
        """Write to the log that the editor keeps."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Warning, text))

    async def open_folder(self, uri: str) -> None:
        """Load the projects of a folder, and say how far that is."""
        folder = uris.to_fs_path(uri)
        if folder is None:
            return
        encoding = self.workspace.position_encoding
        known = {each.root for each in self.projects}
        found = await asyncio.to_thread(discover, folder)
        for project in found:
            if project.root in known:
                continue
            opened = await asyncio.to_thread(OpenProject, project, encoding)
            self.projects.append(opened)
            token = f"lamina-{len(self.projects)}"
            progress = self.client_capabilities.window
            shows = progress is not None and bool(progress.work_done_progress)
            if shows:
                await self.work_done_progress.create_async(token)
                self.work_done_progress.begin(token, types.WorkDoneProgressBegin(f"Lamina: rendering {folder}"))
            await opened.change(opened.workspace.load)
            if shows:
                count = len(opened.workspace.targets)
                self.work_done_progress.end(token, types.WorkDoneProgressEnd(message=f"{count:,} targets"))
        for document in list(self.workspace.text_documents.values()):
            self.opened(document.uri)

    def opened(self, uri: str) -> None:
        """A file is open: it counts with the text that the editor shows."""
        found = self.project_of(uri)
        if found is not None:
            project, path = found
            project.open[path] = uri
            self.typed(uri)

    def closed(self, uri: str) -> None:
        """A file is closed: it counts as it is on disk."""
        found = self.project_of(uri)
        if found is not None:
            project, path = found
            project.open.pop(path, None)
            project.unsaved.discard(path)
            self._edits.pop(uri, None)
            self.start(self._refresh(project, [path]))

    def typed(self, uri: str) -> None:
        """Apply the text of a file soon; a later edit of it comes in its place."""
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        loop = asyncio.get_running_loop()
        self._waiting[uri] = loop.call_later(_PAUSE, lambda: self.start(self.settle()))

    async def settle(self) -> None:
        """Apply all edits that wait."""
        waiting, self._waiting = self._waiting, {}
        touched: dict[OpenProject, dict[str, bytes | None]] = {}
        for uri, timer in waiting.items():
            timer.cancel()
            found, document = self.project_of(uri), self.workspace.text_documents.get(uri)
            if found is not None and document is not None:
                project, path = found
                touched.setdefault(project, {})[path] = project.typed(path, document.source)
        for project, texts in touched.items():
            try:
                await project.change(project.update, texts)
            except LaminaError as error:
                self.log(str(error))
            await self.report(project)

    async def _refresh(self, project: OpenProject, paths: list[str]) -> None:
        await project.change(project.workspace.refresh, paths)
        await self.report(project)

    async def report(self, project: OpenProject) -> None:
        """Send the diagnostics of the open files of a project."""
        for path, uri in list(project.open.items()):
            document = self.workspace.text_documents.get(uri)
            version = document.version if document is not None else None
            found = await project.answer(lambda path=path: diagnostics(project, path, project.workspace.findings(path)))
            if document is not None and document.version == version and project.open.get(path) == uri:
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


def make_server() -> EditorServer:
    """A server with all it can do."""
    server = EditorServer()

    @server.feature(types.INITIALIZED)
    async def initialized(ls: EditorServer, params: types.InitializedParams) -> None:  # noqa: ARG001 - the protocol's
        end_with_parent(ls.process_id)
        for uri in list(ls.workspace.folders):
            ls.start_folder(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(ls: EditorServer, params: types.DidOpenTextDocumentParams) -> None:
        ls.opened(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(ls: EditorServer, params: types.DidChangeTextDocumentParams) -> None:
        ls.typed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(ls: EditorServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(ls: EditorServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.added:
            ls.start_folder(folder.uri)

    _at_position(server, types.TEXT_DOCUMENT_HOVER, hover)
    _at_position(server, types.TEXT_DOCUMENT_DEFINITION, definition)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def find_references(ls: EditorServer, params: types.ReferenceParams) -> list[types.Location] | None:
        def found(project: OpenProject, path: str) -> list[types.Location]:
            return references(project, path, params.position, with_itself=params.context.include_declaration)

        places: list[types.Location] | None = await _answered(ls, params.text_document.uri, found)
        return places

    return server


def _at_position(server: EditorServer, feature: str, answer: Callable[[OpenProject, str, types.Position], Any]) -> None:
    @server.feature(feature)
    async def answered(ls: EditorServer, params: types.TextDocumentPositionParams) -> Any:
        return await _answered(
            ls, params.text_document.uri, lambda project, path: answer(project, path, params.position)
        )


async def _answered(ls: EditorServer, uri: str, work: Callable[[OpenProject, str], Any]) -> Any:
    """What a module answers about a file; None for a file of no project, and where there is nothing to say."""
    if ls.loading:
        await asyncio.wait(ls.loading)
    await ls.settle()
    found = ls.project_of(uri)
    if found is None:
        return None
    project, path = found
    try:
        return await project.answer(work, project, path)
    except LaminaError as error:
        ls.log(str(error))
        return None
