"""Stacks: mappings of which the page fills in all rows, given the patterns of what is in them.

Where steps merged mappings of sources key by key, every row follows from these mappings and from a handful of patterns.
The page gets the patterns, and of each such mapping only the numbers of its slots. Here everything in a stack is made
known to its pattern. Rows that follow from none are made once for all stacks in which the same slots have the key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from lamina.engine.delta import OLD, MapDelta
from lamina.views.report.history_patterns import equality_pattern
from lamina.views.report.interning import NONE, Numbered
from lamina.views.report.list_templates import template_of
from lamina.views.report.outline_parts import AbsentPart, MergedPart, UnknownPart, WrittenPart, token_of
from lamina.views.report.part_members import PartMembers
from lamina.views.report.row_size import EVENT, NUMBER, ROW
from lamina.views.report.stack_walk import (
    LEAF,
    LIST,
    MAPPING,
    MOST_NESTED,
    MOST_SLOTS,
    SLOT_BITS,
    NoStack,
    StackPattern,
    page_code,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lamina.budget import Budget
    from lamina.views.report.interning import InternedTables
    from lamina.views.report.list_templates import ListTemplate
    from lamina.views.report.open_row import OpenRow
    from lamina.views.report.outline_parts import Kind, Mark, Part
    from lamina.views.report.pattern_rows import PatternRows
    from lamina.views.report.shared_parts import Sharing
    from lamina.views.report.stack_walk import MissingRow

FIRST_STACK = -2
"""Among the rows inside a row, the stack of that number is counted down from here."""


class StackRows(Protocol):
    """Makes the rows that do not follow from patterns of stacks."""

    def mark(self, row: OpenRow, key: Any) -> Mark | None:
        """What outputs have in common that share what a row has at a key, if that is known."""
        ...

    def mapping(self, row: OpenRow, mark: Mark, key: Any) -> OpenRow | None:
        """The mapping that a row has at a key; None if its history has no pattern."""
        ...

    def number(self, row: OpenRow, key: Any) -> int:
        """The number of the row of what a row has at a key."""
        ...


class _Outline:
    """How a stack was made, slot by slot."""

    def __init__(self, part: Part, sharing: Sharing) -> None:
        self.parts: list[WrittenPart] = []
        self.changes: list[MapDelta | None] = []
        self.causes: list[int] = []
        """The step that put each slot to those before it, if it merged them."""
        self._sharing = sharing
        self.shape, live = self._flat(part)
        self.live = sum(1 << at for at in live)
        if len(self.parts) > MOST_SLOTS:
            raise NoStack

    def _flat(self, part: Part, level: MergedPart | None = None) -> tuple[Hashable, list[int]]:
        """What is shown of the steps, and the slots whose keys are in the value."""
        if type(part) is WrittenPart:
            self.parts.append(part)
            self.causes.append(0 if level is None else level.cause)
            self.changes.append(None if level is None else level.delta)
            return "written", [len(self.parts) - 1]
        if type(part) is AbsentPart:
            return part.mark[0], []
        if type(part) is not MergedPart:
            raise NoStack
        old, kept = self._flat(part.old)
        is_merged = type(part.delta) is MapDelta
        if is_merged and type(part.new) is not WrittenPart:
            raise NoStack
        new, added = self._flat(part.new, part if is_merged else None)
        live = kept + added if is_merged else kept if part.delta is OLD else added
        inherited = self._sharing.step_inside(part.policy, part.cause)
        return (token_of(part.delta), part.step, part.cause, inherited, old, new), live


class _Shown:
    """What the page gets of a pattern."""

    def __init__(self, live: int, causes: list[int]) -> None:
        self.live = live
        self.causes = causes
        self.leaves: dict[int, int] = {}
        """The pattern of the history, by code."""
        self.mappings: dict[int, tuple[int, int]] = {}
        """The pattern of the history, and that of the stack."""
        self.rows: dict[tuple[int, ...], int] = {}
        """The rows that are at a key, by the text of the key and the slots that have it."""
        self.lists: dict[int, ListTemplate] = {}
        self.by_steps: dict[Hashable, StackPattern | None] = {}
        """The patterns of mappings inside, by code and steps."""
        self.lists_by_steps: dict[Hashable, bool] = {}
        """Whether there is a template, likewise."""


class _OpenedRows:
    """The rows of the mappings in a stack, as far as they are needed."""

    def __init__(self, top: OpenRow, rows: StackRows) -> None:
        self.top = top
        self._rows = rows
        self._known: dict[tuple[Any, ...], OpenRow] = {(): top}

    def at(self, missing: MissingRow) -> tuple[OpenRow, Mark]:
        """The row of the mapping that something is missing in, and the mark of that."""
        row = self._row(missing.path)
        mark = self._mark(row, missing.key)
        if mark[1] != missing.idents:
            raise NoStack
        return row, mark

    def _row(self, path: tuple[Any, ...]) -> OpenRow:
        found = self._known.get(path)
        if found is None:
            above, key = self._row(path[:-1]), path[-1]
            found = self._rows.mapping(above, self._mark(above, key), key)
            if found is None:
                raise NoStack
            self._known[path] = found
        return found

    def _mark(self, row: OpenRow, key: Any) -> Mark:
        mark = self._rows.mark(row, key)
        if mark is None:
            raise NoStack
        return mark


class MappingStacks:
    """The stacks of one page."""

    def __init__(
        self, tables: InternedTables, rows: StackRows, patterns: PatternRows, sharing: Sharing, budget: Budget
    ) -> None:
        self._rows = rows
        self._tables = tables
        self._patterns = patterns
        self._sharing = sharing
        self._budget = budget
        self._members = PartMembers(sharing, patterns)
        self._known: dict[Hashable, StackPattern] = {}
        self._shown: list[_Shown] = []
        self._stacks: Numbered[tuple[int, ...]] = Numbered()

    def entry(self, row: OpenRow) -> tuple[int, int] | None:
        """What to put in the place of the rows inside a mapping, and how many that are; None if it is not a stack."""
        if row.outline is None:
            return None
        try:
            outline = _Outline(row.outline, self._sharing)
            pattern, count = self._walked(row, outline)
        except (NoStack, UnknownPart):
            return None
        self._budget.spend(size=(ROW + 2 * EVENT) * count + NUMBER * len(outline.parts))
        path = [self._patterns.step(key) for key in row.path]
        idents = [part.ident for part in outline.parts]
        return FIRST_STACK - self._stacks((pattern.number, len(path), *path, *idents)), count

    def _walked(self, row: OpenRow, outline: _Outline) -> tuple[StackPattern, int]:
        """The pattern of a stack, which knows everything in it, and about how many rows there are."""
        pattern = self._pattern(outline, len(row.path))
        slots = [self._members.of(part) for part in outline.parts]
        count = 0
        for _ in range(2 * MOST_NESTED):
            missing: list[MissingRow] = []
            count += walk(pattern, row.value, slots, outline.changes, missing)
            if not missing or not self._learned(row, missing):
                return pattern, count
        raise NoStack

    def _pattern(self, outline: _Outline, depth: int) -> StackPattern:
        """The pattern of stacks at one depth that were made by the same steps, from layers of which the same are alike.

        At one depth, since events of the items of a list have so many steps of the path of the list.
        """
        for part in outline.parts:
            self._members.of(part)
        idents = equality_pattern([part.ident for part in outline.parts])
        known = depth, outline.shape, idents, equality_pattern([part.group[0] for part in outline.parts if part.group])
        found = self._known.get(known)
        if found is None:
            found = self._known[known] = StackPattern(len(self._shown), outline.live, {}, {}, {}, set(), set())
            self._shown.append(_Shown(outline.live, outline.causes))
        return found

    def _learned(self, row: OpenRow, missing: list[MissingRow]) -> bool:
        """Make known what is missing in a stack; gives whether it has to be walked through again."""
        opened = _OpenedRows(row, self._rows)
        again = [self._learn(opened, each) for each in missing]
        return any(again)

    def _learn(self, opened: _OpenedRows, missing: MissingRow) -> bool:
        """Make one thing known that a row has at a key."""
        kind, pattern, known = missing.kind, missing.pattern, missing.known
        if kind == LEAF:
            return known not in pattern.leaves and self._learn_leaf(opened, missing)
        if kind == MAPPING:
            if known not in pattern.mappings:
                pattern.mappings[known] = self._inner(opened, missing)
            return True
        if kind == LIST:
            if known not in pattern.lists:
                pattern.lists[known] = self._has_template(opened, missing)
            return not pattern.lists[known]
        if known not in pattern.others:
            self._other(opened, missing)
            pattern.others.add(known)
        return False

    def _other(self, opened: _OpenedRows, missing: MissingRow) -> int:
        """The row of what does not follow from a pattern of the stack."""
        row, _ = opened.at(missing)
        number = self._rows.number(row, missing.key)
        step = self._patterns.step(missing.key)
        _agree(self._shown[missing.pattern.number].rows, (step, *missing.idents), number)
        return number

    def _has_template(self, opened: _OpenedRows, missing: MissingRow) -> bool:
        """Whether the page can fill in a list by the template of a list that was made in the same way."""
        shown = self._shown[missing.pattern.number]
        steps = self._steps(missing.pattern, missing.known)
        if steps not in shown.lists_by_steps:
            written, key = self._sharing.written, missing.key
            row = self._tables.rows.entry(self._other(opened, missing))
            template = template_of(
                row, [written[at].parts[key] for at in missing.idents], len(opened.top.path) + len(missing.path) + 1
            )
            if template is not None:
                _agree(shown.lists, _page_code(missing.known), template)
            shown.lists_by_steps[steps] = template is not None
        return shown.lists_by_steps[steps]

    def _learn_leaf(self, opened: _OpenedRows, missing: MissingRow) -> bool:
        row, mark = opened.at(missing)
        number = self._patterns.leaf_pattern(row, missing.key, mark)
        if number != NONE:
            _agree(self._shown[missing.pattern.number].leaves, _page_code(missing.known), number)
        missing.pattern.leaves[missing.known] = number
        return number == NONE

    def _inner(self, opened: _OpenedRows, missing: MissingRow) -> StackPattern | None:
        """The pattern of the stack that a mapping inside a stack is; None if it is not one."""
        shown = self._shown[missing.pattern.number]
        by_steps = self._steps(missing.pattern, missing.known)
        if by_steps not in shown.by_steps:
            shown.by_steps[by_steps] = self._new_inner(opened, missing, shown)
        return shown.by_steps[by_steps]

    def _steps(self, pattern: StackPattern, known: int | tuple[Any, ...]) -> Hashable:
        """All that something inside a stack depends on: its code, and what is shown of the policies there."""
        if not isinstance(known, tuple):
            return known
        code, *policies = known
        causes = self._shown[pattern.number].causes
        held = [cause for at, cause in enumerate(causes) if code >> at * SLOT_BITS & 15]
        return code, *[
            None if policy is None else self._sharing.step_inside(policy, cause)
            for policy, cause in zip(policies, held, strict=True)
        ]

    def _new_inner(self, opened: _OpenedRows, missing: MissingRow, shown: _Shown) -> StackPattern | None:
        key = missing.key
        inner = self._rows.mapping(*opened.at(missing), key)
        if inner is None or inner.outline is None:
            return None
        try:
            outline = _Outline(inner.outline, self._sharing)
            found = self._pattern(outline, len(inner.path))
        except NoStack:
            return None
        if outline.parts != self._inner_parts(missing, dict):
            return None
        _agree(shown.mappings, _page_code(missing.known), (inner.pattern, found.number))
        return found

    def _inner_parts(self, missing: MissingRow, kind: Kind) -> list[WrittenPart]:
        """What the slots have at a key."""
        sharing = self._sharing
        return [sharing.inner(sharing.written[slot], missing.key, kind) for slot in missing.idents]

    def stacks(self) -> list[tuple[int, ...]]:
        """Of every stack: the pattern, how many steps its path has, these, and its slots."""
        return self._stacks.entries()

    def patterns(self) -> list[list[Any]]:
        """Of every pattern: the slots whose keys are shown, as bits; codes and patterns of values; codes, patterns and
        patterns of stacks, of mappings; the templates of lists; rows, each with the number of its key and slots.
        """
        return [
            [
                shown.live,
                [number for pair in shown.leaves.items() for number in pair],
                [number for code, pair in shown.mappings.items() for number in (code, *pair)],
                [template.fields(code) for code, template in shown.lists.items()],
                [[number, *key] for key, number in shown.rows.items()],
            ]
            for shown in self._shown
        ]


def _page_code(known: Any) -> int:
    return page_code(known[0] if isinstance(known, tuple) else known)


def _agree(table: dict[Any, Any], key: Any, entry: Any) -> None:
    """Enter something that the page looks up by less than it depends on."""
    if table.setdefault(key, entry) != entry:
        raise NoStack
