"""The suffix cache: values at the general end that many outputs have in common are merged once for all of them.

Some systems begin with the most specific layer and merge each more general one under it, so that no two outputs have a
state in common. Where the order of merging makes no difference to the value, merging from the general end gives the
same, and the general ends are few. Only the value is made so: where it comes from is known from the steps in their real
order, which are folded when somebody asks.

Values are known by their identity and must not be changed. The session that is current keeps what was merged, as far as
it has room.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina._support.derived import Derived
from lamina.budget import ENTRY
from lamina.engine.weight import Weights
from lamina.paths import MISSING
from lamina.session import current_session

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lamina.session import WeighedCache

_EACH: Final = 512
"""What is kept of a merge besides the values, in bytes, about."""


class SharedPart:
    """What some values give when they are merged, with what identifies them, so that identities stay their own."""

    __slots__ = ("derived", "held", "size", "value")

    def __init__(self, value: Any, size: int, held: tuple[Sequence[Any], SharedMerge]) -> None:
        self.value = value
        """What they give; MISSING where the order of merging may make a difference."""
        self.size = size
        """The bytes of the value, at most: merging adds nothing to what the values have. Parts of it may be shared."""
        self.held = held
        self.derived = Derived()
        """What was made of the value."""


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

    def combine(self, upper: Any, lower: Any) -> tuple[Any, int | None]:
        """A more general value merged under another one, and how many keys and items were made for that, if it is
        known; or OrderMatters."""
        ...


def shared_merge(merge: SharedMerge, values: Sequence[Any]) -> SharedPart:
    """The values merged, the most specific first, for all who have them in common."""
    return _kept(current_session().merged, merge, values)


def _kept(cache: WeighedCache, merge: SharedMerge, values: Sequence[Any]) -> SharedPart:
    key = (merge.how, *map(id, values))
    kept: SharedPart | None = cache.find(key)
    if kept is None:
        kept, weight = _single(merge, values) if len(values) == 1 else _combined(cache, merge, values)
        cache.keep(key, kept, _EACH + weight)
    return kept


def _single(merge: SharedMerge, values: Sequence[Any]) -> tuple[SharedPart, int]:
    """The part of one value, and what it takes."""
    size = _size(values[0])
    try:
        merge.check(values[0])
    except OrderMatters:
        return SharedPart(MISSING, size, (values, merge)), size
    return SharedPart(values[0], size, (values, merge)), 2 * size  # what is made of it may take as much again


def _combined(cache: WeighedCache, merge: SharedMerge, values: Sequence[Any]) -> tuple[SharedPart, int]:
    """The part of several values, and what it takes besides the one below it."""
    upper, lower = _kept(cache, merge, values[:1]), _kept(cache, merge, values[1:])
    size = upper.size + lower.size
    made: Any = MISSING
    new: int | None = 0
    if upper.value is not MISSING and lower.value is not MISSING:
        with suppress(OrderMatters):
            made, new = merge.combine(upper.value, lower.value)
    return SharedPart(made, size, (values, merge)), upper.size + 2 * (size if new is None else new * ENTRY)


def _size(value: Any) -> int:
    """About how many bytes a value takes, at most; what it holds several times is visited once."""
    weight = Weights().of(value)
    return ENTRY * weight.nodes + weight.size
