"""Inheritance: classes that include classes, each taken once and after those it includes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from lamina.errors import Message, Reject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lamina.origins import Origin

Holder = TypeVar("Holder")

_DEEPEST: Final = 100
_LOOP: Final = Message("inheritance-loop", "{names} include one another", "remove one of them from what includes it")
_TOO_DEEP: Final = Message("inheritance-too-deep", "classes include one another more than {most} deep", "include less")


def inherited(
    holder: Holder,
    parents: Callable[[Holder, Sequence[Holder]], Iterable[tuple[str, Origin | None]]],
    find: Callable[[str, Origin | None, Holder], Holder],
) -> list[Holder]:
    """What something inherits from, parents first, and itself as the last one.

    `parents` names what a holder includes, and where; it is given those that come before it, for names that depend on
    them. `find` returns the holder of a name, for the one that includes it.
    """
    found: list[Holder] = []
    done: set[str] = set()
    opened: list[str] = []

    def visit(each: Holder) -> None:
        for name, at in parents(each, found):
            if name in done:
                continue
            if name in opened:
                raise Reject(_LOOP.at(at, names=" → ".join([*opened[opened.index(name) :], name])))
            if len(opened) >= _DEEPEST:
                raise Reject(_TOO_DEEP.at(at, most=_DEEPEST))
            opened.append(name)
            visit(find(name, at, each))
            done.add(opened.pop())
        found.append(each)

    visit(holder)
    return found
