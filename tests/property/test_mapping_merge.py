"""Mappings merged by the C extension: the same deltas, results, rejections and remarks as by the Python function."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.budget import Budget, BudgetExceeded
from lamina.dialects.datum.operators import tables
from lamina.dialects.datum.strategy import Lists, Strategy, Tables
from lamina.engine.delta import Computed, MapDelta, value_of
from lamina.engine.merge_context import MergeContext
from lamina.engine.operators import mapping
from lamina.engine.operators.mapping import Union, count_keys_copied, keys_copied, merge_mappings_py
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.whole import DELETE, DESCEND, KEEP, TAKE, RejectPair, Warn
from lamina.engine.policy import Cases, PathPolicy, PathRule, Policy
from lamina.engine.tree_edit import put
from lamina.paths import MISSING
from lamina.sources.powershell.case_insensitive import caseless
from lamina.values import ABSENT, ALL, LISTS, MAP, MAPS, NULL, TEXTS
from support.allocations import blocks_left_by
from support.c_extensions import extension
from support.datum_policies import policy_of, strategies

c_extension, pytestmark = extension("lamina.engine.operators._mapping_merge")

_NEW = ((ABSENT,), ALL, TAKE)
_OLD = ((ABSENT,), ALL, KEEP)
DEEP = Cases((MAPS, MAPS, Union(Cases(_NEW, (ALL, ALL, DESCEND)))), (LISTS, LISTS, JoinLists()), (ALL, ALL, TAKE))
FIRST = Cases(
    ((MAP,), MAPS, Union(Cases(_OLD, (ALL, (NULL,), DELETE), (ALL, ALL, DESCEND)))),
    (TEXTS, TEXTS, JoinStrings()),
    (LISTS, ALL, KEEP),
    (ALL, ALL, RejectPair("clash")),
)
WARNED = Cases(
    (MAPS, MAPS, Union(Cases(_NEW, (MAPS, MAPS, DESCEND), (ALL, ALL, Warn(KEEP, "warned"))))), (ALL, ALL, TAKE)
)
JOINED = Cases(
    (MAPS, MAPS, Union(Cases(_NEW, (ALL, ALL, DESCEND)))),
    (LISTS, LISTS, JoinLists("new")),
    (TEXTS, TEXTS, JoinStrings(", ")),
    (ALL, ALL, TAKE),
)
TABLES = st.sampled_from([DEEP, FIRST, WARNED, JOINED])

texts = st.sampled_from(["a", "A", "b", "--a", "Name", "ä", "--Ä", "x--"])
keys = texts.map(caseless)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.floats(0, 1), texts, st.just(""), st.just(b"b"))


def values(key: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(key, inner, max_size=5)),
        max_leaves=16,
    )


def by_path(one: Cases, two: Cases) -> Policy:
    return PathPolicy([PathRule(lambda names: "b" in names, two)], Policy(one))


policies = st.one_of(TABLES.map(Policy), st.builds(by_path, TABLES, TABLES))


@contextmanager
def merged_by(merge: Callable[..., Any]) -> Iterator[None]:
    with (
        mock.patch.object(mapping, "merge_mappings", merge),
        mock.patch.object(tables, "merge_mappings", merge),
    ):
        yield


def shown(thing: Any) -> Any:
    """A piece, or what is in one, as something to be compared: types, order and spelling count."""
    if isinstance(thing, dict):
        return [(type(key), str(key), shown(value)) for key, value in thing.items()]
    if isinstance(thing, (list, tuple)):
        return [type(thing), *map(shown, thing)]
    if isinstance(thing, (Policy, float)) or thing is MISSING:
        return repr(thing)
    # What a delta keeps to itself is filled on demand.
    names = [name for name in getattr(type(thing), "__slots__", ()) if not name.startswith("_")]
    if type(thing).__module__ == "lamina.engine.delta" and names:
        return type(thing).__name__, [shown(getattr(thing, name, None)) for name in names]
    return type(thing), thing


def outcome(merge: Callable[..., Any], policy: Policy, old: Any, new: Any, budget: int) -> Any:
    """Everything that comes of combining two values."""
    run = MergeContext(Budget(budget, budget), Budget(budget))
    with merged_by(merge):
        try:
            piece = policy.combine(old, new, None, run)
        except BudgetExceeded:
            return "spent"
    left = run.budget.nodes, run.budget.size, run.effort.nodes
    return shown(piece), left, [[shown(each) for each in vars_of(conflict)] for conflict in run.conflicts + run.remarks]


def vars_of(conflict: Any) -> list[Any]:
    return [conflict.fault, conflict.old, conflict.new, conflict.old_path, conflict.new_path, conflict.detail]


@given(policies, values(texts), values(texts), st.integers(0, 40))
def test_unions_are_merged_alike(policy: Policy, old: Any, new: Any, budget: int) -> None:
    assert outcome(c_extension.merge_mappings, policy, old, new, budget) == outcome(
        merge_mappings_py, policy, old, new, budget
    )


@pytest.mark.parametrize("merge", [c_extension and c_extension.merge_mappings, merge_mappings_py])
@given(st.dictionaries(texts, scalars, min_size=1), st.integers(0, 3), st.booleans())
def test_a_mapping_that_is_taken_whole_is_not_copied(
    merge: Callable[..., Any], new: Any, others: int, reverse: bool
) -> None:
    keys = [*reversed(new)] if reverse else [*new]
    old = {"same": dict.fromkeys(keys, b"old"), "more": dict.fromkeys([*keys, "z"], b"old"), "fewer": {keys[0]: b"old"}}
    added = {f"sibling{number}": dict(new) for number in range(others)}
    union = Union(Cases((MAPS, MAPS, DESCEND), (ALL, ALL, TAKE)))
    taking = Policy(Cases((MAPS, MAPS, union), (ALL, ALL, TAKE)))
    assert outcome(merge, taking, {**old, **added}, dict.fromkeys([*old, *added], new), 99) == outcome(
        merge_mappings_py, taking, {**old, **added}, dict.fromkeys([*old, *added], new), 99
    )
    delta = merge(union.cells, old, dict.fromkeys(old, new), taking, None, MergeContext())
    assert (delta.value["same"] is new) is ([*new] == keys)
    assert delta.value["more"] == {**old["more"], **new}
    assert delta.value["fewer"] == new
    assert [*delta.value["fewer"]] == [keys[0], *(key for key in new if key != keys[0])]


@given(strategies, strategies, st.booleans(), values(keys), values(keys), st.integers(0, 40))
def test_knockout_unions_are_merged_alike(
    one: Strategy, two: Strategy, documented: bool, old: Any, new: Any, budget: int
) -> None:
    policy = policy_of(one, two, documented)
    assert outcome(c_extension.merge_mappings, policy, old, new, budget) == outcome(
        merge_mappings_py, policy, old, new, budget
    )


@given(policies, values(texts), values(texts))
def test_keys_copied_are_counted_alike(policy: Policy, old: Any, new: Any) -> None:
    delta = policy.combine(old, new, None, MergeContext())
    if isinstance(delta, MapDelta):
        assert keys_copied(delta) == count_keys_copied(delta)
        at_path = put({"a": {"b": old}}, new, ("a", "b"), lambda *_: delta, create=False)
        assert isinstance(at_path, MapDelta)
        assert keys_copied(at_path) == count_keys_copied(at_path) == 2 + count_keys_copied(delta)


@given(policies, values(texts), values(texts))
def test_inputs_are_not_changed(policy: Policy, old: Any, new: Any) -> None:
    before = shown(old), shown(new)
    outcome(c_extension.merge_mappings, policy, old, new, 1000)
    assert (shown(old), shown(new)) == before


def test_keys_gone_deeper_take_the_new_spelling() -> None:
    policy = policy_of(Strategy(tables=Tables.DEEP, lists=Lists.SUM), Strategy(), documented=False)
    old = {caseless("Name"): {caseless("A"): 1, caseless("b"): 1}, caseless("B"): 2}
    new = {caseless("NAME"): {caseless("a"): 2, caseless("c"): 3}, caseless("b"): 3}
    with merged_by(c_extension.merge_mappings):
        result: Any = value_of(policy.combine(old, new, None, MergeContext()), old, new)
    assert [str(key) for key in result] == ["NAME", "B"]
    assert [str(key) for key in result[caseless("name")]] == ["A", "b", "c"]


def test_the_garbage_collector_visits_no_plain_data() -> None:
    """Neither values nor deltas that hold nothing else; what Python code made may hold anything."""
    old = {"a": {"b": [1], "c": "x", "d": {"e": [2]}}, "f": "y"}
    new = {"a": {"b": [3], "c": "z", "d": {"g": {}}}, "f": "w"}
    deeper = [DESCEND] * len(JOINED.cells)
    delta = c_extension.merge_mappings(deeper, old, new, Policy(JOINED), None, MergeContext())
    inner = delta.entries["a"]
    made = [delta, delta.value, delta.entries, inner, inner.value, inner.value["b"], *inner.entries.values()]
    assert delta.value == {"a": {"b": [3, 1], "c": "x, z", "d": {"e": [2], "g": {}}}, "f": "y, w"}
    assert not any(map(gc.is_tracked, made))


def test_what_an_operator_in_python_made_is_visited() -> None:
    def compute(old: Any, new: Any) -> Any:
        return Computed([old, new], "both")

    both = mock.Mock(spec=["apply", "name"], apply=lambda old, new, *_: compute(old, new))
    delta = c_extension.merge_mappings([both] * len(DEEP.cells), {"a": 1}, {"a": 2}, Policy(DEEP), None, MergeContext())
    assert delta.value == {"a": [1, 2]}
    assert gc.is_tracked(delta)
    assert gc.is_tracked(delta.entries)


def test_nothing_is_lost_or_kept() -> None:
    """Combining and rejecting repeatedly leaves no more behind than doing it once."""
    knockout_policy = policy_of(Strategy(tables=Tables.DEEP), Strategy(), documented=False)
    policies_ = [Policy(DEEP), Policy(FIRST), by_path(DEEP, FIRST), knockout_policy]
    old = {caseless("a"): {caseless("b"): [1], caseless("c"): "x"}, caseless("b"): 1, caseless("c"): {}}
    new = {caseless("A"): {caseless("b"): [2], caseless("d"): "y"}, caseless("b"): None, caseless("c"): [None]}

    def repeat(times: int) -> None:
        for policy in policies_ * times:
            policy.combine(old, new, None, MergeContext())
            with pytest.raises(BudgetExceeded):
                knockout_policy.combine(
                    {caseless("b"): old}, {caseless("b"): new}, None, MergeContext(effort=Budget(2))
                )

    with merged_by(c_extension.merge_mappings):
        repeat(1)
        assert blocks_left_by(lambda: repeat(500)) < 100


def test_depth_is_bounded() -> None:
    old: Any = {}
    new: Any = {}
    for _ in range(100_000):
        old, new = {"a": old}, {"a": new, "b": 1}
    with merged_by(c_extension.merge_mappings), pytest.raises(RecursionError):
        Policy(DEEP).combine(old, new, None, MergeContext())
    while old:
        old, new = old["a"], new["a"]


def test_what_is_no_mapping_is_rejected() -> None:
    with pytest.raises(TypeError):
        c_extension.merge_mappings(DEEP.cells, [], {}, Policy(DEEP), None, MergeContext())
    with pytest.raises(TypeError):
        c_extension.merge_mappings(DEEP.cells, {})
    with pytest.raises(TypeError):
        c_extension.merge_mappings([], {"a": 1}, {"a": 2}, Policy(DEEP), None, MergeContext())
