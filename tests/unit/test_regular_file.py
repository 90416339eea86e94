"""Reading a regular file at once, in Python and by the C extension: the same bytes, and None for whatever else."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lamina.sources.regular_file import whole_file_py
from support.allocations import blocks_left_by
from support.c_extensions import extension

if TYPE_CHECKING:
    from collections.abc import Callable

compiled, needs_compiled = extension("lamina.sources._regular_file")
WAYS = [
    pytest.param(whole_file_py, id="python"),
    pytest.param(getattr(compiled, "whole_file", None), id="compiled", marks=needs_compiled),
]
MOST = 1000
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="not Linux")


@pytest.fixture(params=WAYS)
def read(request: pytest.FixtureRequest) -> Callable[[str, int], bytes | None]:
    way: Callable[[str, int], bytes | None] = request.param
    return way


@pytest.mark.parametrize("data", [b"a", b"a: 1\n", b"\0\xff" * 500])
def test_a_regular_file(tmp_path: Path, read: Callable[[str, int], bytes | None], data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    assert read(str(tmp_path / "file"), MOST) == data
    assert read(str(tmp_path / "file"), len(data)) == data
    assert read(str(tmp_path / "file"), len(data) - 1) is None


def test_a_name_that_is_not_text(tmp_path: Path, read: Callable[[str, int], bytes | None]) -> None:
    name = os.fsdecode(b"\xff.yml")
    (tmp_path / name).write_bytes(b"a")
    assert read(str(tmp_path / name), MOST) == b"a"
    assert read(str(tmp_path / "a\0b"), MOST) is None


def test_what_takes_a_closer_look(tmp_path: Path, read: Callable[[str, int], bytes | None]) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "file").write_bytes(b"a")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name in ("empty", "link", "pipe", "socket", "missing", "file/inside", "."):
            assert read(str(tmp_path / name), MOST) is None, name
    assert read("/dev/zero", MOST) is None


def test_the_descriptor_is_closed(tmp_path: Path, read: Callable[[str, int], bytes | None]) -> None:
    (tmp_path / "file").write_bytes(b"a")
    os.mkfifo(tmp_path / "pipe")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for name in ("file", "pipe", "missing"):
        read(str(tmp_path / name), MOST)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@needs_compiled
def test_nothing_leaks(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a" * 600)
    paths = [str(tmp_path / name) for name in ("file", "missing", "a\0b")] * 500
    assert blocks_left_by(lambda: [compiled.whole_file(path, MOST) for path in paths]) < 50


@needs_compiled
@pytest.mark.parametrize("arguments", [(), ("a",), ("a", "b"), (1, 2), ("a", 1, 2)])
def test_wrong_arguments(arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        compiled.whole_file(*arguments)
