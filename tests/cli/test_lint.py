"""The command `lamina lint`: exit status and what goes where."""

from __future__ import annotations

from pathlib import Path

import pytest

from lamina.cli.main import main

BASE = "#cloud-config\ntimezone: UTC\npackage_update: true\n"
INFO = "#cloud-config\ntimezone: UTC\nlocale: C\n"
WARNING = "#cloud-config\npackages_update: true\n"
ERROR = "#cloud-config\n- 1\n"


def lint(tmp_path: Path, text: str, *arguments: str) -> int:
    base, team = tmp_path / "base.yaml", tmp_path / "team.yaml"
    base.write_text(BASE)
    team.write_text(text)
    with pytest.raises(SystemExit) as ended:
        main(["lint", *arguments, str(base), str(team)])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("#cloud-config\nlocale: C\n", {"error": 0, "warning": 0, "info": 0, "never": 0}),
        (INFO, {"error": 0, "warning": 0, "info": 1, "never": 0}),
        (WARNING, {"error": 0, "warning": 1, "info": 1, "never": 0}),
        (ERROR, {"error": 1, "warning": 1, "info": 1, "never": 0}),
    ],
)
def test_the_threshold_decides_the_exit_status(tmp_path: Path, text: str, statuses: dict[str, int]) -> None:
    assert {name: lint(tmp_path, text, "--fail-on", name) for name in statuses} == statuses
    assert lint(tmp_path, text) == statuses["warning"]


def test_what_is_ignored_does_not_count(tmp_path: Path) -> None:
    assert lint(tmp_path, WARNING, "--ignore", "config,near,type") == 0


def test_findings_go_to_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lint(tmp_path, WARNING)
    out, err = capsys.readouterr()
    assert "[config-unknown-key]" in out
    assert not err


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_a_code_of_no_finding_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert lint(tmp_path, WARNING, option, "neer-miss-key,near,wholly-unlike-it") == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.splitlines() == [
        "there is no lint rule 'neer-miss-key' [unknown-rule]",
        "  hint: did you mean near-miss-key?",
        "there is no lint rule 'wholly-unlike-it' [unknown-rule]",
        "  hint: lamina rule lists the rules; codes of other findings are in the manual",
    ]


def test_codes_of_rendering_and_of_other_systems_can_be_ignored(tmp_path: Path) -> None:
    assert lint(tmp_path, WARNING, "--select", "template-not-found,unused-strategy,empty-part") == 0


def test_a_missing_file_is_unreadable_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["lint", str(tmp_path / "nowhere.yaml")])
    assert ended.value.code == 3
    assert not capsys.readouterr().out
