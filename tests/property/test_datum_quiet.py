"""Merging that is marked as unable to warn gives no errors and no notes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lamina.dialects.datum.strategy import Lists, Strategy, Tables
from lamina.engine.merge_context import MergeContext
from lamina.sources.powershell.case_insensitive import caseless
from support.datum_policies import policy_of, strategies

scalars = st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.sampled_from(["a", "--a", ""]))
keys = st.sampled_from(["a", "A", "b", "--a", "Name"]).map(caseless)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=10,
)


@given(strategies, strategies, st.booleans(), values, values)
def test_what_cannot_warn_does_not_warn(one: Strategy, two: Strategy, documented: bool, old: Any, new: Any) -> None:
    policy = policy_of(one, two, documented)
    if policy.cannot_warn(old, new):
        run = MergeContext()
        policy.combine(old, new, None, run)
        assert not run.conflicts
        assert not run.remarks


def test_common_tables_cannot_warn() -> None:
    deep = policy_of(Strategy(tables=Tables.DEEP, lists=Lists.SUM), Strategy(), documented=False)
    old = {caseless("a"): {caseless("b"): 1}, caseless("b"): ["x", "y"], caseless("Name"): "n"}
    assert deep.cannot_warn(old, old)
    assert not deep.cannot_warn(old, {caseless("b"): [None]})
    assert not deep.cannot_warn({caseless("b"): {}}, {caseless("b"): 1})
