"""Strategies of Datum, and policies made of two of them."""

from __future__ import annotations

from hypothesis import strategies as st

from lamina.dialects.datum.strategy import Lists, Records, Strategy, Tables
from lamina.dialects.datum.strategy_tables import rules_of
from lamina.engine.policy import PathPolicy, PathRule, Policy
from lamina.sources.caseless_keys import caseless

strategies = st.builds(
    Strategy,
    tables=st.sampled_from(Tables),
    lists=st.sampled_from(Lists),
    records=st.sampled_from(Records),
    prefix=st.sampled_from([None, "--"]),
    tuple_keys=st.sampled_from([(), ("Name",)]),
)


def policy_of(strategy: Strategy, inner: Strategy, documented: bool) -> Policy:
    """A default, and an entry of its own for whatever is below `a`."""
    rule = PathRule(lambda names: names == (caseless("a"),), rules_of(inner, documented).merge)
    return PathPolicy([rule], Policy(rules_of(strategy, documented).merge))
