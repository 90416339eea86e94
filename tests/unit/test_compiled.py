"""Which compiled twins there are, and doing without them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lamina
from lamina._support.native import TWINS

ROOT = Path(lamina.__file__).parent


def test_every_c_file_is_a_twin() -> None:
    files = {path.relative_to(ROOT.parent).with_suffix("") for path in ROOT.rglob("_*.c")}
    assert {".".join(path.parts) for path in files} == set(TWINS)


@pytest.mark.parametrize("pure", ["", "1"])
def test_the_version_tells_whether_they_are_there(pure: str) -> None:
    environment = {**os.environ, "LAMINA_PURE": pure}
    command = [sys.executable, "-m", "lamina", "--version"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    built = "from lamina._support.native import missing; print('pure Python' if missing() else 'compiled')"
    found = subprocess.run([sys.executable, "-c", built], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(f"({found.stdout.strip()})")
    assert pure == "" or "pure Python" in done.stdout
