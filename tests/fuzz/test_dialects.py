"""Whatever files come in, a dialect gives a result or a LaminaError; and of a result everything can be asked."""

from __future__ import annotations

import contextlib
from itertools import islice
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.conformance.check import settings_of
from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.paths import leaves
from lamina.sources.inputs import Absent, Inputs, MemoryFiles
from lamina.views.render import render_explained
from support.mutations import fuzzing, mutated_case
from support.seeds import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.conformance.case import Case


def rendered(case: Case, files: Mapping[str, bytes]) -> lamina.Result | None:
    """The result of a case with other files; None if it is rejected as it should be."""
    chosen = dialects.find(case.dialect)
    held = MemoryFiles(files)
    inputs = Inputs(tuple(held.read(name) or Absent(name) for name in case.order), held)
    try:
        options = dialects.make_options(chosen, settings_of(case))
        result = render_explained(chosen, inputs, options)
        assert all(note.code and note.message for note in result.notes)
    except LaminaError as error:
        assert all(finding.code and finding.message for finding in error.diagnostics)
        return None
    return result


@pytest.mark.parametrize("dialect", [*DIALECTS, "helm"])
@given(data=st.data())
@fuzzing
def test_a_dialect_gives_a_result_or_says_why_not(dialect: str, data: st.DataObject) -> None:
    result = rendered(*data.draw(mutated_case(dialect)))
    if result is None:
        return
    for write in (result.to_yaml, result.to_json, result.to_annotated_yaml):
        with contextlib.suppress(LaminaError):
            write()
    plain = result.plain
    for path in islice(leaves(plain) if isinstance(plain, (dict, list)) else (), 5):
        with contextlib.suppress(LaminaError):
            result.explain(path)
