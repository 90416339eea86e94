"""What the fast reader takes, it reads as PyYAML's parsers do, values and places; and it takes what people write."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from test_compiled_lines import TABLES, agree, outcome, tables
from test_sources_yaml import STYLES, VALUES

from lamina.sources.limits import LIMITS
from lamina.sources.source import Source
from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.scalars import PYYAML, PYYAML_TEXT_DATES, ScalarTable
from support.line_readers import COMPILED, needs_compiled

pytestmark = needs_compiled

TAKEN = [
    "a: 1\nb: 2",
    "a: 1\r\nb: |\r\n  x\r\n  y\r\nc: 'd\r\n  e'\r\n",
    "\ufeffa: 1\n",
    "",
    "# nothing\n",
    "a: 1\n---\n",
    "--- # c\na: 1\n...\n",
    "a: 1\n...\n# c\n",
    "---\na: 1\n...\n---\nb: 2\n...\n",
    "---\n---\n",
    "a: plain text\n  that goes on\n\n  and on\nb: c\n",
    "a:\n  text below\n  its key\n- x\n".replace("- x\n", "b:\n  'quoted'\n"),
    "- 2001-01-01\n  10:00:00\n",
    "- - a\n  - b: c\n    d: e\n- - - f\n",
    "a: >\n  folded\n  text\n\n  next\n    more\n  less\n\nb: >-\n  x\nc: >+\n  y\n\nd: |2\n   z\ne: |+\n\n",
    "a: |\n\n  x\nb: |\n   \n   y\nc: |-\nd: >\n\n\ne: | # comment\n  f\n",
    "a: |\n  no end",
    "a: >+\n  no end\n  ",
    '$schema: http://x/#\n\'it\'\'s\': "a\\tb\\x41\\u00e9"\n"a\\"b" : c\nsome words : d\na::b::c: e\na[0]: f\n',
    'a: "one\n  two\n\n  three \\\n  four\\\n\n  five"\n',
    "a: 'it''s\n  here'  # c\nb: \"x\" # d\n",
    "a: [b c, /d, -e, f:g, 'h', \"i\\n\", ]\nb: {'k':'v', \"l\": m n, o: {p: [q]}}\n",
    "a: [\n  b,  # c\n  d\n  ]\ne: {\n  f: g,\n\n  # h\n  i:\n    j\n  }\n",
    "a: {b, c: d, 'e', f:g, h\n  , 'i' # j\n  , k : {l} }\nm: {\n  n\n  }\n",
    "[a, b]\n",
    "{a: b}\n---\n- c\n",
    "- name: x\n  when: a == 'b' and c | d\n  run: [a, $B]\n",
    "a: x # c\n\n# d\n  # e\nb: y\n",
    "a: :auto\nb: include ::c::d :e\n:f: g\n",
    "a: &x 1\nb: &y-1 {c: d}\ne: [*x, *y-1]\nf: *y-1 # c\n---\na: &x 2\nb: *x\n",
    "a: &x\n  b: &y\n  - c\n  d: *y\ne: &z\n- *x\n- &w\n  f: *x\ng: &v |\n  h\ni: &u\n  text\nj: [*z, *w, *v, *u]\n",
]
TAKEN_BY_PYYAML = [
    "a: 1\nb: 2\na: 3\n1: x\ntrue: y\na: 4\n",
    "a: {b: 1, b: [c], d: {e: 1, e: 2}}\na:\n- f: 1\n  f: 2\n",
    "a: &x {b: 1, c: 2}\nd:\n  c: 3\n  <<: *x\n  e: 4\nf: {<<: *x, b: 5}\n",
    "a: &x {b: 1}\nc: &y {b: 2, d: 3}\ne:\n  <<: [*x, *y]\n  d: 4\nf:\n  <<:\n  - *y\n  - *x\n  - g: 1\n",
    "a: &x {b: 1, b: 2}\nc: &y\n  <<: *x\n  d: 3\n  d: 4\ne:\n  <<: *y\n  f: *y\n  <<: {g: 1}\nh: *y\n",
    "a: &x {}\n<<: *x\n<<: {}\n---\n<<:\n  a: 1\n",
]
"""Repeated keys and merge keys, which YamlDotNet's table does not take."""


