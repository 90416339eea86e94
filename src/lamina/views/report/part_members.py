"""The members of the mappings of sources, as stacks look at them and as the page has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.native import compiled
from lamina.views.report.interning import NONE
from lamina.views.report.outline_parts import INNER, ListedTable
from lamina.views.report.stack_walk import MOST_NESTED, NoStack

if TYPE_CHECKING:
    from lamina.origins import Origin, PositionMap
    from lamina.views.report.outline_parts import WrittenPart
    from lamina.views.report.pattern_rows import Listing, PatternRows
    from lamina.views.report.shared_parts import Sharing
    from lamina.views.report.stack_walk import Member, Packed


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
            members: dict[Any, Member] = {}
            part.packed = members, part.ident
            part.group = self._listed(part, members, depth)
        if part.group is None:
            raise NoStack
        return part.packed

    def _listed(self, part: WrittenPart, members: dict[Any, Member], depth: int) -> list[int]:
        """Fill in the members; gives what the page has of them."""
        rows, inside, positions = self._rows, self._sharing.inside, part.positions
        aliases, lines, columns, locate = positions.aliases, positions.lines, positions.columns, positions.locate
        sizes = {} if aliases or positions.members else positions.sizes
        group: list[int] = []
        steps: set[int] = set()
        for (key, value), record in zip(part.value.items(), part.records(), strict=True):
            at = aliases.get(record, record) if aliases else record
            source, line, column, within = origin = locate(lines[at], columns[at])
            if not group:
                known_source, known_within = source, within
                head = rows.head(part, origin)
                group += head
                listing = None if _compiled is None else rows.listing(positions, origin)
            elif source != known_source or within != known_within:
                raise NoStack
            step = rows.step(key)
            text = None if type(value) is dict else rows.text_of(value)
            what: int | Packed | tuple[int] | None = text
            shown = NONE if text is None else text
            if text is None and value and depth < MOST_NESTED:
                if type(value) is dict:
                    packed = None
                    if sizes.get(record) == 1 + 2 * len(value):  # it has single values alone
                        packed = self._table(part, key, value, record, [*head], origin, listing)
                    if packed is None:
                        packed = self.of(inside(part, key, value, record), depth + 1)
                    what, shown = packed, INNER - 2 * packed[1]
                elif type(value) is list:
                    inner = inside(part, key, value, record)
                    if (items := rows.item_texts(inner)) is not None:
                        what = (self._lists.setdefault(items, len(self._lists)),)
            members[key] = len(steps), step, what
            steps.add(step)
            group += (step, line, column, shown)
        if not group or len(steps) != len(members):
            raise NoStack  # it is empty, or keys that differ have the same text
        return group

    def _table(
        self,
        part: WrittenPart,
        key: Any,
        value: dict[Any, Any],
        record: int,
        group: list[int],
        origin: Origin,
        listing: Listing | None,
    ) -> Packed | None:
        """The members of a mapping of single values in another, listed at once; None if not all of them can be.

        `group` has the layer and the source of both; `listing` is for the C extension.
        """
        if listing is None:
            members = list_in_python(self._rows, value, record, group, part.positions, origin)
        else:
            members, spent = _compiled.list_table(value, record, group, *listing)
            self._rows.spend(spent)
        if members is None or (len(members) > 1 and len({*group[3::4]}) != len(members)):
            return None
        written = self._sharing.written
        packed = members, len(written)
        written.append(ListedTable(part, key, record, packed, group))
        return packed


def list_in_python(
    rows: PatternRows,
    value: dict[Any, Any],
    record: int,
    group: list[int],
    positions: PositionMap,
    origin: Origin,
) -> dict[Any, Member] | None:
    """List the members of a mapping of single values; None if it has others, or not all are in the same source."""
    members: dict[Any, Member] = {}
    for key, each in value.items():
        record += 2
        text = rows.text_of(each)
        source, line, column, within = positions.locate(positions.lines[record], positions.columns[record])
        if text is None or source != origin.source or within != origin.part:
            return None
        step = rows.step(key)
        members[key] = len(members), step, text
        group += (step, line, column, text)
    return members


_compiled = compiled("lamina.views.report._stack_walk")
