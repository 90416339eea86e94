"""The C reader of plain lines gives what PyYAML's gives for the texts it takes; and it leaks nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lamina.dialects.datum.powershell_data.caseless_document import without_case
from lamina.dialects.datum.powershell_data.columns import check_columns
from lamina.dialects.datum.powershell_data.documents import caseless_document
from lamina.dialects.datum.powershell_data.dotnet_parser import DotNetParser
from lamina.errors import InputError
from lamina.run import Run
from lamina.sources.caseless_keys import SPELLINGS
from lamina.sources.limits import LIMITS, Limits
from lamina.sources.source import Source
from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.pyyaml_reader import FastParser, PureParser, read_nodes
from lamina.sources.yaml.reader import read
from lamina.sources.yaml.scalars import (
    _DOTNET_WORDS,
    LONGEST_WORD,
    PYYAML,
    PYYAML_TEXT_DATES,
    WORDS,
    YAMLDOTNET,
    OddScalarError,
    ScalarTable,
)
from support.allocations import blocks_left_by
from support.line_readers import COMPILED, PLAIN, SOUP, needs_compiled

if TYPE_CHECKING:
    from lamina.sources.document import Document
    from lamina.sources.limits import Limits
    from lamina.sources.yaml.fast_reader import Reader

pytestmark = needs_compiled
ROOT = Path(__file__).parents[2]
TABLES = [PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET]
tables = st.sampled_from(TABLES)
WAYS: list[tuple[ScalarTable, dict[str, Any] | None]] = [*((table, None) for table in TABLES), (YAMLDOTNET, SPELLINGS)]
"""How texts are read: what plain scalars mean, and how keys are converted."""
ways = st.sampled_from(WAYS)


def shape(value: Any) -> Any:
    """A value with the types of all it holds, and the order of its keys."""
    if type(value) is dict:
        return "dict", [(type(key), str(key), shape(item)) for key, item in value.items()]
    return ("list", [shape(item) for item in value]) if type(value) is list else (type(value), repr(value))


def outcome(reader: Reader, text: str, table: ScalarTable, keys: dict[str, Any] | None, depth: int) -> Any:
    def bounded(data: bytes, scalars: Any, keys: Any, starts: str, _: int, nodes: int) -> Any:
        return reader(data, scalars, keys, starts, depth, nodes)

    source = Source("f", text.encode("utf-8", "surrogatepass"))
    return described(read_lines(source, table, LIMITS, keys, bounded), table)


def described(documents: list[Document] | None, table: ScalarTable) -> Any:
    if documents is None:
        return None
    documents = used(documents, table)
    for one in documents:
        assert one.only_json == holds_only_json(one.value) or one.positions.members, one.value
    return [(*resolved(one), members_of(one), one.notes) for one in documents]


def used(documents: list[Document], table: ScalarTable) -> list[Document]:
    """Those that a program uses: it may read no further than the first one."""
    return documents[:1] if table is YAMLDOTNET else documents


def holds_only_json(value: Any) -> bool:
    if type(value) is dict:
        return all(type(key) is str for key in value) and all(map(holds_only_json, value.values()))
    if type(value) is list:
        return all(map(holds_only_json, value))
    return type(value) in (str, int, float, bool, type(None))


def resolved(document: Document) -> tuple[Any, ...]:
    """All of a document; an alias is at the place of its anchor, which is all that one sees of it."""
    positions = document.positions
    anchors = [positions.resolve(index) for index in range(len(positions.lines))]
    places = [(positions.lines[index], positions.columns[index]) for index in anchors]
    sizes = {index: size for index, size in positions.sizes.items() if size > 1}
    return shape(document.value), places, sizes, positions.aliases


def agree(
    text: str, table: ScalarTable = PYYAML, keys: dict[str, Any] | None = None, depth: int = LIMITS.depth
) -> bool:
    """Compare what is taken with what parsers make of it; and say whether the text is taken."""
    found = outcome(COMPILED, text, table, keys, depth)
    if found is None or keys is not None:
        return found is not None
    limits = replace(LIMITS, depth=depth)
    # Which parser makes the nodes has nothing to do with what scalars mean: the slow one is asked for one table.
    for pure in (False, True) if table is PYYAML else (False,):
        assert found == parsed(text, table, pure, limits)
    return True


def parsed(text: str, table: ScalarTable, pure: bool, limits: Limits) -> Any:
    """What PyYAML's nodes say, and whether YamlDotNet would take the columns."""
    source = Source("f", text.encode())
    if table is YAMLDOTNET:
        check_columns(source, FastParser)
    parser = PureParser if pure else FastParser
    documents = used(read_nodes(source, table, parser, limits, single=False), table)
    return [(*resolved(one), members_of(one), one.notes) for one in documents]


