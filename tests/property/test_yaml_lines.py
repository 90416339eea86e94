"""Text read line by line has the values and the places a YAML parser gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from line_readers import PURE, both_readers

from lamina.origins import PositionMap
from lamina.sources.limits import LIMITS, Limits
from lamina.sources.source import Source
from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.pyyaml_reader import read_nodes
from lamina.sources.yaml.scalars import PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET, ScalarTable

if TYPE_CHECKING:
    from lamina.sources.yaml.fast_reader import Reader

PIECES = """
a|b: 1|- x|- y: 2|key:|- |-||c: %|text|# c|---|d: 'q r'|e: "f"|g: [1, a, 'x']|h: {a: 1, b: c}|i: yes|k: 1 # z|- - n
? a|l: >|m: %-|'q': 1|n: 012|o: 12:30|p: a: b|2: x|q: -1|- %|r: #x|s:  t |- #|u: ~|v: []|w: {}|x: - y|- k:|...|y: a #b
z: a:b|<<: {a: 1}|b: *x|a: &x 1|t: !!str 1|A::B: c|s: 2001-01-01|e: =|f: é|"g": h|h: "a\\n"|i: 'it''s'|j: [a, [b]]
x: {a: [b, {c: 'd'}]}|y: [{a: b}, c, ]|z: [a, {b: 1, b: 2}]|- [{a: 1} , [] ]
k: {a: 1, a: 2}|l: [a,b]|m: {a: b: c}|n: -|o: "|p: %|q: @|r: a  b|s: 1,5|t: (1)|%+|%2|u: ',|v: [?a, b]|w: {a: , b}
"""
SOUP = [piece.replace("%", "|") for line in PIECES.strip().splitlines() for piece in line.split("|")]

lines = st.builds(
    lambda indent, piece: " " * indent + piece, st.sampled_from([0, 0, 0, 1, 2, 2, 3, 4, 6]), st.sampled_from(SOUP)
)
plain_text = st.text("abz019 .:-_/#'\"[]{}é,|>", max_size=9)
values = st.recursive(
    st.one_of(plain_text, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False), st.dates()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(plain_text, inner, max_size=4)),
    max_leaves=12,
)


def records(tape: PositionMap) -> tuple[Any, ...]:
    # An alias is at the place of its anchor, which is all that one sees of it.
    places = [(tape.lines[index], tape.columns[index]) for index in map(tape.resolve, range(len(tape.lines)))]
    return places, {at: size for at, size in tape.sizes.items() if size > 1}


def check(text: str, table: ScalarTable, reader: Reader) -> bool:
    """Compare, where the text is plain; and say whether it is."""
    source = Source.of_text("x.yaml", text)
    found = read_lines(source, table, LIMITS, reader=reader)
    if found is None:
        return False
    expected = read_nodes(source, table, pure=True, limits=LIMITS, single=False)
    assert [repr(each.value) for each in found] == [repr(each.value) for each in expected]
    assert [records(each.tape) for each in found] == [records(each.tape) for each in expected]
    assert [each.tape.aliases for each in found] == [each.tape.aliases for each in expected]
    assert not any(each.notes for each in expected)
    return True


tables = st.sampled_from([PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET])


@both_readers
@given(st.lists(lines, min_size=1, max_size=8), tables)
def test_lines_thrown_together(reader: Reader, soup: list[str], table: ScalarTable) -> None:
    check("\n".join(soup) + "\n", table, reader)


flows = st.lists(
    st.sampled_from(["[", "]", "{", "}", ", ", ",", "a: ", "b: ", "x", "1", "'q'", " ", "-1", "?"]), max_size=12
)


@both_readers
@given(flows, tables)
def test_flow_collections_thrown_together(reader: Reader, pieces: list[str], table: ScalarTable) -> None:
    check(f"k: {{a: {''.join(pieces)}}}\nl: [{''.join(pieces)}]\n", table, reader)
    check(f"k: [{''.join(pieces)}]\n", table, reader)


@both_readers
@given(values, tables)
def test_what_pyyaml_writes(reader: Reader, value: Any, table: ScalarTable) -> None:
    check(yaml.safe_dump(value, allow_unicode=True, sort_keys=False), table, reader)


PLAIN = """\
# a comment
---
schema: example/Software/v1   # behind a value
metadata:
  labels: {tier: web, zone: 'a b'}

  ports: [80, "x", -1]
  nested: {a: [b, {c: d}], e: [], f: [[1], [2, 'x']] }
  empty:
  nothing: ~
OS::Nova::Server: server.yaml
'on': "off"
"a b": 'c'
content: |
  first
    second

  - third: 1

kept: |-
  text
list:
- a
-
- name: b
  size: 2
- |
  item
-   - x
"""


@both_readers
@pytest.mark.parametrize("table", [PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET], ids=str)
def test_plain_text_is_read_by_lines(reader: Reader, table: ScalarTable) -> None:
    assert check(PLAIN.replace("-   - x\n", ""), table, reader)
    assert check(f"{PLAIN.replace('-   - x', '- y')}---\nb: 1\n", table, reader)
    assert check(PLAIN, table, reader) is (reader is not PURE)


@both_readers
@pytest.mark.parametrize(
    "text",
    ["a: 1\r", "a:\t1\n", "a: 1\na: 2\n", "a\n", "a: é\u2028\n", "a: *b\n", "a: !b c\n", "? a\n", "%a\n---\nb: 1\n"],
)
def test_what_is_not_surely_plain_is_left_to_a_parser(reader: Reader, text: str) -> None:
    assert not check(text, PYYAML, reader)


@both_readers
def test_depth_is_bounded(reader: Reader) -> None:
    deep = "".join(f"{'  ' * at}a:\n" for at in range(20)) + "  " * 20 + "b: 1\n"
    source = Source.of_text("x.yaml", deep)
    assert read_lines(source, PYYAML, Limits(depth=25), reader=reader) is not None
    assert read_lines(source, PYYAML, Limits(depth=20), reader=reader) is None
    flow = Source.of_text("x.yaml", "a:\n  b: []\n")
    assert read_lines(flow, PYYAML, Limits(depth=2), reader=reader) is None
    deep_flow = Source.of_text("x.yaml", f"a: {'[' * 33}{']' * 33}\n")
    assert read_lines(deep_flow, PYYAML, LIMITS, reader=reader) is None
