"""Files of a folder: those read at once, after the first of a folder, are those that a closer look gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import lamina
from lamina.errors import InputError
from lamina.sources.inputs import DiskFiles


@pytest.fixture
def files(tmp_path: Path) -> DiskFiles:
    """The files of a folder with one inside that was read from already."""
    inside = tmp_path / "root" / "inside"
    inside.mkdir(parents=True)
    (inside / "first.yml").write_text("a: 1\n")
    (tmp_path / "secret.yml").write_text("secret\n")
    found = DiskFiles(tmp_path / "root", "root/")
    assert found.read("inside/first.yml") is not None
    return found


def test_a_further_file_of_a_folder(files: DiskFiles, tmp_path: Path) -> None:
    (tmp_path / "root/inside/second.yml").write_text("b: 2\n")
    source = files.read("inside/second.yml")
    assert source is not None
    assert (source.name, source.data) == ("root/inside/second.yml", b"b: 2\n")


def test_an_empty_file_and_none(files: DiskFiles, tmp_path: Path) -> None:
    (tmp_path / "root/inside/empty.yml").write_text("")
    source = files.read("inside/empty.yml")
    assert source is not None
    assert source.data == b""
    for name in ("inside/none.yml", "inside/", "inside/..", "inside/a\0b"):
        assert files.read(name) is None


def test_a_link_is_followed_inside_and_rejected_outside(files: DiskFiles, tmp_path: Path) -> None:
    (tmp_path / "root/inside/here.yml").symlink_to("first.yml")
    (tmp_path / "root/inside/away.yml").symlink_to(tmp_path / "secret.yml")
    source = files.read("inside/here.yml")
    assert source is not None
    assert source.data == b"a: 1\n"
    for name in ("inside/away.yml", "inside/../../secret.yml"):
        with pytest.raises(InputError):
            files.read(name)


def test_a_folder_that_is_a_link_is_rejected_outside_after_listing_too(files: DiskFiles, tmp_path: Path) -> None:
    (tmp_path / "root/away").symlink_to(tmp_path)
    (tmp_path / "root/same").symlink_to("inside")
    assert files.names() == ["inside/first.yml", "same/first.yml"]
    source = files.read("same/first.yml")
    assert source is not None
    assert source.data == b"a: 1\n"
    for name in ("away/secret.yml", "same/../../secret.yml"):
        with pytest.raises(InputError):
            files.read(name)


def test_the_first_file_of_a_listed_folder_is_read_at_once(
    files: DiskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "root/inside/deeper").mkdir()
    (tmp_path / "root/inside/deeper/file.yml").write_text("c: 3\n")
    names = files.names()
    monkeypatch.setattr(os.path, "realpath", None)
    assert [files.read(name) is not None for name in names] == [True, True]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_rejected_and_not_waited_for(files: DiskFiles, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "root/inside/pipe.yml")
    with pytest.raises(InputError, match="named pipe"):
        files.read("inside/pipe.yml")


def test_what_is_suggested_for_a_missing_file_is_there(tmp_path: Path) -> None:
    (tmp_path / "host.yaml").symlink_to(tmp_path / "nowhere.yaml")
    with pytest.raises(lamina.InputError) as caught:
        lamina.render([tmp_path / "hosts.yaml"])
    assert caught.value.diagnostic.hint == "check the path; `-` reads standard input"
    with pytest.raises(lamina.InputError) as caught:
        lamina.render([tmp_path / "host.yaml"])
    assert str(caught.value) == (
        f"{tmp_path}/host.yaml is a link to {tmp_path}/nowhere.yaml, which does not exist [missing-file]\n"
        "  hint: correct the link, or pass the file it should lead to"
    )
    (tmp_path / "nowhere.yaml").touch()
    with pytest.raises(lamina.InputError) as caught:
        lamina.render([tmp_path / "hosts.yaml"])
    assert caught.value.diagnostic.hint == f"did you mean {tmp_path}/host.yaml?"


def test_an_ending_does_not_make_names_similar(tmp_path: Path) -> None:
    for name in ("host.yaml", "other.yaml"):
        (tmp_path / name).touch()
    hints = {}
    for name in ("base.yaml", "nothing.yaml", "hosts.yml"):
        with pytest.raises(lamina.InputError) as caught:
            lamina.render([tmp_path / name])
        hints[name] = caught.value.diagnostic.hint
    unknown = "check the path; `-` reads standard input"
    assert hints == {"base.yaml": unknown, "nothing.yaml": unknown, "hosts.yml": f"did you mean {tmp_path}/host.yaml?"}
