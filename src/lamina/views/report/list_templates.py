"""Templates of lists: lists in stacks that were made by the same steps have rows that differ only in their items.

The first such list is worked out as any other. Where it consists of whole lists of layers, its row is the template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.views.report.row_content import ITEMS_OF_PATTERN

if TYPE_CHECKING:
    from lamina.views.report.outline_parts import WrittenPart


class ListTemplate(NamedTuple):
    """The row of a list without its items."""

    pattern: int
    steps: tuple[int, ...]
    """How many steps of its path the events of items have."""
    runs: tuple[tuple[int, int], ...]
    """The pattern of items, and which of the lists of layers they are."""

    def fields(self, code: int) -> list[int]:
        """What the page gets: the code, the pattern, how many steps follow, and patterns and positions of runs."""
        return [code, self.pattern, len(self.steps), *self.steps, *[number for run in self.runs for number in run]]


def template_of(row: Any, lists: list[WrittenPart], depth: int) -> ListTemplate | None:
    """The template that the row of a list is; None if it is none.

    An event of an item may be about a whole list: the lists of layers must not be the same as the whole in one list
    and differ from it in another. `depth` is the number of keys that lead to the list.
    """
    if row[0] != ITEMS_OF_PATTERN:
        return None
    numbers: tuple[int, ...] = row[5 + row[4] :]
    steps, runs = numbers[1 : 1 + 2 * numbers[0] : 2], numbers[1 + 2 * numbers[0] :]
    found: list[tuple[int, int]] = []
    idents = [part.ident for part in lists]
    for inner, ident, start, count in zip(*(runs[at::4] for at in range(4)), strict=True):
        at = idents.index(ident)
        if start or count != len(lists[at].value):
            return None
        found.append((inner, at))
    items = [part.items for part in lists]
    if len(found) > 1 and not {*items} <= {items[at] for _, at in found}:
        return None
    return ListTemplate(row[3], steps, tuple(found)) if all(step <= depth for step in steps) else None
