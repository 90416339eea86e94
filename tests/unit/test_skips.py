"""Reasons for skipping are listed; with CI set, a skipped test fails the session unless its reason is allowed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ALLOWED = {
    "runs": "def test_it(): pass",
    "platform": "import pytest\n@pytest.mark.skip(reason='not Linux: no /proc')\ndef test_it(): pass",
    "xfail": "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_it(): assert False",
}
NOT_ALLOWED = {
    "marked": "import pytest\n@pytest.mark.skip(reason='not now')\ndef test_it(): pass",
    "inside": "import pytest\ndef test_it(): pytest.skip('not now')",
    "module": "import pytest\npytest.importorskip('nowhere_to_be_found')\ndef test_it(): pass",
}


def session(folder: Path, bodies: dict[str, str], ci: str, processes: str = "0") -> tuple[int, str]:
    for name, body in bodies.items():
        (folder / f"test_{name}.py").write_text(body + "\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "support.skips", "-n", processes]
    environment = {**os.environ, "CI": ci, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_without_ci_a_test_may_be_skipped(tmp_path: Path) -> None:
    status, output = session(tmp_path, {**ALLOWED, **NOT_ALLOWED}, "")
    assert status == 0
    assert "2 skipped: not now\n" in output  # two tests, one line
    assert "1 skipped: not Linux: no /proc\n" in output


def test_what_ci_allows(tmp_path: Path) -> None:
    assert session(tmp_path, ALLOWED, "true")[0] == 0


@pytest.mark.parametrize("processes", ["0", "1"])
def test_what_ci_does_not_allow_is_named(tmp_path: Path, processes: str) -> None:
    status, output = session(tmp_path, {**ALLOWED, **NOT_ALLOWED}, "true", processes)
    listed = output.partition("CI does not allow")[2]
    assert status == 1
    assert {name for name in (*ALLOWED, *NOT_ALLOWED) if f"test_{name}.py" in listed} == NOT_ALLOWED.keys()
