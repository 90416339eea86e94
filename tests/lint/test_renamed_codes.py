"""Old codes mean the new ones wherever a code is given, and a note says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lamina
from lamina.cli.main import main
from lamina.conformance.check import _compare_error, _compare_skipped
from lamina.views.lint.code_aliases import RENAMED, deprecations
from lamina.views.lint.selection import Selection, fits

IMAGE = "#cloud-config\nfqdn: web-1\nruncmd: [ls]\n"
TEAM = "#cloud-config\nfqdn: 1\n"
NOTE = "note: the code kind-changes is now called type-change [deprecated-code]"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "image.yaml").write_text(IMAGE)
    (tmp_path / "team.yaml").write_text(TEAM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    return int(str(stopped.value.code))


def codes(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    captured = capsys.readouterr()
    return [each["code"] for each in json.loads(captured.out)["findings"]], captured.err


LINT = ("lint", "--format", "json", "image.yaml", "team.yaml")


@pytest.mark.usefixtures("folder")
def test_an_old_code_selects_the_new_one_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*LINT, "--select", "kind-changes") == 1
    found, printed = codes(capsys)
    assert found == ["type-change"]
    assert NOTE in printed
    run(*LINT, "--select", "kind-ch")
    found, printed = codes(capsys)
    assert found == ["type-change"]
    assert NOTE in printed


@pytest.mark.usefixtures("folder")
def test_an_old_code_is_ignored_as_the_new_one(capsys: pytest.CaptureFixture[str]) -> None:
    run(*LINT)
    assert "type-change" in codes(capsys)[0]
    run(*LINT, "--ignore", "kind-changes")
    found, printed = codes(capsys)
    assert "type-change" not in found
    assert NOTE in printed


def test_prefixes_of_present_codes_are_not_reported() -> None:
    assert not list(deprecations(["no", "type-change", "unknown-strategy", ""]))
    assert [note.message for note in deprecations(["no-answer"])] == ["the code no-answer is now called no-response"]


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_every_old_code_is_an_alias_of_its_new_one(old: str, new: str) -> None:
    assert fits(new, (old,))
    assert fits(new, (new,))
    assert Selection((old,)).names(new)
    assert new not in RENAMED
    error = lamina.LaminaError(lamina.Diagnostic(code=new, message="x"))
    assert _compare_error({"error": old}, error) == []
    part = {"part": "a", "text": ""}
    assert _compare_skipped([{**part, "kind": old}], [{**part, "kind": new}]) == []


def test_the_project_file_and_the_baseline_may_have_old_codes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = '[targets.a]\ndialect = "cloud-init"\ninputs = ["image.yaml", "team.yaml"]\n'
    (folder / "lamina.toml").write_text(f'{project}[lint]\nselect = ["kind-changes"]\n')
    run("lint", "--format", "json")
    found, printed = codes(capsys)
    assert found == ["type-change"]
    assert "lamina.toml:5:1: the code kind-changes is now called type-change [deprecated-code]" in printed
    (folder / "lamina.toml").write_text(f'{project}[lint.severity]\nkind-changes = "error"\n')
    run("lint", "--format", "json", "--select", "type-change")
    captured = capsys.readouterr()
    assert [each["severity"] for each in json.loads(captured.out)["findings"]] == ["error"]
    assert "lamina.toml:5:1: the code kind-changes" in captured.err
    run("lint", "--write-baseline", "known.json")
    text = (folder / "known.json").read_text()
    (folder / "known.json").write_text(text.replace("type-change", "kind-changes"))
    capsys.readouterr()
    assert run("lint", "--baseline", "known.json", "--format", "json") == 0
    found, printed = codes(capsys)
    assert found == []
    assert "known.json: the code kind-changes is now called type-change [deprecated-code]" in printed


def test_a_comment_may_have_an_old_code_and_is_reported() -> None:
    comment = TEAM.replace("1", "1  # lamina: ignore[kind-changes, converted, config]")
    found = lamina.lint([("image.yaml", IMAGE), ("team.yaml", comment)])
    assert [note.code for note in found] == ["deprecated-code"]
    at = found[0].at
    assert at
    assert (at.line, at.column) == (2, comment.split("\n")[1].index("kind") + 1)


def test_a_code_is_explained_by_its_old_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain-code", "kind-changes") == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("type-change\n")
    assert NOTE in captured.err
