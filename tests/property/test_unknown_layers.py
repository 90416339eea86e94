"""Whatever an unknown value is: the result that has it agrees with the real one everywhere else."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.dialects.layers.path_patterns import parse_pattern
from lamina.dialects.layers.rule_policy import FAULTS, PathRules
from lamina.dialects.layers.rule_tables import RuleMerge
from lamina.dialects.layers.settings import Rule
from lamina.engine.fold import fold_output, record
from lamina.engine.node import LiteralNode
from lamina.engine.plan import Output
from lamina.engine.policy import Policy
from lamina.engine.step_context import Ledger
from lamina.plugin import merge, start
from lamina.values import Unknown, replace_unknown, same, unknown_values

HOLE = Unknown("a hole")
scalars = st.sampled_from([None, True, 0, 1, "", "a", "b", "~a", "a=1"])
known = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "name"]), inner, max_size=3)
    ),
    max_leaves=6,
)
values = st.recursive(
    st.one_of(scalars, st.just(HOLE)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "name"]), inner, max_size=3)
    ),
    max_leaves=8,
)
layers = st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), values, max_size=3), min_size=1, max_size=3)
merges = st.one_of(
    st.builds(RuleMerge, st.sampled_from(["deep", "take", "keep", "join", "sum", "reject", "lock", "delete"])),
    st.builds(
        RuleMerge,
        st.sampled_from(["append", "prepend", "unique"]),
        knockout=st.sampled_from([None, "~"]),
        first=st.sampled_from(["earlier", "later"]),
        single=st.booleans(),
    ),
    st.just(RuleMerge("by-key", ("name",))),
    st.just(RuleMerge("by-key", split="=")),
)
policies = st.builds(
    lambda rules, nulls, lists: PathRules(
        [Rule(path, parse_pattern(path), merging) for path, merging in rules], nulls=nulls, lists=lists
    ).root(),
    st.lists(st.tuples(st.sampled_from(["a", "a.b", "*.a", "**"]), merges), max_size=2),
    st.sampled_from([None, "keep", "delete", "ignore"]),
    st.sampled_from(["replace", "append", "prepend", "unique"]),
)


def output(layers: list[Any], policy: Policy) -> Output:
    return Output(
        name="result",
        steps=(start(), *(replace(merge(LiteralNode(each, ()), policy), faults=FAULTS) for each in layers)),
    )


def agrees(partly: Any, whole: Any) -> bool:
    """Whether a value with unknown parts agrees with one that has none."""
    if isinstance(partly, Unknown):
        return True
    if isinstance(partly, dict):
        return (
            isinstance(whole, dict)
            and list(partly) == list(whole)
            and all(agrees(partly[key], whole[key]) for key in partly)
        )
    if isinstance(partly, list):
        return isinstance(whole, list) and len(partly) == len(whole) and all(map(agrees, partly, whole))
    return same(partly, whole)


@given(layers=layers, policy=policies, found=known)
def test_an_unknown_value_may_be_any_value(layers: list[Any], policy: Policy, found: Any) -> None:
    partly = fold_output(output(layers, policy), {})
    whole = fold_output(output([replace_unknown(each, lambda hole: found) for each in layers], policy), {})  # noqa: ARG005
    if whole.failed:
        return  # whether a merge fails may depend on what is not known
    assert not partly.failed
    assert agrees(partly.value, whole.value)


@given(layers=layers, policy=policies)
def test_values_and_histories_agree_on_what_is_unknown(layers: list[Any], policy: Policy) -> None:
    partly = fold_output(output(layers, policy), {})
    recorded = record(output(layers, policy), Ledger())
    assert recorded.failed == partly.failed
    assert partly.failed or same(recorded.value, partly.value)


@pytest.mark.parametrize("lists", ["replace", "append", "unique"])
def test_what_is_called_unknown_depends_on_what_is_not_known(lists: str) -> None:
    """Of the values that are unknown, nearly all are another one if what is not known is another value."""
    random, policy = Random(lists), PathRules((), nulls=None, lists=lists).root()
    unknown = differing = 0
    for _ in range(300):
        drawn = [{key: _drawn(random, 3) for key in random.sample("abc", 2)} for _ in range(3)]
        partly = fold_output(output(drawn, policy), {})
        one, other = (_filled(drawn, policy, put) for put in ({"x": [1]}, ["another"]))
        for path, _ in unknown_values(partly.value):
            unknown += 1
            differing += not same(_at(one, path), _at(other, path))
    assert unknown > 100
    assert differing >= 0.95 * unknown


def _filled(layers: list[Any], policy: Policy, put: Any) -> Any:
    """The result where what is not known is that value."""

    def known_value(hole: Unknown) -> Any:
        return put

    return fold_output(output([replace_unknown(each, known_value) for each in layers], policy), {}).value


def _drawn(random: Random, depth: int) -> Any:
    kind = random.random()
    if kind < 0.1:
        return HOLE
    if depth and kind < 0.5:
        return {key: _drawn(random, depth - 1) for key in random.sample("abc", 2)}
    if depth and kind < 0.7:
        return [_drawn(random, depth - 1) for _ in range(random.randint(0, 2))]
    return random.choice(["a", "b", 1, None])


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value
