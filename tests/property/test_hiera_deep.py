"""What the deep merge says of its parts makes up what the port of the library gives."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lamina.dialects.hiera.deep_merge import DeepMerge, DeepOptions
from lamina.dialects.hiera.strategies import Deep
from lamina.engine.delta import NEW, OLD, value_of
from lamina.engine.merge_context import MergeContext
from lamina.engine.operators.whole import TAKE
from lamina.engine.policy import Cases, Policy
from lamina.values import same

SCALARS = st.none() | st.booleans() | st.sampled_from([0, 1, 1.0, "", "x", "y", "--x"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_what_comes_from_where_makes_up_what_the_library_gives(higher: Any, lower: Any) -> None:
    delta = Deep(DeepOptions()).apply(higher, lower, Policy(Cases.everywhere(TAKE)), None, MergeContext())
    told, merged = value_of(delta, higher, lower), DeepMerge(DeepOptions()).merged(higher, lower)
    assert same(told, merged)
    assert keys(told) == keys(merged)


def keys(value: Any) -> Any:
    """The keys of all mappings, in order."""
    if isinstance(value, dict):
        return [(key, keys(item)) for key, item in value.items()]
    return [keys(item) for item in value] if isinstance(value, list) else None


@given(st.lists(SCALARS, min_size=1, max_size=4), SCALARS)
def test_a_list_that_meets_no_list_keeps_the_place_of_each_item(items: list[Any], other: Any) -> None:
    """Equal items are not confused: each has its own line."""
    policy = Policy(Cases.everywhere(TAKE))
    assert Deep(DeepOptions()).apply(items, other, policy, None, MergeContext()) is OLD
    assert Deep(DeepOptions()).apply({}, items, policy, None, MergeContext()) is NEW
