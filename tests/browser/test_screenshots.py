"""The pictures in the manual are made here; they are written to the manual only if LAMINA_UPDATE is set."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from browser import chromium

SCREENSHOTS = Path(__file__).parents[2] / "docs/screenshots"


def test_the_script_makes_every_picture(tmp_path: Path) -> None:
    chromium.need(*chromium.FONTS)
    subprocess.run([sys.executable, SCREENSHOTS / "make", tmp_path], check=True)
    if os.environ.get("LAMINA_UPDATE"):
        for path in tmp_path.iterdir():
            shutil.copy(path, SCREENSHOTS)
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {path.name for path in SCREENSHOTS.glob("*.png")}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in tmp_path.iterdir())
