"""Layers merged for the value alone: the value, the history and the budget are those of a fold of every step."""

from __future__ import annotations

import gc
from collections import defaultdict
from copy import deepcopy
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.budget import Budget
from lamina.dialects.datum.strategy import Lists, Strategy, Tables
from lamina.engine import fold, layered_value
from lamina.engine.history import history_of
from lamina.engine.layered_value import LayeredValue
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import LiteralNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.value_merge import merge_member, merge_member_py
from lamina.engine.operators.whole import DELETE, DESCEND, KEEP, TAKE, RejectPair, Warn
from lamina.engine.plan import Directive, FaultText, From, Merge, Output, Start
from lamina.engine.policy import Cases, PathPolicy, PathRule, Policy
from lamina.engine.step_context import Folded, Ledger
from lamina.paths import leaves
from lamina.values import ABSENT, ALL, LISTS, MAPS, NULL, TEXTS
from support.allocations import blocks_left_by
from support.c_extensions import extension
from support.datum_policies import policy_of

c_extension, compiled = extension("lamina.engine.operators._mapping_merge")

_NEW = ((ABSENT,), ALL, TAKE)
PLAIN = Cases((MAPS, MAPS, Union(Cases((MAPS, MAPS, DESCEND), (ALL, ALL, TAKE)))), (ALL, ALL, TAKE))
JOINED = Cases(
    (MAPS, MAPS, Union(Cases(_NEW, (ALL, (NULL,), KEEP), (ALL, ALL, DESCEND)))),
    (LISTS, LISTS, JoinLists("new")),
    (TEXTS, TEXTS, JoinStrings(", ")),
    (ALL, ALL, TAKE),
)
GROWN = Cases((MAPS, MAPS, Union(Cases(_NEW, (ALL, ALL, DESCEND)))), (LISTS, LISTS, JoinLists()), (ALL, ALL, TAKE))
DELETING = Cases((MAPS, MAPS, Union(Cases((ALL, (NULL,), DELETE), (ALL, ALL, DESCEND)))), (ALL, ALL, TAKE))
WARNING = Cases(
    (MAPS, MAPS, Union(Cases(_NEW, (LISTS, LISTS, Warn(KEEP, "x")), (ALL, ALL, DESCEND)))), (ALL, ALL, TAKE)
)
STRICT = Cases((MAPS, MAPS, Union(Cases(_NEW, (ALL, ALL, DESCEND)))), (ALL, ALL, RejectPair("x")))
ALWAYS = (PLAIN, JOINED, GROWN)
"""Tables that hold nothing but promises."""


def by_path(one: Cases, two: Cases) -> Policy:
    return PathPolicy([PathRule(lambda names: "b" in names, two)], Policy(one))


def policies(tables: st.SearchStrategy[Cases]) -> st.SearchStrategy[Policy]:
    return st.one_of(tables.map(Policy), st.builds(by_path, tables, tables))


ANY = policies(st.sampled_from([*ALWAYS, DELETING, WARNING, STRICT]))
OF_MEMBERS = st.just(policy_of(Strategy(tables=Tables.DEEP, lists=Lists.SUM), Strategy(), documented=False))
"""One whose operators have policies of their own."""

KEYS = st.sampled_from(["a", "b", "c", 1, True, None])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.sampled_from(["", "x", "ä", "yz"]), st.just(b"b"))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
LAYERS = st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=12)
BY = Directive("test")
FAULTS: defaultdict[str, FaultText] = defaultdict(lambda: FaultText(code="x", message="{path}"))


def shown(value: Any) -> Any:
    """A value as something to be compared: types, order and spelling count."""
    if isinstance(value, dict):
        return [(type(key), key, shown(item)) for key, item in value.items()]
    return [type(value), *map(shown, value)] if isinstance(value, list) else (type(value), value)


def merged(merge: Any, layers: list[Any], policy: Policy, start: Any) -> Any:
    """What comes of layers: the value and what it took of the budget; None where it is not plain."""
    with mock.patch.object(layered_value, "merge_member", merge):
        value = LayeredValue(start)
        if not all(value.merge(layer, policy) for layer in layers):
            return None
    budget = Budget()
    assert value.spend_from(budget)
    return shown(value.value), budget.nodes, budget.size


def output_of(layers: list[Any], policy: Policy, start: Any) -> Output:
    steps = [
        Merge(directive=BY, take=From(source=LiteralNode(layer, ()), layer=str(at)), policy=policy, faults=FAULTS)
        for at, layer in enumerate(layers)
    ]
    first = Start(directive=BY, take=From(source=LiteralNode(start, ())))
    return Output(name="result", steps=(first, *steps), value_first=True)


def folded_alone(output: Output, ledger: Ledger) -> Folded:
    """The output with every step folded at once."""
    with mock.patch.object(fold, "merged_layers", lambda *_: None):
        return fold.fold_output(output, {}, ledger)


