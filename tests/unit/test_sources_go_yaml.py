"""YAML as Helm and kubectl read it: values, keys, positions, and what is rejected."""

from __future__ import annotations

from typing import Any

import pytest

from lamina.errors import InputError
from lamina.plugin import LayerDocument, Run, Source
from lamina.plugin.formats import go_float, read_go_yaml


def read(text: str) -> LayerDocument:
    return read_go_yaml(Source("v.yaml", text.encode()), Run())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y", True), ("N", False), ("on", True), ("Off", False), ("yEs", "yEs"), ("tRue", "tRue"), ("~", None),
        ("010", 8), ("0o10", 8), ("0X1f", 31), ("0b101", 5), ("-0b11", -3), ("08", 8), ("0o8", "0o8"), ("0xG", "0xG"),
        ("1_000", 1000), ("0x_1", 1), ("_1", "_1"), ("1__0", 10), ("1e3", 1000), ("1.", 1), ("+.5", 0.5), (".5_0", 0.5),
        ("._5", "._5"), ("1.5e-3", 0.0015), ("1e400", "1e400"), ("12:30", "12:30"), ("2020-01-01", "2020-01-01"),
        ("1.2.3", "1.2.3"), ("=", "="), ("9007199254740993", 9007199254740992.0), ("18446744073709551616", 2.0**64),
        ("-9223372036854775809", -(2.0**63)), ("1.0", 1), ("-0", 0), ("!!str 1", "1"), ("!!int '5'", 5),
        ("!!float 3", 3), ("!reset x", "x"), ("!!binary aGVsbG8=", "hello"), ("!!set {x}", {"x": None}), ('"y"', "y"),
    ],
)  # fmt: skip
def test_scalars(text: str, value: Any) -> None:
    found = read(f"a: {text}\n").value["a"]
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("y", "true"), ("No", "false"), ("010", "8"), ("1.0", "1"), ("1e10", "1e+10"), ("1.5", "1.5"), ('"y"', "y"),
        (".inf", ".inf"), ("0.1", "0.1"), ("9007199254740993", "9007199254740993"),
    ],
)  # fmt: skip
def test_keys_are_strings(text: str, key: str) -> None:
    assert read(f"{text}: v\n").value == {key: "v"}


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("a: 1\n~: 2\n", "v.yaml:2:1", "null cannot be a key"),
        ("? [a]\n: 1\n", "v.yaml:1:3", "a list cannot be a key"),
        ("a:\n  b: .nan\n", "v.yaml:2:6", "not a number that JSON has"),
        ("%YAML 1.2\n---\na: 1\n", "v.yaml:1:1", "another version of YAML"),
        ("a: {<<: 5}\n", "v.yaml:1:9", "a merge key needs a mapping"),
        ("a: &x [*x]\n", "v.yaml:1:8", "refers to itself"),
        ("a: !!int x\n", "v.yaml:1:4", "not a valid"),
    ],
)
def test_what_is_rejected(text: str, place: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        read(text)
    assert str(caught.value.diagnostic.at) == place


def test_a_merge_key_overwrites_what_is_before_it() -> None:
    found = read("a: &x {p: 1, q: 2}\nb: {q: 5, <<: *x, p: 7}\n")
    assert found.value["b"] == {"q": 2, "p": 7}
    assert [str(found.root("v").at(("b", key)).origin()) for key in "qp"] == ["v.yaml:1:17", "v.yaml:2:22"]


def test_anchors_may_be_defined_again_also_inside() -> None:
    assert read("a: &x 1\nb: *x\nc: &x 2\nd: *x\n").value == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert read("a: &x [&x 1]\nb: *x\n").value == {"a": [1], "b": 1}


def test_only_the_first_document_is_read() -> None:
    assert read("---\n---\na: 1\n").value is None
    assert read("a: 1\n---\n: [\n").value == {"a": 1}


def test_floats_as_go_prints_them() -> None:
    numbers = (1e6, 100000.0, 1.5, 123456789.0, 0.00001, 0.0001, -2.5e-7, 1e21, 0.0)
    assert [go_float(each) for each in numbers] == [
        "1e+06", "100000", "1.5", "1.23456789e+08", "1e-05", "0.0001", "-2.5e-07", "1e+21", "0",
    ]  # fmt: skip
    assert [go_float(each, single=True) for each in (1e39, 16777217.0)] == [".inf", "1.6777216e+07"]


def test_a_merge_key_may_have_its_tag() -> None:
    assert read("a: &a {x: 1}\nb:\n  !!merge <<: *a\n  z: 2\n").value["b"] == {"x": 1, "z": 2}