@pytest.mark.parametrize("text", TAKEN_BY_PYYAML)
def test_it_takes_repeated_and_merge_keys(text: str) -> None:
    for table in (PYYAML, PYYAML_TEXT_DATES):
        assert agree(text, table)
        for end in range(len(text)):
            agree(text[:end], table)
            agree(text[:end] + "\n", table)


@pytest.mark.parametrize("text", ["<<: 1\n", "<<:\n", "<<: [{a: 1}, 2]\n", "a: <<\n", "- <<\n", "a: [<<]\n", "<<: a\n"])
def test_it_leaves_what_is_not_merged(text: str) -> None:
    assert not agree(text)


@pytest.mark.parametrize("text", TAKEN)
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_it_takes_what_people_write(text: str, table: ScalarTable) -> None:
    assert agree(text, table)
    for end in range(len(text)):
        agree(text[:end], table)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_brackets_may_close_at_the_margin_and_text_may_not_go_on_there(table: ScalarTable) -> None:
    """YamlDotNet rejects such text, so that it is left to a parser whatever program the text is read for."""
    for text in ("a: [\n  b\n]\n", "a: {\n  b: c\n}\n", "a: [\n  b\n, [\n  c\n]\n]\n"):
        assert agree(text, table)
    for text in ("a: 'b\nc'\n", "a: 'b\n'\n", "a:\n  b: [c,\n d]\n", "a: {\nb: c\n}\n"):
        assert not agree(text, table)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "a: b: c\n",
            "a: b\n  c: d\n",
            "a: b #c\n  d\n",
            "a: 'b' c\n",
            "a: [b]c\n",
            "a: [b: c]\n",
            "a: {b:}\n",
        ),
        *(
            "a: [b,#c\n  d]\n",
            "a: 'b\n--- c'\n",
            "a: [b\n...\n]\n",
            "a: 'b\n",
            "a: [b\n",
            'a: "\\q"\n',
            'a: "\\ud800"\n',
        ),
        *(
            "a: |3x\n  b\n",
            "a: |#\n  b\n",
            "a: |0\n  b\n",
            "a: |\n    \n  b\n",
            "a: b\n...\nc: d\n",
            "...\n",
            "a: [?b]\n",
        ),
        *(
            "a: [,b]\n",
            "a: - b\n",
            "a: b\n- c\n",
            "- a\nb: c\n",
            "'a\n b': c\n",
            "{a: b}\nc: d\n",
        ),
        *(
            "--- a\n",
            "---\ta: 1\n",
            "a: |\n\tb\n",
            "[a]: b\n",
            "a: [b]: c\n",
            "a: \x07\n",
            "a: [b]\n  c\n",
        ),
        *(
            "a: *b\n",
            "a: &b\n",
            "a: &b 1\nc: &b 2\n",
            "- &a b: c\n",
            "a: &b\n  c: *b\n",
            "&a b: c\n",
            "a: &b *c\n",
            "a: [&b c]\n",
        ),
        *("a: &b 1\n---\nc: *b\n", "a: &b 1\n*b : c\n", "a: &b 1\nc: [*b: d]\n", "a: &b! 1\n", "a: &b 1\nc: *b d\n"),
    ],
)
def test_it_leaves_the_rest(text: str) -> None:
    assert not agree(text)


@given(VALUES, STYLES, tables)
def test_what_pyyaml_writes(value: Any, style: dict[str, Any], table: ScalarTable) -> None:
    agree(yaml.safe_dump(value, sort_keys=False, **style), table)


