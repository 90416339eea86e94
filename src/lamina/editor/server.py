"""The server: which request is answered by which module, and what is sent when.

The loop of the protocol reads and writes; it never waits for work, and nothing is written from another thread. An edit
is applied after a short pause in typing, then the diagnostics of the open files follow, and lint after a longer one,
unless the text has changed again meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from lamina.editor.completion import completion
from lamina.editor.definition import definition
from lamina.editor.diagnostics import diagnostic_of, diagnostics
from lamina.editor.hover import hover
from lamina.editor.lenses import SHOW_IMPACT, SHOW_WINNER, lenses
from lamina.editor.open_project import EditorSettings, OpenProject
from lamina.editor.outline import outline
from lamina.editor.parent import end_with_parent
from lamina.editor.quick_fixes import SET, proposed, quick_fixes
from lamina.editor.references import references
from lamina.errors import LaminaError, Severity
from lamina.project.folder_project import discover
from lamina.version import VERSION
from lamina.views.compat_check import CODE as COMPAT

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_PAUSE: Final = 0.05
"""How many seconds without a further edit end a burst of typing."""
_LINT_PAUSE: Final = 0.4
"""How many more pass before a file is linted."""
_WAIT: Final = 0.5
"""How many seconds an answer waits for an edit that is being applied; then it is about what was before."""


class EditorServer(LanguageServer):
    """The language server, with the projects of the folders that are open."""

    def __init__(self) -> None:
        super().__init__("lamina", VERSION)
        self.projects: list[OpenProject] = []
        self.settings = EditorSettings()
        self.loading: set[asyncio.Task[None]] = set()
        """The folders that are being opened; requests wait for them."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        """The files whose text is not in the workspace yet, by URI."""
        self._lints: dict[str, asyncio.TimerHandle] = {}
        self._applying: set[asyncio.Task[None]] = set()
        self._has_errors: set[str] = set()
        """Files that are not open and have errors listed."""

    def project_of(self, uri: str) -> tuple[OpenProject, str] | None:
        """The innermost project that a file is in, and its path there."""
        found = [(each, path) for each in self.projects if (path := each.path_of(uri)) is not None]
        return max(found, key=lambda each: len(each[0].root), default=None)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something beside answering requests; what goes wrong is logged, since nobody waits for it."""

        async def done() -> None:
            try:
                await work
            except LaminaError as error:
                self.log(str(error))
            except Exception:
                logging.getLogger(__name__).exception("a defect of Lamina's")

        task = asyncio.get_running_loop().create_task(done())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def log(self, text: str) -> None:
        """Write to the log that the editor keeps."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Warning, text))

    def open_folder(self, uri: str) -> None:
        """Open the projects of a folder; requests wait until they are there."""
        task = self.start(self._open_folder(uri))
        self.loading.add(task)
        task.add_done_callback(self.loading.discard)

    async def _open_folder(self, uri: str) -> None:
        folder = uris.to_fs_path(uri)
        if folder is None:
            return
        encoding, known = self.workspace.position_encoding, {each.root for each in self.projects}
        for project in await asyncio.to_thread(discover, folder):
            if project.root not in known:
                opened = await asyncio.to_thread(OpenProject, project, self.settings, encoding)
                await self._load(opened)
                self.projects.append(opened)
        for document in list(self.workspace.text_documents.values()):
            self.opened(document.uri)

    async def _load(self, project: OpenProject) -> None:
        """Render all targets, and say how far that is."""
        began = monotonic()
        token = f"lamina {project.root}"
        shows = await self._can_show(token)
        if shows:
            self.work_done_progress.begin(
                token, types.WorkDoneProgressBegin("Lamina", message="rendering", percentage=0)
            )
        names = await project.writes(lambda: project.workspace.targets)
        for number, name in enumerate(names):
            await project.writes(project.workspace.last_good, name)
            if shows and number % max(1, len(names) // 50) == 0:
                done = types.WorkDoneProgressReport(message=name, percentage=number * 100 // len(names))
                self.work_done_progress.report(token, done)
        await project.writes(project.workspace.seen)
        self.show_status(project, monotonic() - began)
        if shows:
            self.work_done_progress.end(token, types.WorkDoneProgressEnd(message=f"{len(names):,} targets"))

    def show_status(self, project: OpenProject, seconds: float) -> None:
        """Say how many targets there are and how long rendering took, to an editor that asked for it."""
        if project.settings.status:
            outcomes = project.workspace.seen().outcomes
            failed = sum(each.failed for each in outcomes)
            state = {"targets": len(outcomes), "failed": failed, "milliseconds": round(seconds * 1000)}
            self.protocol.notify("lamina/status", state)

    async def _can_show(self, token: str) -> bool:
        """Whether the editor shows how far something is."""
        window = self.client_capabilities.window
        if window is None or not window.work_done_progress:
            return False
        try:
            await self.work_done_progress.create_async(token)
        except JsonRpcException:
            return False
        return True

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
            for kept in (project.open, project.versions, project.fixes, project.linted):
                kept.pop(path, None)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
            self.start(self.refresh(project, [path]))

    def typed(self, uri: str) -> None:
        """Apply the text of a file soon; a later edit of it comes in its place."""
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        self._waiting[uri] = asyncio.get_running_loop().call_later(_PAUSE, self.apply)

    def apply(self) -> None:
        """Apply all edits that wait."""
        waiting, self._waiting = self._waiting, {}
        touched: dict[OpenProject, list[str]] = {}
        for uri, timer in waiting.items():
            timer.cancel()
            found = self.project_of(uri)
            if found is not None:
                touched.setdefault(found[0], []).append(uri)
        for project, changed in touched.items():
            task = self.start(self._apply(project, changed))
            self._applying.add(task)
            task.add_done_callback(self._applying.discard)

    async def _apply(self, project: OpenProject, changed: list[str]) -> None:
        documents = self.workspace.text_documents
        texts = {path: documents[uri] for path, uri in project.open.items() if uri in changed and uri in documents}
        project.versions.update({path: document.version or 0 for path, document in texts.items()})
        began = monotonic()
        await project.writes(
            project.update, {path: project.typed(path, document.source) for path, document in texts.items()}
        )
        self.show_status(project, monotonic() - began)
        self.start(self.report(project))
        for path in texts if project.settings.lint else ():
            self._lint_soon(project, path)

    async def settled(self) -> None:
        """Wait for edits that are being applied, not for long."""
        if self.loading:
            await asyncio.wait(self.loading)
        self.apply()
        if self._applying:
            await asyncio.wait(self._applying, timeout=_WAIT)

    async def refresh(self, project: OpenProject, paths: list[str]) -> None:
        """Take over what was saved."""
        await project.writes(project.refresh, paths)
        await self.report(project)

    async def report(self, project: OpenProject) -> None:
        """Send what is found in the open files of a project, and the errors in others."""
        versions = dict(project.versions)
        for path, uri in list(project.open.items()):
            found = await project.reads(_rendering_diagnostics, project, path)
            if project.open.get(path) == uri and self._version(uri) in (None, versions.get(path)):
                merged = _merged(found, project.linted.get(path, []))
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, merged, versions.get(path)))
        errors = await project.reads(_errors_elsewhere, project)
        for uri in self._has_errors - errors.keys():
            if uri not in project.open.values():
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        for uri, found in errors.items():
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))
        self._has_errors = set(errors)
        workspace = self.client_capabilities.workspace
        lens = workspace.code_lens if workspace is not None else None
        if lens is not None and lens.refresh_support:
            await self.workspace_code_lens_refresh_async(None)

    def _version(self, uri: str) -> int | None:
        document = self.workspace.text_documents.get(uri)
        return document.version if document is not None else None

    def _lint_soon(self, project: OpenProject, path: str) -> None:
        """Lint a file after a pause; a later edit comes in its place."""
        uri = project.uri_of(path)
        waiting = self._lints.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        loop = asyncio.get_running_loop()
        self._lints[uri] = loop.call_later(_LINT_PAUSE, lambda: self.start(self._lint(project, path, uri)))

    async def _lint(self, project: OpenProject, path: str, uri: str) -> None:
        version = project.versions.get(path)
        texts = {each: project.text_of(each).text.encode("utf-8", "surrogatepass") for each in project.unsaved}
        found = await project.lints(project.linting.findings, path, texts)
        if project.open.get(path) != uri or self._version(uri) != version:
            return  # it is linted again
        shown = [
            (diagnostic_of(project, path, each.note, each.targets), each.edit)
            for each in found
            if each.note.code != COMPAT or project.settings.compat
        ]
        project.linted[path] = [diagnostic for diagnostic, _ in shown]
        project.fixes[path] = [(diagnostic, edit) for diagnostic, edit in shown if edit is not None]
        await self.report(project)

    def close(self) -> None:
        """End all that works for projects."""
        for project in self.projects:
            project.close()


def _rendering_diagnostics(project: OpenProject, path: str) -> list[types.Diagnostic]:
    found = project.workspace.findings(path)
    shown = [each for each in found if each.entry.code != COMPAT or project.settings.compat]
    return diagnostics(project, path, shown)


def _errors_elsewhere(project: OpenProject) -> dict[str, list[types.Diagnostic]]:
    """The errors in files that are not open, by URI."""
    paths: dict[str, None] = {}
    for outcome in project.workspace.seen().outcomes:
        for note in outcome.findings:
            path = project.workspace.path_of(note.at) if note.at and note.severity is Severity.ERROR else None
            if path is not None and path not in project.open:
                paths[path] = None
    found = {}
    for path in paths:
        errors = [each for each in project.workspace.findings(path) if each.entry.severity is Severity.ERROR]
        found[project.uri_of(path)] = diagnostics(project, path, errors)
    return found


def _merged(rendering: list[types.Diagnostic], linted: list[types.Diagnostic]) -> list[types.Diagnostic]:
    """What rendering says and what lint says, which repeats that."""
    known = {(each.code, each.range.start.line) for each in rendering}
    return [*rendering, *(each for each in linted if (each.code, each.range.start.line) not in known)]


def make_server() -> EditorServer:
    """A server with all it can do."""
    server = EditorServer()
    _follow_files(server)
    _at_position(server, types.TEXT_DOCUMENT_HOVER, hover)
    _at_position(server, types.TEXT_DOCUMENT_DEFINITION, definition)
    _at_position(server, types.TEXT_DOCUMENT_COMPLETION, completion)
    _of_file(server, types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, outline)
    _of_file(server, types.TEXT_DOCUMENT_CODE_LENS, lenses)
    _find(server)
    _commands(server)
    return server


def _follow_files(server: EditorServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: EditorServer, params: types.InitializeParams) -> None:
        ls.settings = EditorSettings.of(params.initialization_options)

    @server.feature(types.INITIALIZED)
    async def initialized(ls: EditorServer, params: types.InitializedParams) -> None:  # noqa: ARG001 - the protocol's
        end_with_parent(ls.process_id)
        for uri in list(ls.workspace.folders) or [uri for uri in [ls.workspace.root_uri] if uri]:
            ls.open_folder(uri)
        workspace = ls.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is not None and watched.dynamic_registration:
            every = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
            wanted = types.Registration("watched files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, every)
            await ls.client_register_capability_async(types.RegistrationParams([wanted]))

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: EditorServer, *_: Any) -> None:
        ls.close()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(ls: EditorServer, params: types.DidOpenTextDocumentParams) -> None:
        ls.opened(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(ls: EditorServer, params: types.DidChangeTextDocumentParams) -> None:
        ls.typed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(ls: EditorServer, params: types.DidSaveTextDocumentParams) -> None:
        ls.typed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(ls: EditorServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def did_change_files(ls: EditorServer, params: types.DidChangeWatchedFilesParams) -> None:
        changed: dict[OpenProject, list[str]] = {}
        for event in params.changes:
            found = ls.project_of(event.uri)
            if found is not None and not found[1].startswith(".git/"):
                changed.setdefault(found[0], []).append(found[1])
        for project, paths in changed.items():
            ls.start(ls.refresh(project, paths))

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(ls: EditorServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            root = uris.to_fs_path(folder.uri)
            gone = [each for each in ls.projects if root is not None and each.root == os.path.realpath(root)]
            for project in gone:
                ls.projects.remove(project)
                project.close()
        for folder in params.event.added:
            ls.open_folder(folder.uri)


def _find(server: EditorServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def find_references(ls: EditorServer, params: types.ReferenceParams) -> list[types.Location] | None:
        def found(project: OpenProject, path: str) -> list[types.Location]:
            return references(project, path, params.position, with_itself=params.context.include_declaration)

        places: list[types.Location] | None = await _answered(ls, params.text_document.uri, found)
        return places

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    async def actions(ls: EditorServer, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        def found(project: OpenProject, path: str) -> list[types.CodeAction]:
            return quick_fixes(project, path, params.range)

        offered: list[types.CodeAction] | None = await _answered(ls, params.text_document.uri, found)
        return offered


def _commands(server: EditorServer) -> None:
    @server.command(SHOW_IMPACT)
    async def show_impact(ls: EditorServer, uri: str) -> str | None:
        from lamina.views.diff.text import as_text

        text: str | None = await _answered(ls, uri, lambda project, _: as_text(project.impact().differences))
        if text is not None:
            with tempfile.NamedTemporaryFile("w", suffix=".diff", prefix="lamina-impact-", delete=False) as file:
                file.write(text)
            await ls.window_show_document_async(types.ShowDocumentParams(uris.from_fs_path(file.name) or ""))
        return text

    @server.command(SHOW_WINNER)
    async def show_winner(ls: EditorServer, uri: str, line: int) -> list[types.Location] | None:
        def found(project: OpenProject, path: str) -> list[types.Location]:
            return definition(project, path, types.Position(line, 0))

        places: list[types.Location] | None = await _answered(ls, uri, found)
        for place in (places or [])[:1]:
            await ls.window_show_document_async(
                types.ShowDocumentParams(place.uri, take_focus=True, selection=place.range)
            )
        return places

    @server.command(SET)
    async def set_value(
        ls: EditorServer, uri: str, line: int, where: str, targets: list[str], text: str | None
    ) -> str | None:
        found = ls.project_of(uri)
        if found is None:
            return None
        await ls.settled()
        project, path = found
        edit = await project.writes(proposed, project, path, line, where, targets, text)
        if isinstance(edit, str):
            ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Lamina: {edit}"))
            return edit
        await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, "Lamina: set"))
        return None


def _at_position(server: EditorServer, feature: str, answer: Callable[[OpenProject, str, types.Position], Any]) -> None:
    @server.feature(feature)
    async def answered(ls: EditorServer, params: types.TextDocumentPositionParams) -> Any:
        return await _answered(
            ls, params.text_document.uri, lambda project, path: answer(project, path, params.position)
        )


def _of_file(server: EditorServer, feature: str, answer: Callable[[OpenProject, str], Any]) -> None:
    @server.feature(feature)
    async def answered(ls: EditorServer, params: types.DocumentSymbolParams | types.CodeLensParams) -> Any:
        return await _answered(ls, params.text_document.uri, answer)


async def _answered(ls: EditorServer, uri: str, work: Callable[[OpenProject, str], Any]) -> Any:
    """What a module answers about a file; None for a file of no project, and where there is nothing to say."""
    await ls.settled()
    found = ls.project_of(uri)
    if found is None:
        return None
    project, path = found
    try:
        return await project.reads(work, project, path)
    except LaminaError as error:
        ls.log(str(error))
        return None
