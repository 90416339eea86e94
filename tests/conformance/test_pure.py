"""All golden cases again without the C extensions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases"


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted(folder.name for folder in CASES.iterdir() if folder.is_dir()))
def test_cases_without_c_extensions(folder: str) -> None:
    environment = {**os.environ, "LAMINA_PURE": "1"}
    command = [sys.executable, "-m", "lamina.conformance", str(CASES / folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "0 failed" in done.stdout
    assert not done.stdout.startswith("0 passed")
