"""Properties of reading and writing, with PyYAML as the judge."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.errors import InputError
from lamina.sources.json import writer as json_writer
from lamina.sources.json.reader import read_json
from lamina.sources.source import Source
from lamina.sources.yaml.annotated_writer import annotated
from lamina.sources.yaml.reader import read, read_one
from lamina.sources.yaml.writer import dump

if TYPE_CHECKING:
    from lamina.origins import PositionMap
    from lamina.sources.document import Document

AWKWARD = [
    *("yes", "No", "null", "~", "1", "0644", "1_000", "1:30", "1e3", "1.5", ".inf", "2024-01-02", "=", "<<", "-", "?"),
    *(
        "",
        " ",
        " x",
        "x ",
        "a: b",
        "a #b",
        "- a",
        "x\ty",
        "two\nlines",
        "x\n",
        "\n",
        "\n x",
        "x \ny",
        "it's",
        '"q"',
        "é",
    ),
    *(
        "\u2028",
        "\x85",
        "\ufeff",
        "😀",
        "\x07",
        "word " * 30,
        "x" * 130,
        "x" * 78 + " y",
        "[a]",
        "{a",
        "&a",
        "*a",
        "!a",
    ),
    *("---", "...", "a\\b", "%a", "@a", "http://x/?y=z", "a?b", "key:", "#!/bin/sh\necho 'hi'\n  indented\n"),
]
PRINTABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff\ufffe\uffff")
TEXTS = st.one_of(st.sampled_from(AWKWARD), st.text(PRINTABLE, max_size=20), st.text("ab :-#'\"\n?[]{},", max_size=12))
ZONES: Any = st.one_of(st.none(), st.just(UTC), st.just(timezone(timedelta(hours=5, minutes=30))))
SCALARS = st.one_of(
    TEXTS,
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.dates(date(1000, 1, 1)),
    # YAML cannot say that a time is the second of its name.
    st.datetimes(datetime(1000, 1, 1), timezones=ZONES).map(lambda time: time.replace(fold=0)),
    st.binary(max_size=80),
)
KEYS = st.one_of(TEXTS, TEXTS, st.integers(), st.booleans(), st.none(), st.dates(date(1000, 1, 1)))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4), st.sets(st.integers(), max_size=3)
    ),
    max_leaves=20,
)
STYLES = st.fixed_dictionaries(
    {
        "default_flow_style": st.sampled_from([True, False, None]),
        "default_style": st.sampled_from([None, None, '"', "'", "|", ">"]),
        "allow_unicode": st.booleans(),
        "width": st.sampled_from([20, 80, 1000]),
        "indent": st.sampled_from([2, 4, 8]),
        "explicit_start": st.booleans(),
        "canonical": st.sampled_from([None, None, None, True]),
        "line_break": st.sampled_from(["\n", "\r\n", "\r"]),
    }
)


class Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def nodes(document: Document) -> list[tuple[Any, int]]:
    """Every value and key of a document with its record."""
    positions = document.positions
    found: list[tuple[Any, int]] = []
    todo: list[tuple[Any, int]] = [(document.value, 0)]
    while todo:
        value, index = todo.pop()
        found.append((value, index))
        if isinstance(value, (dict, set)):
            for key in value:
                key_at, value_at = positions.member(index, value, key)
                todo.append((key, key_at))
                if isinstance(value, dict):
                    todo.append((value[key], value_at))
        elif isinstance(value, list):
            todo.extend((item, positions.item(index, at)) for at, item in enumerate(value))
    return found


def text_at(lines: list[str], positions: PositionMap, index: int) -> str:
    origin = positions.origin(index)
    return "\n".join([lines[origin.line - 1][origin.column - 1 :], *lines[origin.line :]])


@given(VALUES, STYLES)
@settings(max_examples=150, deadline=None)
def test_read_gives_what_pyyaml_gives(value: Any, style: dict[str, Any]) -> None:
    text = yaml.dump(value, Dumper=yaml.SafeDumper, sort_keys=False, **style)
    try:
        expected = yaml.safe_load(text.encode())
    except (yaml.YAMLError, ValueError):
        return
    document = read_one(Source.of_text("s", text))
    assert repr(document.value) == repr(expected)
    assert repr(read_one(Source.of_text("s", text), loader="c").value) == repr(expected)


@given(
    st.lists(st.one_of(st.text("abc:- #'\"[]{},&*!|>?=<\n\t ~1é", max_size=25), st.sampled_from(AWKWARD)), max_size=4)
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_taken_or_rejected_as_pyyaml_does(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    try:
        expected = list(yaml.safe_load_all(text.encode()))
    except Exception as fault:
        mark = getattr(fault, "problem_mark", None)
        try:
            read(Source.of_text("s", text))
        except InputError as rejected:
            at = rejected.diagnostic.at
            assert at
            assert mark is None or (at.line, at.column) == (mark.line + 1, mark.column + 1)
            return
        raise AssertionError(f"taken, but PyYAML says {fault}") from fault
    try:
        got = [document.value for document in read(Source.of_text("s", text))]
    except InputError as rejected:
        assert rejected.diagnostic.code == "cyclic-alias"
        return
    assert repr(got) == repr(expected)


@given(VALUES, st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_text_at_each_place_is_the_node(value: Any, flow: bool) -> None:
    text = yaml.dump(value, Dumper=Plain, sort_keys=False, default_flow_style=flow, width=1 << 20, allow_unicode=False)
    document = read_one(Source.of_text("s", text))
    lines = text.split("\n")
    for node, index in nodes(document):
        if isinstance(node, (dict, list, set)):
            continue
        rest = text_at(lines, document.positions, index)
        # Outside of brackets a plain scalar would run on into the lines below.
        rest = rest if flow or rest[:1] in "'\"|>!" else rest.partition("\n")[0]
        events = yaml.parse(("[" * (flow and index > 0) + rest).encode(), Loader=yaml.CSafeLoader)
        event = next(event for event in events if isinstance(event, yaml.ScalarEvent))
        loader: Any = yaml.SafeLoader("")
        tag = event.tag or loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        assert repr(loader.construct_object(yaml.ScalarNode(tag, event.value))) == repr(node)


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_both_ways_of_reading_agree_on_values_and_places(value: Any) -> None:
    text = yaml.dump({"k": value}, Dumper=yaml.SafeDumper, sort_keys=False)
    fast = read_one(Source.of_text("s", text))
    thorough = read_one(Source.of_text("s", "!!map\n" + text))
    assert repr(fast.value) == repr(thorough.value)
    here = [fast.positions.origin(index) for _, index in nodes(fast)[1:]]
    there = [thorough.positions.origin(index) for _, index in nodes(thorough)[1:]]
    assert [(at.line + 1, at.column) for at in here] == [(at.line, at.column) for at in there]


@given(VALUES, st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_written_as_pyyaml_writes(value: Any, sort_keys: bool, allow_unicode: bool) -> None:
    expected = yaml.dump(
        _sorted_sets(value), Dumper=Plain, default_flow_style=False, sort_keys=sort_keys, allow_unicode=allow_unicode
    )
    assert dump(value, sort_keys=sort_keys, allow_unicode=allow_unicode) == expected


def _sorted_sets(value: Any) -> Any:
    """The value with sets that PyYAML walks in order."""
    if isinstance(value, dict):
        return {key: _sorted_sets(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_sorted_sets(item) for item in value]
    return _Set(value) if isinstance(value, set) else value


class _Set(set[int]):
    def __iter__(self) -> Any:
        return iter(sorted(set(super().__iter__())))


Plain.add_representer(_Set, yaml.SafeDumper.represent_set)


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_what_is_written_reads_back(value: Any) -> None:
    again = read_one(Source.of_text("s", dump(value))).value
    assert repr(again) == repr(value) or again == value


@given(VALUES, st.booleans())
@settings(max_examples=100, deadline=None)
def test_annotated_reads_as_the_same_value(value: Any, allow_unicode: bool) -> None:
    plain = read_one(Source.of_text("s", dump(value, allow_unicode=allow_unicode))).value
    text = annotated(value, lambda path: f"from {path!a}: 'x' # y", allow_unicode=allow_unicode)
    assert repr(read_one(Source.of_text("s", text)).value) == repr(plain)


JSON = st.recursive(
    st.one_of(st.text(max_size=8), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False))
    | st.sampled_from([None, True, False]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=15,
)


@given(JSON, st.sampled_from([None, 0, 2, 4]))
@settings(max_examples=100, deadline=None)
def test_json_reads_as_the_json_module_and_back(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    document = read_json(Source.of_text("s", text))
    assert repr(document.value) == repr(value)
    lines = text.split("\n")
    for node, index in nodes(document):
        assert repr(json.JSONDecoder().raw_decode(text_at(lines, document.positions, index))[0]) == repr(node)
    assert repr(json.loads(json_writer.dump(value))) == repr(value)
    assert json_writer.dump(value, indent=2) == json.dumps(value, indent=2, ensure_ascii=False) + "\n"