@given(st.one_of(ANY, OF_MEMBERS), LAYERS, st.dictionaries(KEYS, VALUES, max_size=3))
def test_where_it_is_possible_value_and_budget_are_those_of_a_fold(policy: Policy, layers: Any, start: Any) -> None:
    found, ledger = merged(merge_member_py, layers, policy, start), Ledger()
    folded = folded_alone(output_of(layers, policy, start), ledger)
    if found is not None:
        assert not folded.faults
        assert not folded.notes
        assert found == (shown(folded.value), ledger.budget.nodes, ledger.budget.size)


@given(policies(st.sampled_from(ALWAYS)), LAYERS, st.dictionaries(KEYS, VALUES, max_size=3))
def test_it_is_possible_where_operators_only_promise(policy: Policy, layers: Any, start: Any) -> None:
    assert merged(merge_member_py, layers, policy, start) is not None


@compiled
@given(st.one_of(ANY, OF_MEMBERS), LAYERS, VALUES)
def test_the_c_extension_gives_the_same(policy: Policy, layers: Any, start: Any) -> None:
    assert merged(c_extension.merge_member, layers, policy, start) == merged(merge_member_py, layers, policy, start)


@given(st.one_of(ANY, OF_MEMBERS), LAYERS, VALUES)
def test_layers_are_not_changed(policy: Policy, layers: Any, start: Any) -> None:
    before = deepcopy((layers, start))
    merged(merge_member, layers, policy, start)
    assert shown([layers, start]) == shown(list(before))


@given(ANY, LAYERS)
def test_a_fold_of_the_value_first_gives_the_same_history(policy: Policy, layers: Any) -> None:
    output = output_of(layers, policy, {})
    with mock.patch.object(layered_value, "FEW", 0):
        lazy = fold.fold_output(output, {}, one := Ledger())
    folded = folded_alone(output, other := Ledger())
    assert shown(lazy.value) == shown(folded.value)
    assert (lazy.faults, lazy.notes) == (folded.faults, folded.notes)
    if not folded.faults:
        assert (one.budget.nodes, one.budget.size) == (other.budget.nodes, other.budget.size)
    for path in leaves(folded.value):
        mine, theirs = history_of(lazy.node.at(path)), history_of(folded.node.at(path))
        assert [_shown(event) for event in mine.events] == [_shown(event) for event in theirs.events]


def _shown(event: Any) -> tuple[Any, ...]:
    return event.verdict, event.step, event.path, shown(event.value), shown(event.result), event.layer


@given(policies(st.sampled_from(ALWAYS)), LAYERS, st.integers(0, 30))
def test_what_exceeds_the_budget_is_folded(policy: Policy, layers: Any, nodes: int) -> None:
    output, enough, budget = output_of(layers, policy, {}), Ledger(), Budget(nodes)
    folded_alone(output, enough)
    with mock.patch.object(layered_value, "FEW", 0):
        found = layered_value.merged_layers(output.steps, budget)
    spent = Budget().nodes - enough.budget.nodes
    assert (found is None) == (spent > nodes)
    assert budget.nodes == nodes - (0 if found is None else spent)


@compiled
def test_the_garbage_collector_visits_no_plain_data() -> None:
    value = LayeredValue({"a": {"b": [1]}})
    layers = [{"a": {"b": [2], "c": {"d": [3]}}}, {"a": {"b": [4], "c": {"d": [5]}}, "e": "f"}]
    with mock.patch.object(layered_value, "merge_member", c_extension.merge_member):
        assert all(value.merge(layer, Policy(GROWN)) for layer in layers)
    result = value.value
    assert result == {"a": {"b": [1, 2, 4], "c": {"d": [3, 5]}}, "e": "f"}
    made = [result, result["a"], result["a"]["b"], result["a"]["c"], result["a"]["c"]["d"]]
    assert not any(map(gc.is_tracked, made))


@compiled
def test_nothing_is_lost_or_kept() -> None:
    layers = [{"a": {"b": [at], "c": "x"}, "d": {"e": at}} for at in range(20)]
    policies_ = [Policy(JOINED), Policy(GROWN), by_path(GROWN, JOINED), Policy(STRICT)]

    def repeat(times: int) -> None:
        for policy in policies_ * times:
            merged(c_extension.merge_member, layers, policy, {})

    repeat(1)
    assert blocks_left_by(lambda: repeat(100)) < 100


@compiled
def test_depth_is_bounded() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    with pytest.raises(RecursionError):
        c_extension.merge_member({"x": deep}, "x", deep, Policy(GROWN), {}, MergeContext())
    while deep:
        deep = deep["a"]


@compiled
def test_what_is_no_mapping_is_rejected() -> None:
    with pytest.raises(TypeError):
        c_extension.merge_member([], "x", {}, Policy(GROWN), {}, MergeContext())
    with pytest.raises(TypeError):
        c_extension.merge_member({}, "x")
