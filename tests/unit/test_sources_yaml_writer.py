"""Writing YAML: text as PyYAML's."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
import yaml

from lamina.errors import UsageError
from lamina.sources.caseless_keys import CaselessKey
from lamina.sources.decimals import WrittenDecimal
from lamina.sources.yaml.annotated_writer import annotated
from lamina.sources.yaml.writer import dump, dump_all


def test_headers_and_streams() -> None:
    assert dump({"a": [1]}, header="#cloud-config") == "#cloud-config\na:\n- 1\n"
    assert dump_all([{"a": 1}, [], "x", None]) == "a: 1\n--- []\n--- x\n--- null\n...\n"
    assert dump_all([]) == ""


def test_shared_data_gets_no_anchors() -> None:
    shared = {"x": [1]}
    assert dump([shared, shared]) == "- x:\n  - 1\n- x:\n  - 1\n"


def test_keys_that_cannot_be_compared_stay_as_they_are() -> None:
    assert dump({"b": 1, 1: 2, "a": 3}, sort_keys=True) == "b: 1\n1: 2\na: 3\n"
    assert dump({"b": 1, "a": 3}, sort_keys=True) == "a: 3\nb: 1\n"


def test_sets_are_sorted() -> None:
    assert dump({"s": {"c", "a", "b"}}) == "s: !!set\n  a: null\n  b: null\n  c: null\n"


@pytest.mark.parametrize("value", [object(), [1j], {"a": {"b": object()}}])
def test_other_things_are_rejected(value: Any) -> None:
    with pytest.raises(UsageError, match="not-yaml"):
        dump(value)


def test_a_number_nobody_can_write_and_a_value_too_deep() -> None:
    with pytest.raises(UsageError, match="number-too-long"):
        dump([1 << 20_000])
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(UsageError, match="too-deep"):
        dump(deep)


def test_annotations_are_at_the_end_of_the_line() -> None:
    value = {"a": 1, "b": {"c": ["x", {}]}, "d": "two\nlines", "e": b"bytes", "f": {"s"}, "": 0}
    text = annotated(value, lambda path: None if path == ("a",) else "/".join(map(str, path)) + "\nmore")
    assert text == (
        "a: 1\nb:\n  c:\n  - x  # b/c/0 more\n  - {}  # b/c/1 more\n"
        "d: 'two\n\n  lines'  # d more\ne: !!binary |  # e more\n  Ynl0ZXM=\n"
        "f: !!set  # f more\n  s: null\n? ''\n: 0  # more\n"
    )
    assert yaml.safe_load(text) == value
    assert annotated(7, lambda _: "here") == "7  # here\n...\n"


@pytest.mark.parametrize("value", [WrittenDecimal(Decimal("1.10")), CaselessKey("Name")])
def test_a_document_that_is_one_scalar_of_a_kind_of_its_own(value: Any) -> None:
    plain = float(value) if isinstance(value, float) else str(value)
    assert dump(value) == dump(plain)
    assert dump_all([{}, value]) == dump_all([{}, plain])
