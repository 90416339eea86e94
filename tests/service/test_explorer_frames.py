"""Who may show the page of the explorer inside of another one: nobody, or editors if that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from lamina.service.explorer.application import explorer
from lamina.service.settings import ServerSettings
from lamina.workspace.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("embedded", "expected"), [(False, "frame-ancestors 'none'"), (True, "vscode-webview:")])
def test_only_editors_and_only_if_asked(embedded: bool, expected: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n")
    (tmp_path / "lamina.toml").write_text('[targets.a]\ndialect = "layers"\ninputs = ["a.yaml"]\n')
    settings = ServerSettings(embedded=embedded)
    with Workspace(tmp_path) as workspace, explorer(workspace, "a", settings) as application:
        answer = TestClient(application).get("/", headers={"Accept": "text/html"})
    assert answer.status_code == 200
    assert expected in answer.headers["Content-Security-Policy"]
    assert ("'none'" in answer.headers["Content-Security-Policy"].partition("frame-ancestors")[2]) is not embedded
