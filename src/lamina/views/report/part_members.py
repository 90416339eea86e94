"""The members of the mappings of sources, as stacks look at them and as the page has them.

Most members are single values, or mappings of nothing but single values (tables). These are listed without a look at
anything else, by the C extension if it is there; `list_in_python` is the definition. All other collections follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.native import compiled
from lamina.views.report.interning import NONE
from lamina.views.report.outline_parts import INNER, ListedTable
from lamina.views.report.stack_walk import MOST_NESTED, NoStack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from lamina.origins import Origin, PositionMap
    from lamina.views.report.outline_parts import WrittenPart
    from lamina.views.report.pattern_rows import PatternRows
    from lamina.views.report.shared_parts import Sharing
    from lamina.views.report.stack_walk import Member, Packed

    Members: TypeAlias = dict[Any, Member]
    Listed: TypeAlias = tuple[list[ListedTable], list[tuple[int, Any, int]]]
    """The tables that were found, and the position, the key and the record of every other collection."""


class PartMembers:
    """Lists the members of mappings, of each once."""

    def __init__(self, sharing: Sharing, rows: PatternRows) -> None:
        self._sharing = sharing
        self._rows = rows
        self._lists: dict[tuple[int, ...], int] = {}
        """A number for each list, by the texts of its items."""

    def of(self, part: WrittenPart, depth: int = 0) -> Packed:
        """The members of a mapping; raises NoStack where they are not all in one layer and one source."""
        if part.packed is None:
            members: Members = {}
            part.packed = members, part.ident
            part.group = self._listed(part, members, depth)
        if part.group is None:
            raise NoStack
        return part.packed

    def _listed(self, part: WrittenPart, members: Members, depth: int) -> list[int]:
        """Fill in the members; gives what the page has of them."""
        if not part.value:
            raise NoStack
        records, written = part.records(), self._sharing.written
        origin = part.positions.origin(records[0])
        group = [*self._rows.head(part, origin)]
        found = self._list(part, records, members, group, origin, depth)
        if found is None or has_repeated(group[3::4]):
            raise NoStack
        tables, others = found
        written.extend(tables)
        if depth < MOST_NESTED:
            for at, key, record in others:
                what, shown = self._collection(part, key, record, depth)
                members[key] = at, members[key][1], what
                group[6 + 4 * at] = shown
        return group

    def _list(
        self,
        part: WrittenPart,
        records: Sequence[int],
        members: Members,
        group: list[int],
        origin: Origin,
        depth: int,
    ) -> Listed | None:
        """List single values and tables; None if not all members are in the source of the origin."""
        positions, first = part.positions, len(self._sharing.written)
        # Only where records follow from the value is a table recognized by its size.
        sizes = {} if positions.aliases or positions.members or depth >= MOST_NESTED else positions.sizes
        if _compiled is None or positions.aliases or type(part.value) is not dict:
            return list_in_python(self._rows, part, records, members, group, origin, sizes, first)
        listing = self._rows.listing(positions, origin)
        found, spent = _compiled.list_members(part.value, records, members, group, part, sizes, first, listing)
        self._rows.spend(spent)
        listed: Listed | None = found
        return listed

    def _collection(
        self, part: WrittenPart, key: Any, record: int, depth: int
    ) -> tuple[Packed | tuple[int] | None, int]:
        """What a collection is among the members of a mapping, and what the page has in the place of its text."""
        inner = self._sharing.inside(part, key, part.value[key], record)
        if type(inner.value) is dict:
            packed = self.of(inner, depth + 1)
            return packed, INNER - 2 * packed[1]
        items = self._rows.item_texts(inner)
        # Whether the page has the items is known at the end.
        return None if items is None else (self._lists.setdefault(items, len(self._lists)),), NONE


def list_in_python(
    rows: PatternRows,
    part: WrittenPart,
    records: Sequence[int],
    members: Members,
    group: list[int],
    origin: Origin,
    sizes: Mapping[int, int],
    first: int,
) -> Listed | None:
    """Add all members of a mapping to `members` and `group`; None if not all are in the source of the origin.

    `sizes` are those of collections by their records; `first` is the number of the first table that is found.
    """
    tables: list[ListedTable] = []
    others: list[tuple[int, Any, int]] = []
    for (key, value), record in zip(part.value.items(), records, strict=True):
        place = _place(part.positions, record, origin)
        if place is None:
            return None
        step, what = rows.step(key), None if type(value) is dict else rows.text_of(value)
        shown = NONE if what is None else what
        table = None
        if type(value) is dict and value and sizes.get(record) == 1 + 2 * len(value):
            table = _list_table(rows, part, key, record, origin, first + len(tables))
        if table is not None:
            tables.append(table)
            shown = INNER - 2 * table.packed[1]
        elif type(value) in (dict, list) and value:
            others.append((len(members), key, record))
        members[key] = len(members), step, what if table is None else table.packed
        group += (step, *place, shown)
    return tables, others


def _list_table(
    rows: PatternRows, part: WrittenPart, key: Any, record: int, origin: Origin, ident: int
) -> ListedTable | None:
    """A mapping of single values in a mapping; None if it has others, or not all are in the source of the origin."""
    members: Members = {}
    group: list[int] = []
    for at, (inner, value) in enumerate(part.value[key].items()):
        place = _place(part.positions, record + 2 + 2 * at, origin)
        if place is None:
            return None
        step, text = rows.step(inner), rows.text_of(value)
        if text is None:
            return None
        members[inner] = at, step, text
        group += (step, *place, text)
    return None if has_repeated(group[::4]) else ListedTable(part, key, record, (members, ident), group)


def has_repeated(steps: Sequence[int]) -> bool:
    """Whether keys that differ have the same text."""
    return len(steps) > 1 and len({*steps}) != len(steps)


def _place(positions: PositionMap, record: int, origin: Origin) -> tuple[int, int] | None:
    """The line and the column of a record, if it is in the same source as something else."""
    source, line, column, within = positions.origin(record)
    return (line, column) if source == origin.source and within == origin.part else None


_compiled = compiled("lamina.views.report._stack_walk")
if _compiled is not None:
    _compiled.configure_members(ListedTable)
