"""The C extension walks through stacks, and lists members, as the functions in Python do."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina._support.native import compiled
from lamina.budget import to_show
from lamina.dialects import registry as dialects
from lamina.origins import Origin, PositionMap
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.sources.source import Source
from lamina.views.render import render_with
from lamina.views.report import part_members, stack_walk
from lamina.views.report.interning import InternedTables
from lamina.views.report.outline_parts import WrittenPart
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


def in_parts_of_files(line: int, column: int) -> Origin:
    return Origin("a.yaml" if line < 60 else "b.yaml", line, column)


def listed(value: dict[str, Any], located: Any, *, in_python: bool) -> Any:
    """What is listed of a mapping: members, what the page has of them, all texts, and what is left of the budget."""
    budget = to_show()
    tables: Any = InternedTables(budget)
    nothing: Any = None
    rows = PatternRows(tables, nothing, nothing, nothing, budget)
    positions = PositionMap(located)
    records = record(value, positions)
    part = WrittenPart(value, value, positions, 0, "layer", 0)
    members: dict[Any, Any] = {}
    group = [7, 8, 9]
    origin, sizes = positions.origin(0), positions.sizes
    if in_python:
        found = part_members.list_in_python(rows, part, records, members, group, origin, sizes, 5)
    else:
        assert COMPILED is not None
        listing = rows.listing(positions, origin)
        found, spent = COMPILED.list_members(value, records, members, group, part, sizes, 5, listing)
        rows.spend(spent)
    shown = None if found is None else ([(*table[1:], type(table)) for table in found[0]], found[1], members, group)
    return shown, tables.texts.entries(), budget.size


def record(value: Any, positions: PositionMap) -> list[int]:
    """Record a value and all that is in it; gives the records of its members."""
    index = positions.add(positions.record_count, 3)
    found: list[int] = []
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(value, dict):
            positions.add(positions.record_count, 1)
        found.append(positions.record_count)
        record(each, positions)
    if isinstance(value, (dict, list)):
        positions.close(index)
    return found


TABLES = st.dictionaries(TEXTS, VALUES, max_size=6)


@given(
    st.dictionaries(TEXTS, VALUES | TABLES | st.lists(TEXTS, max_size=3), max_size=8),
    st.sampled_from([Source("a.yaml", b"").locate, in_parts_of_files]),
)
def test_members_are_listed_alike(value: dict[str, Any], located: Any) -> None:
    assert listed(value, located, in_python=False) == listed(value, located, in_python=True)


@pytest.mark.parametrize(("records", "error"), [([1, 2], ValueError), ([-1], IndexError), ([99], IndexError)])
def test_records_that_do_not_exist_are_rejected(records: list[int], error: type[Exception]) -> None:
    assert COMPILED is not None
    listing: Any = ([0, 1], [0, 1], None, Origin("a.yaml", 1, 1), {}, str, {}, str)
    with pytest.raises(error):
        COMPILED.list_members({"a": "b"}, records, {}, [], None, {}, 0, listing)


@pytest.mark.parametrize("given_", [(), (1, 2, 3, 4, 5), ((), {}, [], [], [])])
def test_arguments_of_other_types_are_rejected(given_: tuple[Any, ...]) -> None:
    assert COMPILED is not None
    for function in (COMPILED.walk, COMPILED.list_members, COMPILED.configure_members):
        with pytest.raises(TypeError):
            function(*given_)
