"""The memo: what the general layers of many outputs give is merged once for all of them.

Where a system begins with the most specific layer and merges the more general ones under it, no two outputs have a
state in common. A policy may declare for which values the order of merging makes no difference (`order_free`). These
are merged from the general end, and that part is kept in the session by the policy and the identities of the layers.

Only evaluation takes values from here. A replay goes through the steps in their order, and has to arrive at the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.engine.merge_context import SomethingToSay
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lamina.engine.merge_context import QuietContext
    from lamina.engine.policy import Policy
    from lamina.session import Session

_EACH: Final = 512
"""About how many bytes an entry takes besides what was built for it."""


class _Kept(NamedTuple):
    """A value that was merged, with what identifies it: an id is unique only while its object exists."""

    value: Any
    """MISSING where the order of merging may make a difference."""
    policy: Policy
    layers: tuple[Any, ...]


def merged(policy: Policy, layers: tuple[Any, ...], context: QuietContext, session: Session) -> Any:
    """What layers give, the most specific first; MISSING where they have to be merged in that order."""
    if policy.order_free is None or not policy.order_free(layers[0]):
        return MISSING
    general = _general(policy, layers[1:], context, session)
    return MISSING if general is MISSING else policy.value(layers[0], general, None, context)


def _general(policy: Policy, layers: tuple[Any, ...], context: QuietContext, session: Session) -> Any:
    """What the general layers give, which others are likely to have as well."""
    key: Hashable = ("merged", id(policy), *map(id, layers))
    kept: _Kept | None = session.cache.find(key)
    if kept is None:
        left = context.budget.size
        kept = _Kept(_merged_from_the_end(policy, layers, context, session), policy, layers)
        session.cache.keep(key, kept, _EACH + left - context.budget.size)
    return kept.value


def _merged_from_the_end(policy: Policy, layers: tuple[Any, ...], context: QuietContext, session: Session) -> Any:
    if len(layers) > 1:
        try:
            return merged(policy, layers, context, session)
        except SomethingToSay:
            return MISSING
    assert policy.order_free is not None
    return layers[0] if policy.order_free(layers[0]) else MISSING
