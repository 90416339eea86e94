"""The suffix cache: values at the general end that many outputs have in common are merged once for all of them.

Some systems begin with the most specific layer and merge each more general one under it, so that no two outputs have a
state in common. Where the order of merging makes no difference to the value, merging from the general end gives the
same, and the general ends are few. Only the value is made so: where it comes from is known from the steps in their real
order, which are folded when somebody asks.

Values are known by their identity and must not be changed. The session that is current keeps what was merged, as far as
it has room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from lamina.budget import ENTRY, ITEM, text_size
from lamina.paths import MISSING
from lamina.session import current_session

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lamina.session import WeighedCache

_EACH: Final = 512
"""What is kept of a merge besides the values, in bytes, about."""
_COLLECTION: Final = 64


class _Kept(NamedTuple):
    """What some values gave, with what the key identifies, so that identities stay their own."""

    value: Any
    size: int
    """The bytes of the value, at most: merging adds nothing to what the values have."""
    values: Sequence[Any]
    merge: SharedMerge


class OrderMatters(Exception):
    """The order in which values are merged makes a difference, or may."""


class SharedMerge(Protocol):
    """A way to merge values of which the order may make no difference."""

    @property
    def how(self) -> Hashable:
        """What identifies it, as long as the object itself is held."""
        ...

    def check(self, value: Any) -> None:
        """Raise OrderMatters if that may be so because of one of the values."""
        ...

    def combine(self, upper: Any, lower: Any) -> Any:
        """A more general value merged under another one; or OrderMatters."""
        ...


def shared_merge(merge: SharedMerge, values: Sequence[Any], *, own: bool = True) -> Any:
    """The values merged, the most specific first; MISSING where the order may make a difference.

    With `own`, the first value is no other output's, and only what the others give is kept.
    """
    cache = current_session().merged
    try:
        if not own:
            return _merged(cache, merge, values)
        merge.check(values[0])
        return merge.combine(values[0], _merged(cache, merge, values[1:]))
    except OrderMatters:
        return MISSING


def _merged(cache: WeighedCache, merge: SharedMerge, values: Sequence[Any]) -> Any:
    kept = _kept(cache, merge, values)
    if kept.value is MISSING:
        raise OrderMatters
    return kept.value


def _kept(cache: WeighedCache, merge: SharedMerge, values: Sequence[Any]) -> _Kept:
    key = (merge.how, *map(id, values))
    kept: _Kept | None = cache.find(key)
    if kept is None:
        lower = _kept(cache, merge, values[1:]) if len(values) > 1 else None
        size = _size(values[0]) + (lower.size if lower is not None else 0)
        kept = _Kept(_made(merge, values[0], lower), size, values, merge)
        cache.keep(key, kept, _EACH + size)
    return kept


def _made(merge: SharedMerge, upper: Any, lower: _Kept | None) -> Any:
    try:
        merge.check(upper)
        if lower is None:
            return upper
        return MISSING if lower.value is MISSING else merge.combine(upper, lower.value)
    except OrderMatters:
        return MISSING


def _size(value: Any) -> int:
    """How many bytes the collections and the strings in a value take, about."""
    size, pending = 0, [value]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            size += _COLLECTION + ENTRY * len(here)
            pending.extend(here.values())
        elif isinstance(here, list):
            size += _COLLECTION + ITEM * len(here)
            pending.extend(here)
        elif isinstance(here, str):
            size += text_size(here)
    return size
