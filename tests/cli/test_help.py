"""Help: options in groups, only those that apply, an example for every command; names of an earlier release."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lamina.cli.group import COMMANDS
from lamina.cli.group import lamina as program
from lamina.dialects.registry import BUILT_IN

_TITLE = re.compile(r"^(\S.*):$", re.MULTILINE)


def help_of(*arguments: str) -> str:
    result = CliRunner().invoke(program, [*arguments, "--help"])
    assert result.exit_code == 0, result.output
    return result.output


def every_command() -> Iterator[tuple[str, ...]]:
    for name in COMMANDS:
        command = program.get_command(click.Context(program), name)
        yield (name,)
        if isinstance(command, click.Group):
            yield from ((name, inner) for inner in command.list_commands(click.Context(command)))


def test_options_are_in_groups() -> None:
    assert _TITLE.findall(help_of("render")) == ["Common options", "Output options", "Options of other systems"]
    own = help_of("lint").partition("Common options:")[0]
    assert "--select" in own
    assert "--format" not in own


def test_a_dialect_that_is_named_is_the_only_one_shown() -> None:
    assert _TITLE.findall(help_of("render", "--dialect", "heat"))[2:] == ["Options of heat"]
    after = CliRunner().invoke(program, ["render", "--help", "--dialect", "heat"]).output
    assert _TITLE.findall(after)[2:] == ["Options of heat"]


def test_a_dialect_without_a_manual_mode_has_no_compat() -> None:
    assert "--compat" in help_of("render", "--dialect", "heat")
    assert "--compat" not in help_of("render", "--dialect", "hiera")


def test_the_dialects_of_a_project_are_those_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lamina.toml").write_text('[targets.a]\ndialect = "deckhand"\ninputs = ["a.yaml"]\n')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    others = "Options of other systems"
    assert _TITLE.findall(help_of("render"))[2:] == ["Options of deckhand", others]
    assert _TITLE.findall(help_of("render", "--dialect", "heat"))[2:] == ["Options of heat"]
    (tmp_path / "lamina.toml").write_text("[targets\n")
    assert _TITLE.findall(help_of("render"))[2:] == [others]


def test_the_dialect_of_the_inputs_is_the_one_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "user-data").write_text("#cloud-config\na: 1\n")
    monkeypatch.chdir(tmp_path)
    shown = help_of("render", "user-data")
    assert _TITLE.findall(shown)[2:] == ["Options of cloud-init", "Options of other systems"]
    assert "heat, deckhand, datum, hiera, ansible, reclass, layers: " in " ".join(shown.split())


def test_the_commands_of_daily_work_come_first() -> None:
    assert _TITLE.findall(help_of())[1:] == ["Daily work", "Look", "Change", "Set up", "Store"]
    alone = CliRunner().invoke(program, [])
    assert alone.exit_code == 0
    assert re.findall(r"^  (\w+) ", alone.output, re.MULTILINE) == ["render", "explain", "where", "lint", "diff"]
    assert "Example: lamina explain" in alone.output


_VAGUE = re.compile(r"^ +(?:-\S+ )+(TEXT|PATH|FOLDER|WORD|INTEGER|FLOAT|DIRECTORY|FILENAME)\s", re.MULTILINE)
"""Metavars that say less than FILE, DIR, URL, NAME or NUMBER; a path in the data is a PATH, and a heading is a text."""


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_what_an_option_of_a_dialect_takes_is_named(dialect: str) -> None:
    shown = help_of("render", "--dialect", dialect).replace("--lookup PATH", "")
    assert _VAGUE.findall(shown) == []


@pytest.mark.parametrize("command", [*every_command()], ids=" ".join)
def test_what_an_option_takes_is_named(command: tuple[str, ...]) -> None:
    assert _VAGUE.findall(help_of(*command).replace("--title TEXT", "")) == []


def test_help_without_a_dialect_fits_one_screen_and_says_how_to_see_more() -> None:
    shown = help_of("render")
    assert shown.count("\n") < 60
    assert "lamina render --dialect NAME --help explains" in " ".join(shown.split())
    assert "--templates" not in shown
    assert "--templates" in help_of("render", "--dialect", "heat")


@pytest.mark.parametrize("command", [(), *every_command()], ids=" ".join)
def test_help_ends_with_an_example_that_is_a_command(command: tuple[str, ...]) -> None:
    last = help_of(*command).rstrip().split("\n")[-2:]
    assert last[0].strip() == "Example:"
    words = shlex.split(last[1].split(" > ")[0].split(" | ")[0])
    assert words[: len(command) + 1] == ["lamina", *command]
    assert words[1] in COMMANDS
