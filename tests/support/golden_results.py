"""The results of golden cases, for tests of what can be asked of a result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import lamina
from lamina.conformance.case import Case, find, load
from lamina.conformance.check import settings_of
from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.views.render import render_with

CASES = Path(__file__).parents[1] / "cases"


def golden_results(name: str) -> Iterator[tuple[Case, lamina.Result]]:
    """The cases of a dialect that can be rendered, each with its result."""
    for case in (case for path in find([CASES / name]) for case in load(path)):
        dialect = dialects.find(case.dialect)
        try:
            yield case, render_with(dialect, case.inputs(), dialects.make_options(dialect, settings_of(case)))
        except LaminaError:
            continue