BASES = [
    PLAIN.replace("-   - x\n", ""),
    PLAIN.replace("-   - x\n", "").replace("first", "prémière").replace("web", "'ß'"),
    PLAIN.replace("-   - x\n", "").replace("second", "第二").replace("text", "文字 x"),
    PLAIN.replace("-   - x\n", "").replace("third", "😀").replace("server.yaml", "😀 y"),
    "a: 1\n---\nb:\n- c: {d: e}\n  f: 'g'\n---\nh: |\n  i\n\n",
    "Name: a\nname2: b\nconfig:\n  Table:\n    Member: [x, {Y: z}]\n    'Other': 1\n",
]
edits = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.integers(0, 4),
        st.one_of(
            st.sampled_from(
                [*SOUP, "\n", "\n  ", " ", "---\n", "\t", "\r", "\u2028", "é", "日", "😀", "\x00", "A", "Name: 1\n"]
            ),
            st.text(max_size=3),
        ),
    ),
    max_size=4,
)


@given(st.sampled_from(BASES), edits, ways)
def test_edited_documents(text: str, changes: list[tuple[int, int, str]], way: tuple[ScalarTable, Any]) -> None:
    for place, length, new in changes:
        at = place % (len(text) + 1)
        text = text[:at] + new + text[at + length :]
    agree(text, *way)


lines = st.builds(
    lambda indent, piece: " " * indent + piece,
    st.sampled_from([0, 0, 0, 2, 2, 3, 4]),
    st.sampled_from([*SOUP, "é: 1", "e: ü", "'日': 本", "- 😀", "K: 1", "k: 2"]),
)


@given(st.lists(lines, max_size=9), ways, st.integers(4, 9))
def test_lines_thrown_together(soup: list[str], way: tuple[ScalarTable, Any], depth: int) -> None:
    agree("".join(f"{line}\n" for line in soup), *way, depth)


@pytest.mark.parametrize("table", TABLES, ids=str)
@pytest.mark.parametrize("between", ["\n", "\n  ", "\n---\n"])
def test_every_two_lines(between: str, table: ScalarTable) -> None:
    for first in SOUP:
        agree(f"k: {first}\n- {first}\n", table)
        agree(f"- {first}\n", table)
        for second in SOUP:
            agree(f"{first}{between}{second}\n", table)


@given(st.text("ab: -#'\"[]{},|\n\\.é😀", max_size=30), tables)
def test_characters_thrown_together(text: str, table: ScalarTable) -> None:
    agree(text, table)
    agree(f"k: {text}\n", table)


