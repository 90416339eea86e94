"""The steps that fill the defaults of a chart and of all its subcharts in below what is there.

The values of a subchart stand under its name in those of its parent, and are filled in there. So one output holds the
values of all charts, and what a subchart's templates see is a part of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm import fill
from lamina.dialects.helm.uses import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.dialects.helm.uses import ChartUse

GLOBAL: Final = "global"
_NOTHING: Final = lp.From(source=lp.LiteralNode(lp.MISSING, ()))


class Coalescing:
    """The steps of one output, one after the other."""

    def __init__(
        self, start: lp.From, *, keep_nulls: bool = False, shares_globals: bool = False, below: Sequence[Any] = ()
    ) -> None:
        """`below` are the values of which the output will consist, if they hold the defaults of all subcharts already:
        these are then filled in again only where a null may delete one."""
        directive = lp.Directive("values given")
        self.steps: list[lp.Start | lp.Merge] = [lp.Start(directive=directive, take=start, forwards=True)]
        self._keep_nulls = keep_nulls
        self._shares_globals = shares_globals
        self._below = below

    def add_chart(self, use: ChartUse, path: tuple[str, ...] = ()) -> None:
        """Fill in the defaults of a chart, whose values stand at a path, and of its subcharts."""
        self._add_defaults(use, path)
        self._add_subcharts(use, path)
        if self._shares_globals:
            for parent, name in _pairs(use, path):
                self._merge(self._state((*parent, GLOBAL)), fill.SHARED, (*parent, name, GLOBAL))

    def _add_defaults(self, use: ChartUse, path: tuple[str, ...]) -> None:
        if use.defaults is not None:
            self._merge(use.defaults, fill.ChartDefaults(use.names, keep_nulls=self._keep_nulls), path, shown(path))

    def _add_subcharts(self, use: ChartUse, path: tuple[str, ...]) -> None:
        for each in use.subcharts:
            inside = (*path, each.name)
            self._merge(_NOTHING, fill.SUBCHART, inside)
            self._merge(self._state((*path, GLOBAL)), fill.GLOBALS, (*inside, GLOBAL), shown(inside))
            if not self._below or self._may_delete(inside):
                self._add_defaults(each, inside)
            self._add_subcharts(each, inside)
            if self._shares_globals:
                self._merge(self._state((*inside, GLOBAL)), fill.SHARED, (*path, GLOBAL))

    def _may_delete(self, path: tuple[str, ...]) -> bool:
        """Whether there may be a null in the values of a subchart: in its part, or in the globals of those above."""
        places = [path, *((*path[:depth], GLOBAL) for depth in range(len(path)))]
        return any(_has_null(lp.walk(values, place)) for values in self._below for place in places)

    def _state(self, path: tuple[str, ...]) -> lp.From:
        """What is at a path by now."""
        return lp.From(source=lp.StateRef(len(self.steps)), path=path)

    def _merge(self, take: lp.From, policy: lp.Policy, path: tuple[str, ...], subject: str | None = None) -> None:
        directive = lp.Directive(policy.label)
        self.steps.append(
            lp.Merge(
                directive=directive,
                take=take,
                policy=policy,
                path=path,
                create=bool(path),
                faults=fill.FAULTS,
                subject=subject,
                brings_defaults=isinstance(policy, fill.ChartDefaults),
                # What a subchart adds to shared globals may set again what its own nulls removed: that is told.
                forwards=not isinstance(take.source, lp.Node) and policy is not fill.SHARED,
            )
        )


def stop_if_failed(results: Mapping[str, Any], name: str) -> None:
    """Reject what an output could not be made of, at the place of the value that is in the way."""
    if results[name].failed:
        faults: list[lp.Diagnostic] = results[name].faults
        raise lp.Reject(*(each if each.at or not each.related else _at_related(each) for each in faults))


def _at_related(fault: lp.Diagnostic) -> lp.Diagnostic:
    (_, place), *others = fault.related
    return replace(fault, at=place, related=tuple(others))


def _has_null(value: Any) -> bool:
    """Whether a value is null, or a mapping with a null in it at any depth."""
    return any(map(_has_null, value.values())) if isinstance(value, dict) else value is None


def nests_globals(value: Any) -> bool:
    """Whether a mapping called global, at any depth of some values, holds mappings two levels below."""
    if not isinstance(value, dict):
        return False
    inside = value.get(GLOBAL)
    outer = [each for each in inside.values() if isinstance(each, dict)] if isinstance(inside, dict) else []
    if any(isinstance(each, dict) for one in outer for each in one.values()):
        return True
    return any(map(nests_globals, value.values()))


def _pairs(use: ChartUse, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path of each chart with the name of each of its subcharts, from above."""
    for inside, each in use.walk(path):
        for subchart in each.subcharts:
            yield inside, subchart.name
