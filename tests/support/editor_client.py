"""An editor for tests: a client of the language server, which it starts and ends."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.uris import from_fs_path
from pytest_lsp import LanguageClient, make_test_lsp_client

Answer = TypeVar("Answer")

PATIENCE = 60.0
"""How many seconds a test waits for what must come."""
CAPABILITIES = types.ClientCapabilities(
    window=types.WindowClientCapabilities(
        work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
    ),
    workspace=types.WorkspaceClientCapabilities(apply_edit=True),
)


class EditorClient:
    """What an editor does with files of one or more folders."""

    def __init__(self, client: LanguageClient, roots: list[Path]) -> None:
        self.client = client
        self.root = roots[0]
        self._versions: dict[str, int] = {}
        self.edits: list[types.WorkspaceEdit] = []
        self.progress: list[str] = []

    def uri(self, path: str) -> str:
        return from_fs_path(str(self.root / path)) or ""

    def document(self, path: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(path))

    def open(self, path: str, text: str | None = None) -> None:
        """Open a file; an editor shows it without its byte order mark."""
        shown = (self.root / path).read_bytes().decode("utf-8-sig") if text is None else text
        self._versions[path] = 1
        item = types.TextDocumentItem(self.uri(path), "yaml", 1, shown)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, path: str, text: str) -> None:
        """Make the text of an open file another one."""
        self._versions[path] += 1
        document = types.VersionedTextDocumentIdentifier(self._versions[path], self.uri(path))
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    def save(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, encoding="utf-8", newline="")
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(self.document(path)))

    def close(self, path: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document(path)))

    async def hover(self, path: str, line: int, character: int = 2) -> str:
        """What is shown about a line, counted from one."""
        where = types.HoverParams(self.document(path), types.Position(line - 1, character))
        found = await self.client.text_document_hover_async(where)
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def definition(self, path: str, line: int) -> list[str]:
        where = types.DefinitionParams(self.document(path), types.Position(line - 1, 2))
        return self.places(await self.client.text_document_definition_async(where))

    async def references(self, path: str, line: int) -> list[str]:
        context = types.ReferenceContext(include_declaration=False)
        where = types.ReferenceParams(context, self.document(path), types.Position(line - 1, 2))
        return self.places(await self.client.text_document_references_async(where))

    def places(self, found: Any) -> list[str]:
        """Locations as paths from the root with lines counted from one."""
        start = f"{from_fs_path(str(self.root))}/"
        return [f"{each.uri.removeprefix(start)}:{each.range.start.line + 1}" for each in found or ()]

    async def lenses(self, path: str) -> list[tuple[int, str]]:
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(self.document(path)))
        return [(each.range.start.line + 1, each.command.title) for each in found or () if each.command]

    async def completion(self, path: str, line: int, character: int) -> list[str]:
        where = types.CompletionParams(self.document(path), types.Position(line - 1, character))
        found = await self.client.text_document_completion_async(where)
        return [each.label for each in found.items] if isinstance(found, types.CompletionList) else []

    async def actions(self, path: str, line: int) -> list[types.CodeAction]:
        at = types.Range(types.Position(line - 1, 0), types.Position(line - 1, 1))
        asked = types.CodeActionParams(self.document(path), at, types.CodeActionContext([]))
        found = await self.client.text_document_code_action_async(asked)
        return [_as_action(each) for each in found or ()]

    async def diagnostics(self, path: str) -> list[types.Diagnostic]:
        return list(self.client.diagnostics.get(self.uri(path), ()))

    async def eventually(self, ask: Callable[[], Awaitable[Answer]], holds: Callable[[Answer], bool]) -> Answer:
        """What is asked, as soon as it is as it must become."""
        for _ in range(int(PATIENCE / 0.05)):
            found = await ask()
            if holds(found):
                return found
            await asyncio.sleep(0.05)
        raise AssertionError(f"it never came: {found}")


def _as_action(offered: types.CodeAction | types.Command) -> types.CodeAction:
    """An action as the server sent it: lsprotocol takes one that has a command for a command whose name is a text."""
    if isinstance(offered, types.CodeAction):
        return offered
    command = ast.literal_eval(offered.command)
    return types.CodeAction(
        offered.title, command=types.Command(command["title"], command["command"], arguments=command["arguments"])
    )


@asynccontextmanager
async def editor(
    *roots: Path, options: dict[str, Any] | None = None, capabilities: types.ClientCapabilities = CAPABILITIES
) -> AsyncIterator[EditorClient]:
    """An editor with folders open; afterwards the server has ended by itself."""
    client = make_test_lsp_client()
    found = EditorClient(client, list(roots))

    @client.feature(types.WORKSPACE_APPLY_EDIT)  # type: ignore[untyped-decorator]
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        found.edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    await client.start_io(sys.executable, "-m", "lamina", "lsp", "--stdio", env=dict(os.environ))
    folders = [types.WorkspaceFolder(from_fs_path(str(each)) or "", each.name) for each in roots]
    params = types.InitializeParams(
        capabilities, process_id=os.getpid(), workspace_folders=folders, initialization_options=options
    )
    try:
        await client.initialize_session(params)
        yield found
    finally:
        await asyncio.wait_for(client.shutdown_session(), PATIENCE)
        await client.stop()  # type: ignore[no-untyped-call]