@pytest.mark.parametrize("text", BASES)
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_every_beginning_of_a_document(text: str, table: ScalarTable) -> None:
    assert agree(text, table)
    for end in range(len(text)):
        agree(text[:end], table)
        agree(text[:end] + "\n", table)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("".join(f"{' ' * at}a:\n" for at in range(195)) + " " * 195 + "b: 1\n", True),
        ("".join(f"{' ' * at}a:\n" for at in range(9_000)), False),
        ("- " * 50_000 + "\n", False),
        ("".join(f"{' ' * at}-\n" for at in range(196)), True),
        ("".join(f"{' ' * at}-\n" for at in range(200)), True),
        ("".join(f"{' ' * at}-\n" for at in range(201)), False),
        ("a: " + "[" * 32 + "]" * 32 + "\n", True),
        ("a: " + "[" * 33 + "]" * 33 + "\n", False),
        ("a: " + "[" * 100_000 + "]" * 100_000 + "\n", False),
        ("a: [" + "x, " * 20_000 + "y]\n", True),
        ("a: " + "b " * 100_000 + "\n", True),
        ("a: '" + "é" * 100_000 + "'\n", True),
        ("a" * 1_000 + ": 1\n", False),
        ("a" * 999 + ": 1\n", True),
        ("'" + "a" * 998 + "': 1\n", False),
        ("'" + "a" * 997 + "': 1\n", True),
        ("a:" + "b" * 200 + "::c:d:e: 1\n", True),
        ("a:" + "b" * 201 + ": 1\n", True),
        ("a:b:c:d:e:f: 1\n", True),
        ("a: {" + "k" * 1_000 + ": 1}\n", False),
        ("a: {" + "k" * 999 + ": 1}\n", True),
        ("a:" * 100_000 + "\n", False),
        ("---\na: 1\n" * 5_000, True),
        ("---\n" * 5_000, True),
        ("---\n---\na: 1\n", True),
        ("---\n# c\n---\na: 1\n", True),
        ("a: 1\n---\n---\nb: 1\n", True),
        ("# c\n" * 20_000 + "---\na: |\n  b\n", True),
        ("a: |\n  b\n   \n\n", True),
        ("a: |-\n  b\n     \n  c\n \n", True),
        ("a: |\n", True),
        ("a: |+\n  b\n", True),
        ("a: |2\n  b\n", True),
        ("a: | \n  b\n", True),
        ("a: [b, ]\n", True),
        ("a: [,]\n", False),
        ("a: {b: c,}\n", True),
        ("a: [b,c] \n", True),
        ("a: {b:c}\n", True),
        ("a: {b:}\n", False),
        ("a: [b] # c\n", True),
        ("a: |\n---\nb: 1\n", True),
        ("a:\n  - |\n   x\n  - |-\n   é\n\n   😀\nb: 1\n", True),
        ("".join(f"k{at}: |\n  t{at}\n\n" for at in range(5_000)), True),
        ("".join(f"k{at}: v{at}\n" for at in range(20_000)) + "k7: 1\n", True),
        ("\n\n# c\n\n---\na:\n---\n-\n", True),
        ("a: 1" + "0" * 5_000 + "\n", False),
    ],
)
def test_bounds(text: str, plain: bool) -> None:
    assert agree(text) is plain


