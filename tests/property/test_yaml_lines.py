"""Text read line by line has the values and the places a YAML parser gives it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from test_compiled_lines import used

from lamina.errors import InputError
from lamina.origins import PositionMap
from lamina.sources.limits import LIMITS, Limits
from lamina.sources.source import Source
from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.pyyaml_reader import FastParser, PureParser, read_nodes
from lamina.sources.yaml.scalars import PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET, ScalarTable
from support.line_readers import COMPILED, PLAIN, SOUP, needs_compiled

pytestmark = needs_compiled

lines = st.builds(
    lambda indent, piece: " " * indent + piece, st.sampled_from([0, 0, 0, 1, 2, 2, 3, 4, 6]), st.sampled_from(SOUP)
)
plain_text = st.text("abz019 .:-_/#'\"[]{}é,|>", max_size=9)
values = st.recursive(
    st.one_of(plain_text, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False), st.dates()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(plain_text, inner, max_size=4)),
    max_leaves=12,
)


def records(positions: PositionMap) -> tuple[Any, ...]:
    # An alias is at the place of its anchor, which is all that one sees of it.
    places = [
        (positions.lines[index], positions.columns[index])
        for index in map(positions.resolve, range(len(positions.lines)))
    ]
    return places, {at: size for at, size in positions.sizes.items() if size > 1}


def check(text: str, table: ScalarTable) -> bool:
    """Compare, where the text is plain; and say whether it is."""
    source = Source.of_text("x.yaml", text)
    found = read_lines(source, table, LIMITS, reader=COMPILED)
    if found is None:
        return False
    found = used(found, table)
    expected = used(read_nodes(source, table, PureParser, limits=LIMITS, single=False), table)
    assert [repr(each.value) for each in found] == [repr(each.value) for each in expected]
    assert [records(each.positions) for each in found] == [records(each.positions) for each in expected]
    assert [each.positions.aliases for each in found] == [each.positions.aliases for each in expected]
    assert [len(each.notes) for each in found] == [len(each.notes) for each in expected]
    return True


tables = st.sampled_from([PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET])


@given(st.lists(lines, min_size=1, max_size=8), tables)
def test_lines_thrown_together(soup: list[str], table: ScalarTable) -> None:
    check("\n".join(soup) + "\n", table)


flows = st.lists(
    st.sampled_from(["[", "]", "{", "}", ", ", ",", "a: ", "b: ", "x", "1", "'q'", " ", "-1", "?"]), max_size=12
)


@given(flows, tables)
def test_flow_collections_thrown_together(pieces: list[str], table: ScalarTable) -> None:
    check(f"k: {{a: {''.join(pieces)}}}\nl: [{''.join(pieces)}]\n", table)
    check(f"k: [{''.join(pieces)}]\n", table)


@given(values, tables)
def test_what_pyyaml_writes(value: Any, table: ScalarTable) -> None:
    check(yaml.safe_dump(value, allow_unicode=True, sort_keys=False), table)


@pytest.mark.parametrize("table", [PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET], ids=str)
def test_plain_text_is_read_by_lines(table: ScalarTable) -> None:
    assert check(PLAIN.replace("-   - x\n", ""), table)
    assert check(f"{PLAIN.replace('-   - x', '- y')}---\nb: 1\n", table)
    assert check(PLAIN, table)


@pytest.mark.parametrize(
    "text",
    ["a: 1\r", "a:\t1\n", "a\n", "a: é\u2028\n", "a: *b\n", "a: !b c\n", "? a\n", "%a\n---\nb: 1\n"],
)
def test_what_is_not_surely_plain_is_left_to_a_parser(text: str) -> None:
    assert not check(text, PYYAML)


def test_depth_is_bounded() -> None:
    deep = "".join(f"{'  ' * at}a:\n" for at in range(20)) + "  " * 20 + "b: 1\n"
    source = Source.of_text("x.yaml", deep)
    assert read_lines(source, PYYAML, Limits(depth=25), reader=COMPILED) is not None
    assert read_lines(source, PYYAML, Limits(depth=20), reader=COMPILED) is None
    flow = Source.of_text("x.yaml", "a:\n  b: []\n")
    assert read_lines(flow, PYYAML, Limits(depth=2), reader=COMPILED) is None
    deep_flow = Source.of_text("x.yaml", f"a: {'[' * 33}{']' * 33}\n")
    assert read_lines(deep_flow, PYYAML, LIMITS, reader=COMPILED) is None


def test_nodes_are_bounded_as_pyyaml_reader_bounds_them() -> None:
    source = Source.of_text("x.yaml", "a: {b: [1, 2]}\n---\nc:\n- d\n- {f: g}\n- h\n---\n---\nlast: |\n  text\n")
    documents = read_lines(source, PYYAML, LIMITS, reader=COMPILED)
    assert documents is not None
    nodes = sum(document.positions.record_count for document in documents)
    for most in range(1, nodes + 2):
        limits = Limits(nodes=most)
        found = read_lines(source, PYYAML, limits, reader=COMPILED)
        if most >= nodes:
            assert found is not None
            parsed = read_nodes(source, PYYAML, FastParser, limits, single=False)
            assert [each.value for each in found] == [each.value for each in parsed]
        else:
            assert found is None
            with pytest.raises(InputError, match=f"more than {most} nodes"):
                read_nodes(source, PYYAML, FastParser, limits, single=False)
