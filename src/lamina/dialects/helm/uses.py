"""Charts as a release uses them: under which name, with which dependencies and which defaults.

Helm works on shared, changing objects, and some of what it does follows from that: a chart listed under two aliases
has one list of entries, of which the first use renames those with an alias. So a use and its entries are changed here
as Helm changes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lamina import plugin as lp
from lamina.dialects.helm.versions import fits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.helm.chart import Chart
    from lamina.dialects.helm.metadata import Dependency


@dataclass(slots=True, eq=False)
class DependencyEntry:
    """A listed dependency: what it is called by now, whether it is on, and what is still to be imported from it."""

    dependency: Dependency
    name: str
    imports: tuple[object, ...]
    is_on: bool = True
    has_value: bool = True
    """Whether anything is at a path of its condition, if it has one."""

    @classmethod
    def of(cls, dependency: Dependency) -> DependencyEntry:
        return cls(dependency, dependency.name, dependency.imports)


@dataclass(slots=True, eq=False)
class ChartUse:
    """A chart under a name; `entries` is None where its Chart.yaml lists no dependencies."""

    chart: Chart
    name: str
    entries: list[DependencyEntry] | None
    subcharts: list[ChartUse] = field(default_factory=list)
    defaults: lp.From | None = None
    """Its default values; None if it has none."""
    listed: list[DependencyEntry] = field(default_factory=list)
    """All entries, also those that turned out to be off."""

    @classmethod
    def of(cls, chart: Chart) -> ChartUse:
        """A chart under its own name, with all charts in its folder."""
        listed = chart.metadata.dependencies
        entries = None if listed is None else [DependencyEntry.of(each) for each in listed]
        defaults = None if chart.values is None else lp.From(source=chart.values)
        return cls(chart, chart.name, entries, [cls.of(each) for each in chart.subcharts], defaults)

    @property
    def names(self) -> frozenset[str]:
        """The names of the subcharts."""
        return frozenset(each.name for each in self.subcharts)

    def resolve(self) -> None:
        """Find the chart of each entry, and give it the entry's alias; charts that no entry fits come first."""
        entries = self.listed = self.entries or []
        loaded = self.subcharts
        self.subcharts = [each for each in loaded if not any(_is_meant(entry, each) for entry in entries)]
        for entry in entries:
            found = next((each for each in loaded if _is_meant(entry, each)), None)
            if found is not None:
                self.subcharts.append(found.under(entry.dependency.alias or found.name))
            entry.name = entry.dependency.alias or entry.name

    def under(self, name: str) -> ChartUse:
        """The chart under another name; its entries are the same objects."""
        entries = None if self.entries is None else list(self.entries)
        return ChartUse(self.chart, name, entries, list(self.subcharts), self.defaults)

    def drop_those_off(self) -> None:
        """Let go of the subcharts whose entries are off, and of these entries."""
        off = {entry.name for entry in self.entries or () if not entry.is_on}
        self.subcharts = [each for each in self.subcharts if each.name not in off]

    def keep_entries_on(self) -> None:
        """Let go of the entries that are off; without any left, the chart counts as one that lists none."""
        off = {entry.name for entry in self.entries or () if not entry.is_on}
        self.entries = [entry for entry in self.entries or () if entry.name not in off] or None

    def walk(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], ChartUse]]:
        """This use and all below it, each with the names that lead to it."""
        yield path, self
        for each in self.subcharts:
            yield from each.walk((*path, each.name))


def _is_meant(entry: DependencyEntry, use: ChartUse) -> bool:
    """Whether a chart is the one of an entry: by name and version."""
    return use.name == entry.name and fits(entry.dependency.version, use.chart.metadata.version)


def shown(path: tuple[str, ...]) -> str:
    """Where a subchart is: `charts/a/charts/b`; the chart itself is `.`."""
    return "/".join(f"charts/{name}" for name in path) or "."
