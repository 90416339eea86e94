"""`--json`: short for `--format json`, on every command that has it."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lamina.cli.group import lamina

REPOSITORY = Path(__file__).parents[2] / "examples/repositories/datum"


def with_json() -> list[str]:
    """The commands that can print JSON."""
    context = click.Context(lamina)
    commands = {name: lamina.get_command(context, name) for name in lamina.list_commands(context)}
    forms = {
        name: each.type.choices
        for name, command in commands.items()
        for each in (command.params if command else ())
        if "--format" in each.opts and isinstance(each.type, click.Choice)
    }
    return [name for name, choices in forms.items() if "json" in choices]


def test_every_command_with_json_has_the_short_form() -> None:
    assert {"where", "find", "explain", "diff", "lint", "render"} <= set(with_json())
    for name in with_json():
        assert "--json" in CliRunner().invoke(lamina, [name, "--help"]).stdout, name


@pytest.mark.parametrize(
    "line",
    [
        ("where", "source/Baselines/Server.yml:2"),
        ("find", "Domain"),
        ("explain", "Firewall", "--all"),
        ("explain", "Firewall", "--target", "ProdWeb01"),
        ("targets",),
        ("plan", "--target", "ProdWeb01"),
        ("render", "--target", "ProdWeb01"),
    ],
)
def test_it_prints_what_the_long_form_prints(line: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    short, both, long = (
        CliRunner().invoke(lamina, [*line, *form]).stdout
        for form in (["--json"], ["--json", "--format", "json"], ["--format", "json"])
    )
    assert short == long == both
    assert json.loads(short)


def test_it_contradicts_another_form() -> None:
    result = CliRunner().invoke(lamina, ["render", "--json", "--format", "yaml"], standalone_mode=False)
    assert "--json cannot be used with --format yaml" in str(result.exception)
