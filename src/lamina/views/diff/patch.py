"""JSON Patch (RFC 6902): the operations that turn the value before into the value after, one applied after the other.

In a list what goes is removed from the end on, then what comes is added from the start on; so every position is right
when its turn comes. An item that moved is removed and added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import text_size, to_write
from lamina.views.diff.align_lists import align
from lamina.views.diff.compare_values import is_list, too_deep
from lamina.views.diff.limits import CHANGES, to_search
from lamina.views.diff.value_ids import Numbering

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.views.diff.align_lists import Alignment

Operation = dict[str, Any]


def patch(before: Any, after: Any, outputs: Alignment | None = None) -> list[Operation]:
    """The operations between two values in JSON's terms; with `outputs` the two are lists aligned like that."""
    writer = _PatchWriter()
    try:
        if outputs is not None:
            return list(writer.aligned(before, after, "", outputs))
        return list(writer.operations(before, after, ""))
    except RecursionError:
        raise too_deep() from None


class _PatchWriter:
    def __init__(self) -> None:
        self._numbering = Numbering()
        self._budget = to_search()
        self._single = CHANGES
        self._written = to_write()

    def operations(self, before: Any, after: Any, at: str) -> Iterator[Operation]:
        if self._numbering.same(before, after):
            return
        if self._single > 0 and isinstance(before, dict) and isinstance(after, dict):
            yield from self._mappings(before, after, at)
        elif self._single > 0 and is_list(before) and is_list(after):
            yield from self.aligned(before, after, at, align(before, after, self._numbering, self._budget))
        else:
            yield self._operation("replace", at, after)

    def _mappings(self, before: dict[str, Any], after: dict[str, Any], at: str) -> Iterator[Operation]:
        for key in before:
            if key not in after:
                yield self._operation("remove", _child_pointer(at, key))
        for key, value in after.items():
            if key not in before:
                yield self._operation("add", _child_pointer(at, key), value)
            elif not self._numbering.same(before[key], value):
                yield from self.operations(before[key], value, _child_pointer(at, key))

    def aligned(self, before: Any, after: Any, at: str, alignment: Alignment) -> Iterator[Operation]:
        removed = [*alignment.removed, *(one for one, _ in alignment.moved)]
        for one in sorted(removed, reverse=True):
            yield self._operation("remove", _child_pointer(at, one))
        for other in sorted([*alignment.added, *(other for _, other in alignment.moved)]):
            yield self._operation("add", _child_pointer(at, other), after[other])
        for _, other in alignment.replaced:
            yield self._operation("replace", _child_pointer(at, other), after[other])
        for one, other in alignment.kept:
            if self._numbering.same(before[one], after[other]):
                continue  # a path is made only where it is needed: its keys may be long
            yield from self.operations(before[one], after[other], _child_pointer(at, other))

    def _operation(self, name: str, at: str, *value: Any) -> Operation:
        self._single -= 1
        self._written.spend(size=text_size(at))
        return {"op": name, "path": at, **({"value": value[0]} if value else {})}


def _child_pointer(at: str, step: str | int) -> str:
    return f"{at}/{str(step).replace('~', '~0').replace('/', '~1')}"
