"""Inputs from a git repository: read as they were committed, with nothing checked out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lamina.errors import InputError, LaminaError, UsageError
from lamina.sources.git_inputs import Repository, inputs_at
from lamina.sources.inputs import Folder, gather
from lamina.sources.source import Source

BEFORE = "#cloud-config\nport: 1\n"
AFTER = "#cloud-config\nport: 2\n"


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two commits, and something uncommitted on the disk."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    root = tmp_path / "repository"
    (root / "site").mkdir(parents=True)
    git(tmp_path, "init", "-q", "-b", "main", str(root))
    (root / "site/one.yaml").write_text(BEFORE)
    (root / "site/link.yaml").symlink_to("one.yaml")
    (root / "site/away.yaml").symlink_to("../../outside")
    (tmp_path / "outside").write_text("#cloud-config\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    (root / "site/one.yaml").write_text(AFTER)
    (root / "site/zwei ü.yaml").write_text("#cloud-config\nport: 3\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    (root / "site/one.yaml").write_text("uncommitted")
    monkeypatch.chdir(root)
    return root


def state(root: Path) -> tuple[str, str]:
    return git(root, "status", "--porcelain"), git(root, "rev-parse", "HEAD")


def test_a_file_is_read_as_it_was(repository: Path) -> None:
    untouched = state(repository)
    with Repository(repository) as opened:
        texts = []
        for revision in ("HEAD~1", "HEAD"):
            (source,) = inputs_at(opened, opened.commit(revision), ["site/one.yaml"]).items
            assert isinstance(source, Source)
            texts.append((source.name, source.data.decode()))
    assert texts == [("site/one.yaml", BEFORE), ("site/one.yaml", AFTER)]
    assert state(repository) == untouched


def test_a_folder_holds_what_it_held(repository: Path) -> None:
    with Repository(repository) as opened:
        (folder,) = inputs_at(opened, opened.commit("HEAD"), ["site"]).items
        assert isinstance(folder, Folder)
        assert folder.files.names() == ["away.yaml", "link.yaml", "one.yaml", "zwei ü.yaml"]
        link = folder.files.read("link.yaml")
        assert link is not None
        assert (link.name, link.data.decode()) == ("site/link.yaml", AFTER)
        assert folder.files.read("nothing.yaml") is None
        for name in ("../secret", "/etc/passwd", "away.yaml"):
            with pytest.raises(InputError, match="outside-folder"):
                folder.files.read(name)
        (repository.parent / "outside").unlink()
        with pytest.raises(
            InputError, match=r"away\.yaml is a link to .*outside, which does not exist \[broken-link\]"
        ):
            folder.files.read("away.yaml")


def test_files_beside_the_inputs_are_those_of_the_commit(repository: Path) -> None:
    with Repository(repository) as opened:
        inputs = inputs_at(opened, opened.commit("HEAD~1"), ["site/one.yaml"])
        sibling = inputs.files_of("site/one.yaml").read("one.yaml")
        assert sibling is not None
        assert sibling.data.decode() == BEFORE


def test_paths_are_those_the_user_is_in(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "site")
    with Repository(Path()) as opened:
        (source,) = inputs_at(opened, opened.commit("HEAD~1"), ["../site/one.yaml"]).items
        assert isinstance(source, Source)
        assert (source.name, source.data.decode()) == ("../site/one.yaml", BEFORE)


@pytest.mark.parametrize("revision", ["nope", "--help", "-x", "HEAD~99", "HEAD:site", "", "\n", "a b"])
def test_a_revision_that_does_not_exist_is_rejected(repository: Path, revision: str) -> None:
    with Repository(repository) as opened:
        if not revision:
            assert opened.commit(revision) == opened.commit("HEAD")
            return
        with pytest.raises(UsageError, match="unknown-revision"):
            opened.commit(revision)


@pytest.mark.parametrize(
    ("revision", "expected"),
    [
        *(("mian", "main"), ("mian~1", "main"), ("v1.O^{tree}", "v1.0"), ("HAED", "HEAD")),
        *(("main~99", None), ("HEAD~99", None), ("elsewhere", None)),
    ],
)
def test_a_branch_or_tag_that_is_spelled_alike_is_named(repository: Path, revision: str, expected: str | None) -> None:
    git(repository, "tag", "v1.0")
    with Repository(repository) as opened, pytest.raises(UsageError) as caught:
        opened.commit(revision)
    hint = str(caught.value.diagnostic.hint)
    assert hint.startswith(f"did you mean {expected}? use a branch" if expected else "use a branch")


def test_a_folder_without_a_repository_is_rejected(repository: Path) -> None:
    with pytest.raises(UsageError, match="no-repository"):
        Repository(repository.parent)


def test_a_path_outside_the_repository_is_rejected(repository: Path) -> None:
    with Repository(repository) as opened, pytest.raises(UsageError, match="outside-repository"):
        inputs_at(opened, opened.commit("HEAD"), [str(repository.parent)])


def test_what_did_not_exist_is_reported(repository: Path) -> None:
    with Repository(repository) as opened, pytest.raises(LaminaError, match="missing-file"):
        inputs_at(opened, opened.commit("HEAD~1"), ["site/zwei ü.yaml"])


def test_without_git_the_message_says_so(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="no-git"):
        Repository(repository)


@pytest.mark.parametrize("folder", [False, True])
def test_a_file_whose_object_is_missing_is_named(repository: Path, folder: bool) -> None:
    number = git(repository, "rev-parse", "HEAD~1:site/one.yaml").strip()
    (repository / ".git/objects" / number[:2] / number[2:]).unlink()
    with Repository(repository) as opened:
        commit = opened.commit("HEAD~1")
        with pytest.raises(InputError, match=rf"one.yaml cannot be read: git has no object {number}"):
            for item in inputs_at(opened, commit, [str(repository / ("site" if folder else "site/one.yaml"))]).folders:
                item.files.read("one.yaml")


@pytest.mark.parametrize("path", [".", "./", "site"])
def test_a_file_of_a_folder_has_the_name_it_has_on_disk(repository: Path, path: str) -> None:
    with Repository(repository) as opened:
        for inputs in (inputs_at(opened, opened.commit("HEAD"), [path]), gather([path])):
            (folder,) = inputs.folders
            source = folder.files.read("one.yaml" if path == "site" else "site/one.yaml")
            assert source is not None
            assert source.name == os.path.join(path, "one.yaml" if path == "site" else "site/one.yaml")  # noqa: PTH118
