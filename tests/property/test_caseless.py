"""Keys without case and their C extension: equal and hashed without case, but keeping their own spelling."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.dialects.datum.operators.unwrap import Closed
from lamina.sources.powershell.case_insensitive import CaselessKey, caseless, folded, with_case, with_case_py
from support.allocations import blocks_left_by
from support.c_extensions import extension

compiled, needs_compiled = extension("lamina.sources.powershell._case_insensitive")

texts = st.text("aAbBäÄßİı1- ", max_size=4)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts, st.just(b"b"))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(Closed),
        st.dictionaries(texts.map(caseless) | texts, inner, max_size=4),
    ),
    max_leaves=12,
)


@given(texts, texts)
def test_keys_equal_whatever_their_case(one: str, two: str) -> None:
    first, second = caseless(one), CaselessKey(two)
    same = folded(one) == folded(two)
    assert (first == second) is same
    assert (second in {first: 1}) is same
    assert hash(first) == hash(folded(one))
    assert (str(first), hash(str(first))) == (one, hash(one))
    assert first.text == one


@given(texts)
def test_keys_are_copied_and_pickled_as_they_are(text: str) -> None:
    for key in (copy.copy(caseless(text)), copy.deepcopy(caseless(text)), pickle.loads(pickle.dumps(caseless(text)))):
        assert (type(key), key, str(key), hash(key)) == (CaselessKey, caseless(text), text, hash(folded(text)))


def shown(value: Any) -> Any:
    if isinstance(value, dict):
        return dict, [(type(key), str(key), shown(item)) for key, item in value.items()]
    return (type(value), [shown(item) for item in value]) if isinstance(value, list) else (type(value), repr(value))


@needs_compiled
@given(values)
def test_values_with_case_are_the_same_by_both(value: Any) -> None:
    assert shown(compiled.with_case(value)) == shown(with_case_py(value))


@needs_compiled
def test_what_needs_no_change_is_shared() -> None:
    items = [1, "a", None]
    assert compiled.with_case({caseless("A"): items})["A"] is items
    assert compiled.with_case(items) is items


@needs_compiled
def test_nothing_is_left_behind() -> None:
    value = {caseless("A"): [{caseless("B"): 1, "c": [[], Closed([1])]}], caseless("d"): b"x"}

    def convert_often() -> None:
        for _ in range(5_000):
            compiled.with_case(value)

    assert blocks_left_by(convert_often) < 200


@needs_compiled
def test_depth_is_bounded() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    with pytest.raises(RecursionError):
        compiled.with_case(value)
    while isinstance(value, list):
        value = value[0]


@needs_compiled
def test_only_keys_take_another_hash() -> None:
    for arguments in (("a", "b"), (caseless("a"),), (caseless("a"), 1)):
        with pytest.raises(TypeError):
            compiled.take_hash(*arguments)


def test_without_the_extension_they_are_the_same() -> None:
    code = (
        "from lamina.sources.powershell.case_insensitive import caseless, with_case\n"
        "assert hash(caseless('Ab')) == hash('ab')\n"
        "assert {caseless('Ab'): 1}[caseless('aB')] == 1\n"
        "assert list(with_case({caseless('Ab'): 1})) == ['Ab']\n"
    )
    environment = {**os.environ, "LAMINA_PURE": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert with_case({caseless("Ab"): 1}) == {"Ab": 1}
