"""A line that is read without click is read as click reads it."""

from __future__ import annotations

from typing import Any

import click
from hypothesis import given
from hypothesis import strategies as st

from lamina.cli.group import lamina
from lamina.cli.options import COMMON, dialect_options, plain
from lamina.cli.render import OPTIONS

NAMES = [name for option in (*OPTIONS, *COMMON, *dialect_options()) for name in option.names]
VALUES = ["a.yaml", "-", "yaml", "json", "documented", "cloud-init", "a=b", "", "--", "-q", "-x", "--help", "user-data"]

words = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(VALUES),
    st.builds(lambda name, value: f"{name}={value}", st.sampled_from(NAMES), st.sampled_from(VALUES)),
)


def read_by_click(line: list[str]) -> dict[str, Any] | None:
    command = lamina.get_command(click.Context(lamina), "render")
    assert command is not None
    try:
        return command.make_context("render", list(line), resilient_parsing=False).params
    except (click.exceptions.Exit, click.ClickException):
        return None


@given(st.lists(words, max_size=6))
def test_plain_lines_are_read_as_click_reads_them(line: list[str]) -> None:
    found = plain(line, OPTIONS)
    if found is None:
        return
    asked = read_by_click(line)
    assert asked is not None, "click refuses this"
    unset = {name: value for name, value in asked.items() if name not in found}
    assert all(value in (None, (), False) for value in unset.values())
    assert {name: asked[name] for name in found} == found


def test_common_lines_are_plain() -> None:
    for line in (
        ["a.yaml"],
        ["-q", "a", "b"],
        ["--format", "json", "a"],
        ["--mode=merge", "a"],
        ["-e", "x", "-e", "y"],
    ):
        assert plain(line, OPTIONS) is not None, line
