"""The members of the mappings of sources, as stacks look at them and as the page has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.views.report.interning import NONE
from lamina.views.report.outline_parts import INNER
from lamina.views.report.stack_walk import MOST_NESTED, NoStack

if TYPE_CHECKING:
    from lamina.views.report.outline_parts import WrittenPart
    from lamina.views.report.pattern_rows import PatternRows
    from lamina.views.report.shared_parts import Sharing
    from lamina.views.report.stack_walk import Member, Packed


class PartMembers:
    """Lists the members of mappings, of each once."""

    def __init__(self, sharing: Sharing, rows: PatternRows) -> None:
        self._sharing = sharing
        self._rows = rows

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
        rows, inside = self._rows, self._sharing.inside
        head, places = rows.places_in(part)
        if head is None:
            raise NoStack
        group: list[int] = [*head]
        for index, ((key, value), (record, line, column)) in enumerate(zip(part.value.items(), places, strict=True)):
            step = rows.step(key)
            text = rows.text_of(value)
            what: int | Packed | None = text
            shown = NONE if text is None else text
            if text is None and type(value) is dict and value and depth < MOST_NESTED:
                inner = inside(part, key, value, record)
                what, shown = self.of(inner, depth + 1), INNER - inner.ident
            members[key] = index, step, what
            group += (step, line, column, shown)
        if len(set(group[3::4])) != len(members):
            raise NoStack
        return group
