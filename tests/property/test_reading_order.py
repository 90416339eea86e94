"""What a text reads as does not depend on what was read before it: caches of scalars never decide what is plain."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.errors import InputError
from lamina.session import default_session
from lamina.sources.limits import LIMITS
from lamina.sources.source import Source
from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.pyyaml_reader import FastParser, PureParser, read_nodes
from lamina.sources.yaml.reader import read
from lamina.sources.yaml.scalars import PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET, ScalarTable
from support.line_readers import SOUP, both_readers, needs_compiled

if TYPE_CHECKING:
    from lamina.sources.yaml.fast_reader import Reader

VALUES = [
    *("-", "--", "?", "?x", "*a", "&a b", "!y x", "@x", "%x", "`x", "a: b", "c: d", ": x", "# x", "| ", "> x", ", x"),
    *("yes", "1", "1_0", "~", "=", "<<", "2001-01-01", "'q'", '"c: d"', "[a]", "{a: 1}", "a #b", "", "it's", "]", "}"),
]
FORMS = [
    *("o: [%]\n", "o: {a: %}\n", 'x: ! "%"\n', "x: ! '%'\n", "x: !!str %\n", "v: %\n", "r:\n- %\n", "- - %\n"),
    *("%: 1\n", "? %\n", "a: &a 1\nb: %\n", "b: >-\n  %\n", "v:\n  %\n", "v: 1\nw: %", "%\n"),
]
SEQUENCES = st.one_of(
    # The same characters inside brackets, behind a tag, in block text, as a value, an entry and a key.
    st.builds(
        lambda forms, value: [form.replace("%", value) for form in forms],
        st.lists(st.sampled_from(FORMS), min_size=2, max_size=8),
        st.sampled_from(VALUES),
    ),
    st.lists(
        st.lists(st.sampled_from(SOUP), min_size=1, max_size=4).map(lambda lines: "\n".join([*lines, ""])),
        min_size=2,
        max_size=6,
    ),
)
TABLES = [PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET]


def forget() -> None:
    """Forget everything that reading keeps between texts."""
    default_session().clear()
    for table in TABLES:
        table.cache.clear()


def outcome(text: str, table: ScalarTable, reader: Reader | None) -> Any:
    """The values and places of a text, or where and how it is rejected."""
    source = Source.of_text("x.yaml", text)
    try:
        found = read_lines(source, table, LIMITS, reader=reader)
        if found is None:
            found = read_nodes(source, table, PureParser if table is PYYAML else FastParser, LIMITS, single=False)
    except InputError as error:
        return str(error)
    return [(repr(each.value), each.positions.lines, each.positions.columns, each.positions.sizes) for each in found]


@both_readers
@settings(deadline=None)
@given(SEQUENCES, st.sampled_from(TABLES))
def test_a_text_reads_the_same_after_any_others(reader: Reader | None, texts: list[str], table: ScalarTable) -> None:
    alone = []
    for text in texts:
        forget()
        alone.append(outcome(text, table, reader))
    forget()
    assert [outcome(text, table, reader) for text in texts] == alone


SEQUENCE = [
    "opts: [-]\n",
    "rows:\n- -\n",
    "description: -\n",
    'x: ! "c: d"\n',
    "a: &a 1\nb: *a\n",
    'x: ! "*a"\n',
    "a: &a 1\nb: *a\n",
    'x: ! "!y x"\n',
    "c: !y x\n",
    'x: ! "@x"\n',
    "b: @x\n",
    "b: c: d\n",
]
SHOWN = [
    {"opts": ["-"]},
    {"rows": [[None]]},
    "invalid-yaml",
    {"x": "c: d"},
    {"a": 1, "b": 1},
    {"x": "*a"},
    {"a": 1, "b": 1},
    {"x": "!y x"},
    "invalid-yaml",
    {"x": "@x"},
    "invalid-yaml",
    "invalid-yaml",
]
SCRIPT = """
import json, sys
from lamina.errors import InputError
from lamina.sources.source import Source
from lamina.sources.yaml.reader import read_one

def shown(text):
    try:
        return read_one(Source.of_text("x.yaml", text)).value
    except InputError as error:
        return error.diagnostic.code

print(json.dumps([shown(text) for text in json.load(sys.stdin)]))
"""


@pytest.mark.parametrize("pure", [pytest.param("1", id="pure"), pytest.param("", id="compiled", marks=needs_compiled)])
def test_files_read_in_one_process_and_each_in_its_own(pure: str) -> None:
    def shown(texts: list[str]) -> Any:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=json.dumps(texts),
            env={"LAMINA_PURE": pure},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    assert shown(SEQUENCE) == SHOWN
    assert shown(SEQUENCE[::-1]) == SHOWN[::-1]
    for text, expected in list(zip(SEQUENCE, SHOWN, strict=True))[:3]:
        assert shown([text]) == [expected]


@pytest.mark.parametrize(
    ("text", "taken"), [("k: [!!str, a]\n", ["", "a"]), ("k: {a: !!str, b: 1}\n", {"a": "", "b": 1})]
)
def test_a_tag_right_before_a_comma(text: str, taken: Any) -> None:
    """PyYAML's own parser takes the comma into the tag; libyaml, with which Heat and Deckhand read, does not."""
    source = Source.of_text("x.yaml", text)
    with pytest.raises(InputError) as rejected:
        read(source)
    assert rejected.value.diagnostic.code == "invalid-yaml"
    assert read(source, loader="c")[0].value == {"k": taken}
    assert read(Source.of_text("x.yaml", text.replace("!!str,", "!!str ,")))[0].value == {"k": taken}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("k: {a: , b: 1}\n", (1, 7)),
        ("k: {a:   }\n", (1, 7)),
        ("k: [a: , b]\n", (1, 7)),
        ("k: {a   , b: 1}\n", (1, 9)),
        ("k:   \nb: 1\n", (1, 3)),
        ("k:\n-   \n- 1\n", (2, 2)),
        ("k:\n- ? ", (2, 5)),
    ],
)
def test_an_absent_value_is_where_pyyaml_places_it(text: str, place: tuple[int, int]) -> None:
    positions = read(Source.of_text("x.yaml", text))[0].positions
    places = [(positions.origin(index).line, positions.origin(index).column) for index in range(len(positions.lines))]
    assert place in places
    assert places == _pyyaml_places(text)


def _pyyaml_places(text: str) -> list[tuple[int, int]]:
    import yaml

    starts = (yaml.ScalarEvent, yaml.CollectionStartEvent)
    events: Any = yaml.parse(text, Loader=yaml.SafeLoader)
    marks: list[Any] = [each.start_mark for each in events if isinstance(each, starts)]
    return [(mark.line + 1, mark.column + 1) for mark in marks]
