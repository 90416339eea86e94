"""Unions of mappings: what they are, key by key; and what they leave as it is."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.budget import Budget, BudgetExceeded
from lamina.dialects.datum.strategy import Lists, Strategy, Tables
from lamina.engine.delta import value_of
from lamina.engine.merge_context import MergeContext
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.whole import DESCEND, TAKE
from lamina.engine.policy import Cases, PathPolicy, PathRule, Policy
from lamina.sources.caseless_keys import caseless
from lamina.values import ABSENT, ALL, LISTS, MAPS, TEXTS
from support.datum_policies import policy_of

MEMBERS = Union(Cases(((ABSENT,), ALL, TAKE), (ALL, ALL, DESCEND)))
REPLACED = Cases((MAPS, MAPS, MEMBERS), (ALL, ALL, TAKE))
JOINED = Cases(
    (MAPS, MAPS, MEMBERS), (LISTS, LISTS, JoinLists("new")), (TEXTS, TEXTS, JoinStrings(", ")), (ALL, ALL, TAKE)
)
BY_PATH = PathPolicy([PathRule(lambda names: "b" in names, JOINED)], Policy(REPLACED))

texts = st.sampled_from(["a", "A", "b", "--a", "Name", "ä"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.floats(0, 1), texts, st.just(""), st.just(b"b"))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=5)),
    max_leaves=16,
)
mappings = st.dictionaries(texts, values, max_size=5)


def merged(policy: Policy, old: Any, new: Any) -> Any:
    return value_of(policy.combine(old, new, None, MergeContext()), old, new)


def expected(old: Any, new: Any, joins: bool, *, below_b: bool = False) -> Any:
    """By the words of the policies; with `below_b`, joined only below that key."""
    if isinstance(old, dict) and isinstance(new, dict):
        result = dict(old)
        for key, value in new.items():
            inner = joins or (below_b and key == "b")
            result[key] = expected(old[key], value, inner, below_b=below_b) if key in old else value
        return result
    if joins and isinstance(old, list) and isinstance(new, list):
        return [*new, *old]
    if joins and isinstance(old, str) and isinstance(new, str):
        return f"{old}, {new}"
    return new


@given(mappings, mappings)
def test_members_are_combined_one_by_one(old: Any, new: Any) -> None:
    before = copy.deepcopy((old, new))
    for policy, wanted in (
        (Policy(REPLACED), expected(old, new, joins=False)),
        (Policy(JOINED), expected(old, new, joins=True)),
        (BY_PATH, expected(old, new, joins=False, below_b=True)),
    ):
        found = merged(policy, old, new)
        assert repr(found) == repr(wanted)  # their order and types, too
    assert repr((old, new)) == repr(before)


@given(st.dictionaries(texts, scalars, min_size=1), st.booleans())
def test_a_mapping_that_is_taken_whole_is_not_copied(new: Any, reverse: bool) -> None:
    keys = [*reversed(new)] if reverse else [*new]
    old = {"same": dict.fromkeys(keys, b"old"), "more": dict.fromkeys([*keys, "z"], b"old"), "fewer": {keys[0]: b"old"}}
    value = merged(Policy(REPLACED), old, dict.fromkeys(old, new))
    assert (value["same"] is new) is ([*new] == keys)
    assert value["more"] == {**old["more"], **new}
    assert value["fewer"] == new
    assert [*value["fewer"]] == [keys[0], *(key for key in new if key != keys[0])]


def test_keys_gone_deeper_take_the_new_spelling() -> None:
    policy = policy_of(Strategy(tables=Tables.DEEP, lists=Lists.SUM), Strategy(), documented=False)
    old = {caseless("Name"): {caseless("A"): 1, caseless("b"): 1}, caseless("B"): 2}
    new = {caseless("NAME"): {caseless("a"): 2, caseless("c"): 3}, caseless("b"): 3}
    result = merged(policy, old, new)
    assert [str(key) for key in result] == ["NAME", "B"]
    assert [str(key) for key in result[caseless("name")]] == ["A", "b", "c"]


def test_what_is_built_is_counted() -> None:
    old, new = {"a": {"b": [1]}, "c": 1}, {"a": {"b": [2]}, "d": 2}
    with pytest.raises(BudgetExceeded):
        Policy(JOINED).combine(old, new, None, MergeContext(Budget(3)))
    assert merged(Policy(JOINED), old, new) == {"a": {"b": [2, 1]}, "c": 1, "d": 2}


def test_depth_is_bounded() -> None:
    old: Any = {}
    new: Any = {}
    for _ in range(100_000):
        old, new = {"a": old}, {"a": new, "b": 1}
    with pytest.raises(RecursionError):
        Policy(REPLACED).combine(old, new, None, MergeContext())
    while old:
        old, new = old["a"], new["a"]
