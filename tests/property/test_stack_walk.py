"""The C extension walks through stacks, and lists tables, as the functions in Python do."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina._support.native import compiled
from lamina.budget import ShownBudget
from lamina.dialects import registry as dialects
from lamina.origins import Origin, PositionMap
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.views.render import render_with
from lamina.views.report import part_members, stack_walk
from lamina.views.report.interning import InternedTables
from lamina.views.report.page_data import collect
from lamina.views.report.pattern_rows import PatternRows
from support.datum_fleets import fleets

COMPILED = compiled("lamina.views.report._stack_walk")
pytestmark = pytest.mark.skipif(COMPILED is None, reason="there is no C extension")

TEXTS = st.text(st.sampled_from("aZ_9./:# @%'\"-\té\u202e\n"), max_size=12) | st.sampled_from(
    ["true", "False", "a b", "a: b", "word:", "word ", "null", "x" * 299, "x" * 300, "words of one line", "a  b  c d"]
)
VALUES: st.SearchStrategy[Any] = TEXTS | st.sampled_from([None, True, 0, 12, 1.5, [], {}])


@settings(max_examples=60, deadline=None)
@given(fleets())
def test_a_page_is_the_same_without_the_extension(files: dict[str, str]) -> None:
    datum = dialects.find("datum")
    inputs = Inputs((Folder("tree", MemoryFiles(files)),))
    result = render_with(datum, inputs, dialects.make_options(datum, {"all_nodes": True}))
    data = collect(result, "")
    with mock.patch.object(stack_walk, "_compiled", None), mock.patch.object(part_members, "_compiled", None):
        assert collect(result, "") == data


def listed(value: dict[str, Any], lister: Any) -> tuple[Any, list[int], list[str], int]:
    """What is listed of a table, the texts of the page, and what is left of the budget."""
    budget = ShownBudget()
    tables: Any = InternedTables(budget)
    nothing: Any = None
    rows = PatternRows(tables, nothing, nothing, nothing, budget)
    positions = PositionMap(lambda line, column: Origin("a.yaml" if line < 40 else "b.yaml", line, column))
    for at in range(1 + 2 * len(value)):
        positions.add(at * 3, at)
    group: list[int] = []
    found = lister(rows, value, 0, group, positions, Origin("a.yaml", 1, 1))
    return found, group if found is not None else [], tables.texts.entries(), budget.left


@given(st.dictionaries(TEXTS, VALUES, max_size=8))
def test_tables_are_listed_alike(value: dict[str, Any]) -> None:
    assert COMPILED is not None

    def by_extension(
        rows: PatternRows, value: Any, record: int, group: list[int], positions: PositionMap, origin: Origin
    ) -> Any:
        members, spent = COMPILED.list_table(value, record, group, *rows.listing(positions, origin))
        rows.spend(spent)
        return members

    assert listed(value, by_extension) == listed(value, part_members.list_in_python)


@pytest.mark.parametrize("given_", [(), (1, 2, 3, 4, 5), ((), {}, [], [], [])])
def test_arguments_of_other_types_are_rejected(given_: tuple[Any, ...]) -> None:
    assert COMPILED is not None
    for function in (COMPILED.walk, COMPILED.list_table):
        with pytest.raises(TypeError):
            function(*given_)
