"""`where`: every line that a scalar is written on answers as its first one does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina.views.result import Result
from lamina.workspace.line_uses import LineUse, uses_in_results
from support.styled_layers import DIALECTS, rendered, scalars_in, styled_layers


def uses(result: Result, source: str, line: int, column: int | None = None) -> list[LineUse]:
    return uses_in_results([("target", result)], source, line, column)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_line_of_a_scalar_answers_as_its_first_one(dialect: str, data: st.DataObject) -> None:
    result, files = rendered(data.draw(styled_layers(dialect)))
    for name, text in files.items():
        lines = text.split("\n")
        for scalar in scalars_in(text):
            first = uses(result, name, scalar.line, scalar.column + 1)  # without a mapping that begins on the same line
            assert first or name in ("hiera.yaml", "facts/n.yaml", "data/options.yaml")
            for line in range(scalar.line + 1, scalar.last_line + 1):
                assert uses(result, name, line) == first, (scalar, lines[line - 1])


PSD1 = """\
@{ T = @{
  A = @'
one
two
'@
  B = 'three

four'
  # five
  C = "six"
} }
"""
TOML = '''\
a = """
one
two"""
# three
b = "four"
'''
ARCHIVE = """\
#cloud-config-archive
- type: text/cloud-config
  content: |
    a: >
      one

      two
    # three
    b: "four
      five"
"""


@pytest.mark.parametrize(
    ("dialect", "name", "text", "options", "decided"),
    [
        (
            "datum",
            "a.psd1",
            PSD1,
            {"layers": ["a.psd1"], "lookup": "T"},
            [".", "A", "A", "A", "A", "B", "B", "B", "", "C", ""],
        ),
        ("layers", "a.toml", TOML, {}, ["a", "a", "a", "", "b"]),
        ("cloud-init", "user-data", ARCHIVE, {}, ["", "", "", "a", "a", "a", "a", "", "b", "b"]),
    ],
)
def test_texts_of_other_formats_and_inside_of_others(
    dialect: str, name: str, text: str, options: dict[str, Any], decided: list[str]
) -> None:
    inputs = [(name, text), ("b.yml", "z: 1\n")] if dialect == "layers" else [(name, text)]
    result = lamina.render(inputs, dialect=dialect, **options)
    shown = [" ".join(use.where for use in uses(result, name, line)) for line in range(1, len(decided) + 1)]
    assert shown == decided
