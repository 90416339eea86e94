"""The steps that fill the defaults of a chart and of all its subcharts in below what is there.

The values of a subchart stand under its name in those of its parent, and are filled in there. So one output holds the
values of all charts, and what a subchart's templates see is a part of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.helm import fill
from lamina.dialects.helm.uses import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.helm.uses import ChartUse

GLOBAL: Final = "global"


class Coalescing:
    """The steps of one output, one after the other."""

    def __init__(self, start: lp.From, *, keep_nulls: bool = False, shares_globals: bool = False) -> None:
        directive = lp.Directive("values given")
        self.steps: list[lp.Start | lp.Merge] = [lp.Start(directive=directive, take=start, forwards=True)]
        self._keep_nulls = keep_nulls
        self._shares_globals = shares_globals

    def add_chart(self, use: ChartUse, path: tuple[str, ...] = ()) -> None:
        """Fill in the defaults of a chart, whose values stand at a path, and of its subcharts."""
        self._fill(use, path)
        if self._shares_globals:
            for parent, name in _pairs(use, path):
                self._merge(self._state((*parent, GLOBAL)), fill.SHARED, (*parent, name, GLOBAL))

    def _fill(self, use: ChartUse, path: tuple[str, ...]) -> None:
        if use.defaults is not None:
            self._merge(use.defaults, fill.ChartDefaults(use.names, keep_nulls=self._keep_nulls), path, shown(path))
        for each in use.subcharts:
            inside = (*path, each.name)
            self._merge(lp.From(source=lp.LiteralNode({}, ())), fill.SUBCHART, inside)
            self._merge(self._state((*path, GLOBAL)), fill.GLOBALS, (*inside, GLOBAL), shown(inside))
            self._fill(each, inside)
            if self._shares_globals:
                self._merge(self._state((*inside, GLOBAL)), fill.SHARED, (*path, GLOBAL))

    def _state(self, path: tuple[str, ...]) -> lp.From:
        """What is at a path by now."""
        return lp.From(source=lp.StateRef(len(self.steps)), path=path)

    def _merge(self, take: lp.From, policy: lp.Policy, path: tuple[str, ...], subject: str | None = None) -> None:
        directive = lp.Directive(policy.label)
        step = lp.Merge(directive=directive, take=take, policy=policy, path=path, create=bool(path), faults=fill.FAULTS)
        self.steps.append(replace(step, subject=subject))


def _pairs(use: ChartUse, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path of each chart with the name of each of its subcharts, from above."""
    for inside, each in use.walk(path):
        for subchart in each.subcharts:
            yield inside, subchart.name