def written(value: Any) -> Iterator[str]:
    """All texts inside a value of JSON."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from written(item)
    elif isinstance(value, str):
        yield value


def test_all_yaml_of_this_project() -> None:
    texts = {path.read_text() for folder in ("examples", "docs", "tests") for path in (ROOT / folder).rglob("*.y*ml")}
    for path in (ROOT / "tests/cases").rglob("*.json"):
        texts.update(written(json.loads(path.read_text())))
    assert sum([agree(text, *way) for text in texts for way in WAYS]) > 1_000


def everything(document: Document) -> tuple[Any, ...]:
    positions = document.positions
    return (
        shape(document.value),
        positions.lines,
        positions.columns,
        positions.sizes,
        positions.aliases,
        members_of(document),
        document.notes,
    )


def members_of(document: Document) -> dict[int, list[tuple[str, tuple[int, ...]]]]:
    """The records of the members of every mapping, whether a reader wrote them down or left them to their order.

    For an alias it is that of its anchor.
    """
    positions = document.positions
    found: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
    pending: list[tuple[Any, int]] = [(document.value, 0)]
    while pending:
        value, index = pending.pop()
        index = positions.resolve(index)
        if isinstance(value, dict) and index not in found:
            members = positions.pairs(index, value)
            found[index] = [(str(key), tuple(map(positions.resolve, members[key]))) for key in value]
            pending += [(value[key], members[key][1]) for key in value]
        elif isinstance(value, list):
            pending += [(item, positions.item(index, at)) for at, item in enumerate(value)]
    return found


def _first_that_reads(source: Source) -> list[Document]:
    try:
        found, parser = read(source, YAMLDOTNET, "c"), FastParser
    except InputError:
        found, parser = read_nodes(source, YAMLDOTNET, DotNetParser, LIMITS, single=False), DotNetParser
    check_columns(source, parser)
    return found


@given(st.lists(lines, min_size=1, max_size=6), st.sampled_from(BASES))
@example(["2: x", "c: &y {a: 1, c: 2}"], BASES[0])
@example(["2: x", ": [>-, @y]", "c: {%a"], BASES[0])
@example(["2: x", ": [>-, @y]", "c: {%a}"], BASES[0])
def test_keys_without_case_are_those_of_a_second_pass(soup: list[str], base: str) -> None:
    for text in ("".join(f"{line}\n" for line in soup), base, base.replace("a", "A")):
        source = Source.of_text("x.yaml", text)
        try:
            expected = _first_that_reads(source)
        except Exception as error:
            with pytest.raises(type(error)):
                caseless_document(source, Run())
            continue
        if expected:
            assert everything(caseless_document(source, Run())) == everything(without_case(expected[0]))


def test_keys_that_differ_only_in_case_are_left_to_a_parser() -> None:
    for text in ("Ab: 1\naB: 2\n", "a: {Ab: 1, aB: 2}\n", "'É': 1\n\"é\": 2\n"):
        source = Source.of_text("x.yaml", text)
        assert read_lines(source, YAMLDOTNET, LIMITS, reader=COMPILED)
        assert read_lines(source, YAMLDOTNET, LIMITS, SPELLINGS, COMPILED) is None
        found = caseless_document(source, Run())
        assert everything(found) == everything(
            without_case(read_nodes(source, YAMLDOTNET, FastParser, LIMITS, single=False)[0])
        )


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_words_that_mean_something_are_short(table: ScalarTable) -> None:
    for word in (*WORDS, *_DOTNET_WORDS):
        assert len(word) <= LONGEST_WORD or not word[0].isalpha()
        for text in (word, word.upper(), f"{word}s", f"{word}-longer-than-that"):
            assert agree(f"a: {text}\nb: 1\n", table)
            assert table.cache[text] == table.plain(text) or table.cache[text] != table.cache[text]


def test_what_a_parser_met_before_is_still_not_plain() -> None:
    assert PYYAML.cache["?x"] == "?x"
    assert not agree("a: ?x\n")


class Refusing(dict[str, Any]):
    """A table that fails for some texts."""

    def __missing__(self, text: str) -> Any:
        if text in ("x", "Bad"):
            raise OddScalarError(text)
        return text


LEAKY = [
    *BASES,
    "a: &x {b: 1, c: [d]}\ne: {<<: *x, b: 2, b: 3}\n",
    "a: {<<: [{b: 1}, 2]}\n",
    "a: 1\na: 2\n",
    "a:\n  b:\n    - c: x\n",
    "a: [b, {c: [d, x]}]\n",
    "Bad: 1\n",
    "a: {Bad: 1}\n",
    "a: [1, {b: 2, b: 3}]\n",
    "a: |\n  b\n c\n",
    "a: |\n  b\n  \x00\n",
    "a: ?\n",
    "a:\n- b\n c\n",
    "a: 'b\n",
    "a: [b\n",
    "a: 1\n" + "# c\n" * 400 + "b: 1\n",
    "-\n-\n- a:\nb\n",
    "a: 1\n---\nb: [\n",
    "x",
]


def read_all(times: int) -> None:
    refusing = Refusing()
    for _ in range(times):
        for text in LEAKY:
            for keys in (None, refusing, Refusing()):
                try:
                    COMPILED(text.encode(), refusing, keys, "xBb", 200, 1_000)
                except OddScalarError:
                    continue


def test_nothing_is_left_behind() -> None:
    read_all(20)
    assert blocks_left_by(lambda: read_all(1_000)) < 200


def test_memory_that_runs_out_is_an_exception() -> None:
    testcapi: Any = pytest.importorskip("_testcapi")
    failed = 0
    for text in LEAKY:
        for start in range(120):
            testcapi.set_nomemory(start, start + 1)
            try:
                COMPILED(text.encode(), PYYAML.cache, PYYAML.cache, PYYAML.starts, 200, 1_000)
            except (MemoryError, OddScalarError):
                failed += 1
            finally:
                testcapi.remove_mem_hooks()
    assert failed > len(LEAKY)
    assert agree(BASES[0])


def test_arguments_are_checked() -> None:
    wrong: list[Any] = [
        ("a", {}, None, "", 9, 99),
        (b"a", None, None, "", 9, 99),
        (b"a", {}, 1, "", 9, 99),
        (b"a", {}, None, None, 9, 99),
    ]
    for arguments in wrong:
        with pytest.raises(TypeError):
            COMPILED(*arguments)


@pytest.mark.parametrize("pure", [False, True])
def test_the_environment_may_ask_to_do_without_it(pure: bool) -> None:
    code = f"from {read_lines.__module__} import READER; print(READER is None)"
    environment = {**os.environ, "LAMINA_PURE": "1" if pure else ""}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(pure)
