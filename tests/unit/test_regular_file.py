"""Reading a regular file at once: its bytes, and None for whatever else."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from lamina.sources.source import whole_file

MOST = 1000
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="not Linux")


@pytest.mark.parametrize("data", [b"a", b"a: 1\n", b"\0\xff" * 500])
def test_a_regular_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    assert whole_file(str(tmp_path / "file"), MOST) == data
    assert whole_file(str(tmp_path / "file"), len(data)) == data
    assert whole_file(str(tmp_path / "file"), len(data) - 1) is None


def test_a_name_that_is_not_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.yml")
    (tmp_path / name).write_bytes(b"a")
    assert whole_file(str(tmp_path / name), MOST) == b"a"
    assert whole_file(str(tmp_path / "a\0b"), MOST) is None


def test_what_takes_a_closer_look(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "file").write_bytes(b"a")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name in ("empty", "link", "pipe", "socket", "missing", "file/inside", "."):
            assert whole_file(str(tmp_path / name), MOST) is None, name
    assert whole_file("/dev/zero", MOST) is None


def test_the_descriptor_is_closed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a")
    os.mkfifo(tmp_path / "pipe")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for name in ("file", "pipe", "missing"):
        whole_file(str(tmp_path / name), MOST)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
