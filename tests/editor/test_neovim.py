"""Neovim asks the language server: hover, a definition in another file, diagnostics, and an action that edits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from support.debian_neovim import neovim

SCRIPT = Path(__file__).with_name("neovim.lua")
FILES = {
    "lamina.toml": '[targets.web]\ndialect = "cloud-init"\ninputs = ["base.yaml", "web.yaml"]\n'
    '[targets.db]\ndialect = "cloud-init"\ninputs = ["base.yaml"]\n',
    "base.yaml": "#cloud-config\nhostname: base\ntimezone: UTC\n",
    "web.yaml": "#cloud-config\nhostname: web\npackages: [nginx]\n",
}


def test_neovim_hovers_goes_to_definitions_and_applies_an_action(tmp_path: Path) -> None:
    folder, answers = tmp_path / "project", tmp_path / "answers.json"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    given = {"LAMINA_PYTHON": sys.executable, "LAMINA_FOLDER": str(folder), "LAMINA_ANSWERS": str(answers)}
    own = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    command = [neovim(), "--headless", "--clean", "-c", f"luafile {SCRIPT}"]
    subprocess.run(command, env={**os.environ, **given, **own}, check=True, timeout=300, capture_output=True)
    found = json.loads(answers.read_text())
    assert "problem" not in found, found
    assert '`"web"` in web' in found["hover"]
    assert found["definition"] == {"uri": (folder / "web.yaml").as_uri(), "line": 2}
    assert found["action"] == "Lamina: use this value in web"
    assert found["edited"][:2] == ["#cloud-config", "hostname: base"]
    assert found["diagnostics"]
    assert (folder / "web.yaml").read_text() == FILES["web.yaml"]  # editors save what they edit
