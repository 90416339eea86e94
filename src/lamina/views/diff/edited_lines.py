"""Edited lines: which lines of the sources of two sides are not the same.

A change of a result is caused by a line that was edited, so nothing else is named as its cause. Lines are counted from
one, as in an origin. Where the text of a source is not known, any of its lines may have been edited.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lamina.engine.provenance import source_nodes_behind
from lamina.run import Run
from lamina.sources.source import Source
from lamina.views.diff.limits import to_search
from lamina.views.diff.match_sources import SourceNames
from lamina.views.diff.subsequence import common

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from lamina.engine.node import SourceNode
    from lamina.origins import Origin
    from lamina.sources.inputs import Inputs
    from lamina.views.diff.idle_edits import EditedLine
    from lamina.views.result import Result

_KEY_ONLY = re.compile(rb":(\s+[&!|>]\S*)*\s*(#.*)?$")
"""The end of a line whose value begins on a later one."""


class Hunk(NamedTuple):
    """Consecutive lines that were edited: their numbers before and after, of which one may be empty."""

    before: range
    after: range


class SourceEdit(NamedTuple):
    """Consecutive lines that were edited, each with its side and source; those of the side after come first."""

    lines: list[EditedLine]
    is_comment: bool

    @property
    def shown(self) -> EditedLine:
        """The line that stands for the edit."""
        return self.lines[0]


class ReadSources(NamedTuple):
    """The sources that were read for a result."""

    sources: Sequence[Source]
    find: Callable[[str], Source | None] = lambda name: None  # noqa: ARG005 - nothing more is known
    """Finds a source of its inputs by its name in origins."""
    more: Callable[[], Iterable[Source]] = tuple
    """Those that were read for several results, before this one."""


class EditedLines:
    """The edited lines of what was read for two results; `names` match their sources."""

    def __init__(self, before: ReadSources, after: ReadSources, names: tuple[SourceNames, SourceNames]) -> None:
        self._names = names
        self._read = before, after
        self._sources = _by_name(before.sources, names[0]), _by_name(after.sources, names[1])
        self._is_all = False
        self._split: dict[tuple[int, str], list[bytes]] = {}
        self._hunks: dict[str, tuple[list[Hunk], tuple[frozenset[int], frozenset[int]]]] = {}

    @classmethod
    def none(cls) -> EditedLines:
        """Those between two sides of which nothing is known."""
        return cls(ReadSources(()), ReadSources(()), (SourceNames(), SourceNames()))

    @classmethod
    def of_results(cls, before: Result, after: Result) -> EditedLines:
        """Those between two results of which nothing more is known: in the sources of their values."""
        old, new = (ReadSources(list(_sources_behind(each))) for each in (before, after))
        return cls(old, new, (SourceNames(), SourceNames()))

    def of(self, side: int, source: str) -> Collection[int] | None:
        """The numbers of the lines of a source that were edited; None if its text is not known."""
        name = self._names[side].of(source)
        if self._source(side, name) is None:
            return None
        return self._compared(name)[1][side]

    def contents(self) -> Iterator[SourceEdit]:
        """What was edited in the sources read for these results; comments are left out."""
        return (edit for edit in self._edits() if not edit.is_comment)

    def all(self) -> Iterator[SourceEdit]:
        """The same for everything that was edited, with comments."""
        if not self._is_all:
            for side, read in enumerate(self._read):
                _add_by_name(self._sources[side], read.more(), self._names[side])
            self._is_all = True
        return self._edits()

    def _edits(self) -> Iterator[SourceEdit]:
        for name in {**self._sources[1], **self._sources[0]}:
            own = [names.on_side(name) for names in self._names]
            for hunk in self._compared(name)[0]:
                lines = [(side, line) for side in (1, 0) for line in (hunk.before, hunk.after)[side]]
                content = [each for each in lines if not self._is_comment(each[0], name, each[1])]
                yield SourceEdit([(side, own[side], line) for side, line in content or lines], is_comment=not content)

    def _text(self, side: int, name: str, line: int) -> bytes:
        lines = self._lines(side, name)
        return lines[line - 1] if line <= len(lines) else b""

    def in_extent(self, side: int, node: SourceNode) -> Origin | None:
        """The first edited line of a value as it is written, from its key to its last line; None if there is none."""
        at = node.origin()
        edited = self.of(side, at.source)
        if edited is None or at.line in edited:
            return at
        found, name = [line for line in self._extent(side, node, at) if line in edited], self._names[side].of(at.source)
        shown = next((line for line in found if not self._is_comment(side, name, line)), None)
        return None if not found else at._replace(line=shown or found[0], column=1)

    def extent(self, side: int, node: SourceNode) -> Iterator[int]:
        """The lines of a value as it is written."""
        return self._extent(side, node, node.origin())

    def _extent(self, side: int, node: SourceNode, at: Origin) -> Iterator[int]:
        positions, index, name = node.positions, node.index, self._names[side].of(at.source)
        if positions.resolve(index) != index:
            yield positions.locate(positions.lines[index], positions.columns[index]).line  # where the alias is
            index = positions.resolve(index)
        if index:
            above = positions.locate(positions.lines[index - 1], positions.columns[index - 1])
            if above.line < at.line and _KEY_ONLY.search(self._text(side, name, above.line)):
                yield above.line
        end = index + positions.sizes.get(index, 1)
        last = len(self._lines(side, name))
        if end < positions.record_count:
            last = max(at.line, positions.locate(positions.lines[end], positions.columns[end]).line - 1)
        yield from self._own_lines(side, name, at.line, last)

    def _own_lines(self, side: int, name: str, first: int, last: int) -> Iterator[int]:
        """The lines from a place on that belong to it: up to the last one, or to the end of the document."""
        indent = _indent(self._text(side, name, first))
        for line in range(first, last + 1):
            text = self._text(side, name, line)
            if line > first and text.startswith((b"---", b"...")):
                return
            if not self._is_comment(side, name, line) or _indent(text) > indent:
                yield line

    def _is_comment(self, side: int, name: str, line: int) -> bool:
        text = self._text(side, name, line).strip()
        return not text or (text.startswith(b"#") and line > 1)  # the first may say what the file is

    def _lines(self, side: int, name: str) -> list[bytes]:
        known = self._split.get((side, name))
        if known is None:
            source = self._source(side, name)
            known = self._split[side, name] = source.data.splitlines() if source is not None else []
        return known

    def _source(self, side: int, name: str) -> Source | None:
        """A source by its name on both sides; one that a side had no use for may be there nevertheless."""
        sources = self._sources[side]
        if name not in sources:
            sources[name] = self._read[side].find(self._names[side].on_side(name))
        return sources[name]

    def _compared(self, name: str) -> tuple[list[Hunk], tuple[frozenset[int], frozenset[int]]]:
        known = self._hunks.get(name)
        if known is None:
            before, after = self._source(0, name), self._source(1, name)
            same = before is not None and after is not None and before.data == after.data
            hunks = [] if same else list(_hunks(self._lines(0, name), self._lines(1, name)))
            edited = (
                frozenset(line for hunk in hunks for line in hunk.before),
                frozenset(line for hunk in hunks for line in hunk.after),
            )
            known = self._hunks[name] = hunks, edited
        return known


def rendered_on_record(inputs: Inputs, render: Callable[[Inputs], Result]) -> tuple[Result, ReadSources]:
    """A result, and the sources it was made from."""
    recorded = inputs.in_run(Run(inputs.run.session))  # a run of its own knows what was read in it
    result = render(recorded)
    return result, ReadSources([*inputs.sources, *_read_in(recorded.run)], inputs.find)


def _sources_behind(rendered: Result) -> Iterator[Source]:
    """The sources that the values of a result come from, as far as their positions know them."""
    for output in rendered.outputs:
        for node in source_nodes_behind(output.node):
            source = Source.behind(node.positions)
            if source is not None:
                yield source.outermost


def _read_in(run: Run) -> list[Source]:
    """The files of all documents that were read in a run."""
    found: dict[tuple[str, bytes], Source] = {}
    for key in run.documents or ():
        match key:
            case (str(), str(name), bytes(data)):
                found[name, data] = Source(name, data)
            case (str(), Source() as source):
                found[source.name, source.data] = source.outermost
    return list(found.values())


def _by_name(sources: Iterable[Source], names: SourceNames) -> dict[str, Source | None]:
    found: dict[str, Source | None] = {}
    _add_by_name(found, sources, names)
    return found


def _add_by_name(found: dict[str, Source | None], sources: Iterable[Source], names: SourceNames) -> None:
    for source in sources:
        found.setdefault(names.of(source.name), source)


def same_lines(before: bytes, after: bytes) -> dict[int, int]:
    """The lines of a text by what they are in another one; a line that was edited is the one that is in its place."""
    found: dict[int, int] = {}
    left, right = before.splitlines(), after.splitlines()
    old = new = 1
    for hunk in [*_hunks(left, right), Hunk(range(len(left) + 1, 0), range(len(right) + 1, 0))]:
        found.update(zip(range(old, hunk.before.start), range(new, hunk.after.start), strict=True))
        found.update(zip(hunk.before, hunk.after, strict=False))
        old, new = hunk.before.stop, hunk.after.stop
    return found


def _hunks(before: list[bytes], after: list[bytes]) -> Iterator[Hunk]:
    """The runs of lines that are not in a longest common subsequence."""
    numbers: dict[bytes, int] = {}
    left, right = ([numbers.setdefault(line, len(numbers)) for line in side] for side in (before, after))
    old = new = 0
    for one, other in [*common(left, right, to_search()), (len(left), len(right))]:
        if one - old == other - new:  # line by line, none if nothing is between
            yield from (
                Hunk(range(old + at, old + at + 1), range(new + at, new + at + 1)) for at in range(1, one - old + 1)
            )
        else:
            yield Hunk(range(old + 1, one + 1), range(new + 1, other + 1))
        old, new = one + 1, other + 1


def _indent(text: bytes) -> int:
    return len(text) - len(text.lstrip(b" "))
