"""With CI set, a skipped test fails the session unless its reason is allowed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
BODIES = {
    "runs": ("def test_it(): pass", 0),
    "skipped": ("import pytest\n@pytest.mark.skip(reason='not now')\ndef test_it(): pass", 1),
    "inside": ("import pytest\ndef test_it(): pytest.skip('not now')", 1),
    "module": ("import pytest\npytest.importorskip('nowhere_to_be_found')\ndef test_it(): pass", 1),
    "platform": ("import pytest\n@pytest.mark.skip(reason='not Linux: no /proc')\ndef test_it(): pass", 0),
    "xfail": ("import pytest\n@pytest.mark.xfail(strict=True)\ndef test_it(): assert False", 0),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("processes", ["0", "1"])
def test_skipped_tests_fail_in_ci(name: str, processes: str, tmp_path: Path) -> None:
    body, status = BODIES[name]
    (tmp_path / "test_it.py").write_text(body + "\n")
    (tmp_path / "test_other.py").write_text("def test_other(): pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "support.skips", "-n", processes]
    for ci, expected in (("", 0), ("true", status)):
        environment = {**os.environ, "CI": ci, "PYTHONPATH": str(TESTS)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == expected, done.stdout
        assert ("CI does not allow" in done.stdout) is bool(expected)
