"""A baseline holds the findings that are known; only new ones are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lamina.cli.main import main

TEXT = "#cloud-config\npakages: [git]\npassword: hunter2-hunter2\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "team.yaml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lint(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["lint", *arguments])
    return int(str(stopped.value.code))


def test_known_findings_are_known_after_lines_moved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint("--write-baseline", "known.json", "team.yaml") == 0
    assert capsys.readouterr().err == "wrote 2 findings to known.json\n"
    (folder / "team.yaml").write_text(TEXT.replace("pakages", "# a comment\ntimezone: UTC\npakages"))
    assert lint("--baseline", "known.json", "team.yaml") == 0
    assert capsys.readouterr().out == "no new findings (2 in the baseline)\n"


def test_new_findings_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lint("--write-baseline", "known.json", "team.yaml")
    (folder / "team.yaml").write_text(TEXT + "runcmdd: [ls]\n")
    assert lint("--baseline", "known.json", "--format", "json", "team.yaml") == 1
    assert [each["path"] for each in json.loads(capsys.readouterr().out)["findings"]] == ["runcmdd"]
    (folder / "team.yaml").write_text(TEXT.replace("[git]", "[git, vim]"))
    assert lint("--baseline", "known.json", "team.yaml") == 1


def test_a_baseline_holds_no_values(folder: Path) -> None:
    lint("--write-baseline", "known.json", "team.yaml")
    assert "hunter2" not in (folder / "known.json").read_text()


def test_a_project_names_its_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lamina.toml").write_text(
        '[lint]\nbaseline = "known.json"\n[targets.a]\ndialect = "cloud-init"\ninputs = ["team.yaml"]\n'
    )
    assert lint("--write-baseline", "known.json") == 0
    assert lint() == 0
    assert capsys.readouterr().out == "no new findings (2 in the baseline)\n"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{}]}'])
def test_what_is_not_a_baseline_is_an_error(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "known.json").write_text(text)
    assert lint("--baseline", "known.json", "team.yaml") == 3
    assert "[bad-baseline]" in capsys.readouterr().err


def test_unknown_rules_in_a_project_are_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lamina.toml").write_text(
        '[lint]\nignore = ["redundnt-value"]\nseverity = { neer-miss-key = "error" }\n'
        '[targets.a]\ndialect = "cloud-init"\ninputs = ["team.yaml"]\n'
    )
    assert lint() == 2
    assert capsys.readouterr().err.count("[unknown-rule]") == 2
