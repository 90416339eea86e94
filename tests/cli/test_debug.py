"""A traceback is shown when it is asked for, and never otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from lamina.cli import main as program
from lamina.cli.group import lamina
from lamina.cli.output import DEFECT, UNREADABLE, USAGE

MISTAKES = {
    "a file that is not there": ["render", "nowhere.yaml"],
    "an option that is not there": ["render", "--nothing"],
    "a command that is not there": ["rendr"],
    "YAML that cannot be read": ["render", "--dialect", "heat", "broken.yaml"],
    "a path that is not there": ["explain", "b", "part.yaml"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.yaml").write_text("#cloud-config\na: 1\n")
    (tmp_path / "broken.yaml").write_text("parameters: [\n")
    monkeypatch.chdir(tmp_path)


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int | str | None, str]:
    with pytest.raises(SystemExit) as ended:
        program.main(arguments)
    return ended.value.code, capsys.readouterr().err


@pytest.mark.parametrize("arguments", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_shows_a_traceback_only_when_asked(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, plain = printed(arguments, capsys)
    assert status in (USAGE, UNREADABLE)
    assert plain
    assert "Traceback" not in plain
    for asked in (["--debug", *arguments], [*arguments, "--debug"]):
        again, shown = printed(asked, capsys)
        assert again == status
        assert shown.startswith("Traceback")
        assert shown.endswith(plain)


def test_a_defect_shows_a_traceback_only_when_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def falls(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("lamina.project.file_view.gather", falls)
    status, plain = printed(["render", "part.yaml"], capsys)
    assert status == DEFECT
    assert (
        plain
        == "lamina: internal error: KeyError: 'oops'\n  hint: this is a bug in Lamina; --debug shows the traceback\n"
    )
    status, shown = printed(["render", "part.yaml", "--debug"], capsys)
    assert status == DEFECT
    assert "in falls" in shown


def test_the_option_is_in_the_help() -> None:
    assert "--debug" in CliRunner().invoke(lamina, ["--help"]).output
