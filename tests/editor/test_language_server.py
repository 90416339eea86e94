"""The language server as an editor meets it: a process, messages, and files that are typed in and not saved."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types

from support.editor_client import EditorClient, editor

EXAMPLE = Path(__file__).parents[2] / "examples" / "hiera"
LAYERS = {
    "lamina.toml": '[targets.web]\ndialect = "cloud-init"\ninputs = ["base.yaml", "web.yaml"]\n'
    '[targets.db]\ndialect = "cloud-init"\ninputs = ["base.yaml", "db.yaml"]\n',
    "base.yaml": "#cloud-config\nhostname: base\ntimezone: UTC\n",
    "web.yaml": "#cloud-config\nhostname: web\n",
    "db.yaml": "#cloud-config\npackages: [postgresql]\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two machines with a common layer."""
    for name, text in LAYERS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def in_editor(*roots: Path, options: dict[str, object] | None = None) -> Callable[..., None]:
    """Run what somebody does in an editor."""

    def run(work: Callable[[EditorClient], Awaitable[None]]) -> None:
        async def session() -> None:
            async with editor(*roots, options=options) as client:
                await work(client)

        asyncio.run(asyncio.wait_for(session(), 240))

    return run


def test_hover_shows_the_value_in_each_target_and_the_layers(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        shown = await client.hover("base.yaml", 2)
        assert "`hostname`" in shown
        assert '`"web"` in web' in shown
        assert '`"base"` in db' in shown
        assert "web.yaml#L2" in shown
        assert await client.hover("base.yaml", 1) == ""


def test_hover_withholds_secrets(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "hiera")

    @in_editor(tmp_path / "hiera")
    async def _(client: EditorClient) -> None:
        client.open("data/common.yaml")
        shown = await client.hover("data/common.yaml", 13)
        assert "bakery::api\\_token" in shown or "bakery::api_token" in shown
        assert "not-a-real-token" not in shown


def test_definition_leads_to_the_winner_and_from_there_to_what_it_replaced(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        assert await client.definition("base.yaml", 2) == ["web.yaml:2"]
        assert await client.definition("web.yaml", 2) == ["base.yaml:2"]
        assert await client.references("base.yaml", 2) == ["web.yaml:2"]


def test_what_is_typed_counts_before_it_is_saved(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        client.type("base.yaml", LAYERS["base.yaml"].replace("UTC", "CET"))
        assert '"CET"' in await client.hover("base.yaml", 3)
        found = await client.lenses("base.yaml")
        assert found[0] == (1, "Lamina: changes 1 value in 2 of 2 targets")
        client.save("base.yaml", LAYERS["base.yaml"].replace("UTC", "CET"))
        await client.eventually(lambda: client.lenses("base.yaml"), lambda found: all(line > 1 for line, _ in found))


def test_lenses_are_on_lines_that_do_not_win_everywhere(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        assert await client.lenses("base.yaml") == [(2, "wins in 1 of 2 targets, overridden in web")]

    @in_editor(folder, options={"lenses": False})
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        assert await client.lenses("base.yaml") == []


def test_a_broken_file_answers_from_before_with_its_lines_moved(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "hiera")
    text = (tmp_path / "hiera/data/common.yaml").read_text()

    def errors(found: list[types.Diagnostic]) -> bool:
        return any(each.severity is types.DiagnosticSeverity.Error for each in found)

    @in_editor(tmp_path / "hiera")
    async def _(client: EditorClient) -> None:
        client.open("data/common.yaml")
        client.type("data/common.yaml", f"new: [\n{text}")
        shown = await client.hover("data/common.yaml", 15)
        assert "a target fails now" in shown
        assert "time1.bakery.example" in shown
        await client.eventually(lambda: client.diagnostics("data/common.yaml"), errors)
        client.type("data/common.yaml", text)
        await client.eventually(lambda: client.diagnostics("data/common.yaml"), lambda found: not errors(found))
        assert "a target fails now" not in await client.hover("data/common.yaml", 14)


def test_lint_follows_a_pause_with_its_fix(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        client.type("base.yaml", LAYERS["base.yaml"] + "package_update: 'yes'\nlocale: on\n")
        await client.eventually(lambda: client.diagnostics("base.yaml"), bool)
        client.open("web.yaml")
        client.type("web.yaml", "#cloud-config\nhostname: web\ntimezone: UTC\n")
        found = await client.eventually(
            lambda: client.diagnostics("web.yaml"), lambda found: any(each.code == "redundant-value" for each in found)
        )
        line = next(each.range.start.line for each in found if each.code == "redundant-value")
        fixes = [each for each in await client.actions("web.yaml", line + 1) if each.edit is not None]
        assert fixes
        assert fixes[0].edit is not None
        assert fixes[0].edit.changes is not None
        (edit,) = fixes[0].edit.changes[client.uri("web.yaml")]
        assert edit.new_text == ""


def test_a_line_that_is_overridden_can_be_made_to_count(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        offered = [each for each in await client.actions("base.yaml", 2) if each.command is not None]
        assert [each.title for each in offered] == ["Lamina: use this value in web"]
        command = offered[0].command
        assert command is not None
        asked = types.ExecuteCommandParams(command.command, command.arguments)
        assert await client.client.workspace_execute_command_async(asked) is None
        (edit,) = client.edits
        assert edit.document_changes is not None
        change = edit.document_changes[0]
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.uri == client.uri("web.yaml")
        assert isinstance(change.edits[0], types.TextEdit)
        assert change.edits[0].new_text in ("hostname: base\n", "")


def test_completion_knows_keys_of_other_files_and_of_the_system(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("web.yaml")
        client.type("web.yaml", "#cloud-config\nhostname: web\nti\n")
        found = await client.completion("web.yaml", 3, 2)
        assert {"timezone", "packages", "write_files"} <= set(found)
        assert "hostname" not in found
        client.type("web.yaml", "#cloud-config\napt:\n  pro\n")
        assert "proxy" in await client.completion("web.yaml", 3, 5)


def test_the_outline_of_a_file_that_is_broken(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        client.type("base.yaml", "a:\n  b: [\n  c: 1\nd: 2\n")
        await client.hover("base.yaml", 1)
        asked = types.DocumentSymbolParams(client.document("base.yaml"))
        found = await client.client.text_document_document_symbol_async(asked)
        names = [
            (each.name, [one.name for one in each.children or ()])
            for each in found or ()
            if isinstance(each, types.DocumentSymbol)
        ]
        assert names == [("a", ["b", "c"]), ("d", [])]


def test_files_with_marks_and_windows_lines_and_wide_characters(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "hiera")
    common = tmp_path / "hiera/data/common.yaml"
    text = common.read_text().replace("bakery::domain:", "\U0001f600: 1\nbakery::domain:")
    common.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    @in_editor(tmp_path / "hiera")
    async def _(client: EditorClient) -> None:
        client.open("data/common.yaml")
        assert "time1.bakery.example" in await client.hover("data/common.yaml", 15)
        assert all(line > 1 for line, _ in await client.lenses("data/common.yaml"))  # the mark is no edit
        client.type("data/common.yaml", text.replace("\n", "\r\n").replace("vim, ", "vi, "))
        assert "changes" in (await client.lenses("data/common.yaml"))[0][1]


def test_several_folders_and_a_file_of_none(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(EXAMPLE, other / "hiera")
    lost = tmp_path_factory.mktemp("lost") / "lost.yaml"
    lost.write_text("a: 1\n")

    @in_editor(folder, other / "hiera")
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        assert "hostname" in await client.hover("base.yaml", 2)
        client.root = other / "hiera"
        client.open("data/common.yaml")
        assert "time1.bakery.example" in await client.hover("data/common.yaml", 14)
        client.root = lost.parent
        client.open("lost.yaml")
        assert await client.hover("lost.yaml", 1) == ""


def test_a_project_is_loaded_with_progress(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        await client.hover("base.yaml", 2)
        (reports,) = client.client.progress_reports.values()
        assert isinstance(reports[0], types.WorkDoneProgressBegin)
        assert isinstance(reports[-1], types.WorkDoneProgressEnd)


def test_files_that_others_save_are_followed(folder: Path) -> None:
    @in_editor(folder)
    async def _(client: EditorClient) -> None:
        client.open("base.yaml")
        await client.hover("base.yaml", 2)
        (folder / "web.yaml").write_text("#cloud-config\nhostname: other\n")
        event = types.FileEvent(client.uri("web.yaml"), types.FileChangeType.Changed)
        client.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        await client.eventually(lambda: client.hover("base.yaml", 2), lambda shown: '"other"' in shown)


def server() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "lamina", "lsp", "--stdio"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def send(process: subprocess.Popen[bytes], message: dict[str, object]) -> None:
    data = json.dumps({"jsonrpc": "2.0", **message}).encode()
    assert process.stdin is not None
    process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
    process.stdin.flush()


def test_it_ends_when_nothing_can_come_any_more() -> None:
    process = server()
    _, _ = process.communicate(timeout=60)
    assert process.returncode is not None


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_it_ends_with_the_editor_that_started_it(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as client:
        process = server()
        parameters: dict[str, object] = {"processId": client.pid, "rootUri": folder.as_uri(), "capabilities": {}}
        send(process, {"id": 1, "method": "initialize", "params": parameters})
        send(process, {"method": "initialized", "params": {}})
        time.sleep(1)
        assert process.poll() is None
        client.send_signal(signal.SIGKILL)
        client.wait()
        assert process.wait(timeout=60) is not None
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()
