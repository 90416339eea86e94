"""Reading and writing JSON."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from lamina.errors import InputError, UsageError
from lamina.sources.json import writer as json_writer
from lamina.sources.json.reader import read_json
from lamina.sources.limits import Limits
from lamina.sources.source import Source

GOOD = ['{"a": [1, -2.5e3, true, false, null, "x\\u00e9\\n"], "b": {}, "c": []}', "12", '"x"', " [ ] ", "[1,\r\n2]"]
BAD = {
    "": (1, 1),
    "[1,]": (1, 4),
    "[1 2]": (1, 4),
    '{"a" 1}': (1, 6),
    "{a: 1}": (1, 2),
    '{"a": 1,}': (1, 9),
    "[1": (1, 3),
    '"open': (1, 1),
    '"\\q"': (1, 2),
    '"a\nb"': (1, 3),
    "[NaN]": (1, 2),
    "[\n  01]": (2, 4),
    "[-]": (1, 2),
    "1 2": (1, 3),
    "['a']": (1, 2),
    "// x": (1, 1),
    '{"a": }': (1, 7),
    "[1.]": (1, 3),
    "Infinity": (1, 1),
}


@pytest.mark.parametrize("text", GOOD)
def test_values_as_the_json_module(text: str) -> None:
    assert repr(read_json(Source.of_text("s", text)).value) == repr(json.loads(text))


@pytest.mark.parametrize("text", BAD)
def test_errors_have_a_place(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(text, parse_constant=lambda _: json.loads("?"))
    with pytest.raises(InputError) as caught:
        read_json(Source.of_text("s", text))
    finding = caught.value.diagnostic
    assert finding.code == "invalid-json"
    assert finding.hint
    assert finding.at
    assert (finding.at.line, finding.at.column) == BAD[text]


def test_bad_bytes_have_a_place() -> None:
    with pytest.raises(InputError) as caught:
        read_json(Source("s", b'[1,\n "\xff"]'))
    assert caught.value.diagnostic.at
    assert (caught.value.diagnostic.at.line, caught.value.diagnostic.at.column) == (2, 3)


def test_places_and_repeated_keys() -> None:
    document = read_json(Source.of_text("s", '{"a": 1,\n "b": [2, {"c": 3}],\n "a": 4}'))
    positions, value = document.positions, document.value
    assert value == {"a": 4, "b": [2, {"c": 3}]}
    assert positions.origin(positions.member(0, value, "a")[1]).line == 3
    _, at = positions.member(0, value, "b")
    at = positions.item(at, 1)
    key, _ = positions.member(at, value["b"][1], "c")
    assert (positions.origin(key).line, positions.origin(key).column) == (2, 12)
    assert [note.code for note in document.notes] == ["duplicate-key"]


@pytest.mark.parametrize(
    ("text", "code"),
    [("[" * 9_999, "too-deep"), ('{"a":' * 9_999, "too-deep"), ("1" * 5_000, "number-too-long")],
    ids=["brackets", "braces", "digits"],
)
def test_limits(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_json(Source.of_text("s", text))
    assert caught.value.diagnostic.code == code
    with pytest.raises(InputError) as caught:
        read_json(Source.of_text("s", text), Limits(size=3))
    assert caught.value.diagnostic.code == "input-too-large"


ODD: list[Any] = [
    {"a": date(2024, 1, 2), "b": datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=UTC), "c": b"hi", "d": {3, 1, 2}, "e": (1, 2)},
    {1: "a", None: "b", 2.5: "d", date(2024, 1, 2): "e", 1e20: "f"},
    {True: "a", False: "b"},
    [1e16, 1e-7, 1.5, 10**30, -(10**30), 2**63, -0.0, 5e-324],
    ['é\u2028\x7f\x00"\\', "\ud800", {}, [], [[]]],
    {"b": 1, "a": {"z": 1, "y": [{}]}, "é": 2, "😀": 3, "\uffff": 4},
    None,
]


@pytest.mark.parametrize("sort_keys", [True, False])
@pytest.mark.parametrize("value", ODD)
def test_what_is_written_is_read_as_the_plain_value(value: Any, sort_keys: bool) -> None:
    written = json_writer.dump(value, sort_keys=sort_keys)
    assert json.loads(written) == json.loads(json.dumps(json_writer.plain(value)))
    assert (
        written
        == json.dumps(json.loads(written), indent=2, sort_keys=sort_keys, ensure_ascii=False).replace(
            "\ud800", "\\ud800"
        )
        + "\n"
    )


def test_what_json_cannot_express_is_written_as_text() -> None:
    assert json.loads(json_writer.dump(ODD[0])) == {
        "a": "2024-01-02",
        "b": "2024-01-02T03:04:05.000006+00:00",
        "c": "aGk=",
        "d": [1, 2, 3],
        "e": [1, 2],
    }
    assert set(json.loads(json_writer.dump(ODD[1]))) == {"1", "null", "2.5", "2024-01-02", "1.0e+20"}
    assert json.loads(json_writer.dump(ODD[2])) == {"true": "a", "false": "b"}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"a": [float("nan")]}, "not-json"),
        (float("inf"), "not-json"),
        ({1: "a", "1": "b"}, "json-key-clash"),
        ([object()], "not-json"),
        ([1 << 20_000], "number-too-long"),
    ],
)
def test_what_json_cannot_express_at_all_is_rejected(value: Any, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        json_writer.dump(value)
    assert caught.value.diagnostic.code == code


def test_the_input_is_left_alone_and_indents_differ() -> None:
    value = {"a": (1, 2), 3: [4]}
    assert json_writer.dump(value, indent=None) == '{"a": [1, 2], "3": [4]}\n'
    assert value == {"a": (1, 2), 3: [4]}
