"""The scripts of the page are JavaScript without syntax errors, read one by one."""

from __future__ import annotations

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from browser import chromium

PAGE = Path(str(files("lamina.views.report"))) / "page"


@pytest.mark.parametrize("path", sorted(PAGE.glob("*.js")), ids=lambda path: path.name)
def test_node_reads_every_script(path: Path) -> None:
    if shutil.which("node") is None:
        chromium.need()
    subprocess.run(["node", "--check", path], check=True)
