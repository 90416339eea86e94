"""What comes with the package: sections of the manual for codes, and examples to try."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from lamina.cli.examples import EXAMPLES
from lamina.cli.group import lamina
from lamina.errors import LaminaError
from support.codes import codes

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(lamina, arguments, standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.stdout


@pytest.mark.parametrize("code", codes())
def test_every_code_has_a_section(code: str) -> None:
    heading, _, rest = run("rule", code).partition("\n")
    assert heading == code
    assert len(rest.strip()) > 10


def test_a_code_may_be_copied_with_its_brackets() -> None:
    assert run("rule", "[redundant-value]") == run("rule", "redundant-value")


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_written_and_its_first_command_works(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = run("init", "--example", name, "here")
    command = printed.strip().rpartition(" && lamina ")[2].split()
    monkeypatch.chdir(tmp_path / "here")
    assert run(*command)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LaminaError, match="here already exists"):
        run("init", "--example", name, "here")


def test_what_commands_show_is_in_the_package() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    shipped = build["force-include"]
    for path in ("docs/reference/codes.md", "docs/reference/lint", *(folder for folder, _, _ in EXAMPLES.values())):
        assert (ROOT / path).exists()
        assert shipped[path] == f"lamina/shipped/{path}"
