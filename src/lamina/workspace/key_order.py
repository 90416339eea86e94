"""The order of keys: two results with the same values are not the same text if their keys come in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.views.result import Result


def reads_same(before: Result, after: Result) -> bool:
    """Whether two results without differences have their keys in one order and spelling."""
    sides = zip(before.outputs, after.outputs, strict=False)
    return all(_same_order(old.node.value, new.node.value) for old, new in sides)


def _same_order(before: Any, after: Any) -> bool:
    pending = [(before, after)]
    while pending:
        old, new = pending.pop()
        if old is new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            if list(map(str, old)) != list(map(str, new)):
                return False
            pending += zip(old.values(), new.values(), strict=True)
        elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
            pending += zip(old, new, strict=False)
    return True