PIECES = [
    *(":a", "b: :c", ":d: e", "f :g", "- ::", "h: : i"),
    *("a: &x b", "c: *x", "- &y", "- *y", "d: &x", "e: [*x, *y]", "- &y f: g", "h: &z [i]", "{j: *z}", "*z : k"),
    *(
        "a: b",
        "c:",
        "- d",
        "-",
        "e",
        "f: >",
        "g: |-",
        "h: |+",
        "i: >2",
        "'j",
        "k'",
        '"l',
        "m\\",
        'n"',
        "o: [",
        "p,",
        "]",
        "{",
    ),
    *(
        "q: r,",
        "}",
        "s: {t: u,",
        "v: 'w",
        "# x",
        "...",
        "---",
        "y: 'z' # c",
        "- - 1",
        "- a: [b,",
        "",
        "",
        "   ",
        "2001-01-01",
    ),
    *(
        "10:00:00",
        "- |",
        "é: ü",
        "- 'x''y'",
        "k : v",
        "a b: c",
        "* x",
        "& y",
        "? z",
        "x: [a b, 'c':d]",
        'b: "\\x41\\n\\',
        "~",
    ),
]
rows = st.builds(
    lambda indent, piece: " " * indent + piece, st.sampled_from([0, 0, 0, 1, 2, 2, 3, 4]), st.sampled_from(PIECES)
)


@given(st.lists(rows, min_size=1, max_size=8), tables, st.sampled_from(["\n", "\n", "\r\n"]), st.booleans())
def test_lines_that_go_on(soup: list[str], table: ScalarTable, feed: str, ended: bool) -> None:
    agree(feed.join(soup) + feed * ended, table)


@given(st.text("ab: -#'\"[]{},|>\n\\.é?+2", max_size=40), tables)
def test_characters_thrown_together(text: str, table: ScalarTable) -> None:
    agree(text, table)
    agree(f"k: {text}\n", table)
    agree(f"- [{text}]\n", table)
    agree(f'- "{text}"\n', table)
    agree(f"- >\n  {text}\n", table)


@given(
    st.sampled_from(TAKEN),
    st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 3), st.sampled_from([*PIECES, *" \n:#'\"[]{},-|>"])), max_size=3
    ),
    tables,
)
def test_edits(text: str, changes: list[tuple[int, int, str]], table: ScalarTable) -> None:
    for place, length, new in changes:
        at = place % (len(text) + 1)
        text = text[:at] + new + text[at + length :]
    agree(text, table)


def test_what_aliases_expand_to_is_bounded() -> None:
    assert agree("a: &x [" + "1, " * 900 + "]\n" + "".join(f"b{at}: *x\n" for at in range(20)))
    assert not agree("a: &x [" + "1, " * 900 + "]\n" + "".join(f"b{at}: *x\n" for at in range(30)))
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{at}: &a{at} [*a{at - 1}, *a{at - 1}]\n" for at in range(1, 60))
    assert outcome(COMPILED, bomb, PYYAML, None, LIMITS.depth) is None
    deep = "a: &x [[[[1]]]]\nb: [[*x]]\n"
    assert agree(deep, depth=7)
    assert outcome(COMPILED, deep, PYYAML, None, 6) is None
    merged = "a: &x {b: [1]}\nc: &y {<<: *x}\nd: {<<: [*y]}\n"
    assert agree(merged, depth=6)
    assert outcome(COMPILED, merged, PYYAML, None, 5) is None
    assert agree("".join(f"a{at}: &a{at} 1\n" for at in range(256)))
    assert not agree("".join(f"a{at}: &a{at} 1\n" for at in range(257)))
    few = replace(LIMITS, alias_nodes=1)
    assert read_lines(Source("f", b"a: &x 1\nb: *x\n"), PYYAML, LIMITS) is not None
    assert read_lines(Source("f", b"a: &x 1\nb: *x\n"), PYYAML, few) is None
