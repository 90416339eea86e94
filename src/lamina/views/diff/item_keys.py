"""Key fields: the field that identifies the items of a list, if there is one.

A field will do when every item on both sides is a mapping that has it, with a text or a whole number, and no two items
of a side have the same. Fields that are usually names come first; any other must have enough in common on both sides
to be one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY_FIELDS = ("name", "id", "key", "path", "uid", "uuid", "title", "label", "hostname", "host", "address", "device")
"""Fields that usually are names, the best first; case does not matter."""


def key_field(before: Sequence[Any], after: Sequence[Any]) -> Any:
    """The field that identifies the items of both lists, or None."""
    fields = _shared_fields([*before, *after])
    known_fields = sorted(
        (field for field in fields if field.lower() in KEY_FIELDS), key=lambda field: KEY_FIELDS.index(field.lower())
    )
    for field in known_fields:
        if _values(before, field) is not None and _values(after, field) is not None:
            return field
    return max(
        (field for field in fields if field not in known_fields and _is_unique(before, after, field)),
        key=lambda field: len(_both(before, after, field)),
        default=None,
    )


def _shared_fields(items: list[Any]) -> list[Any]:
    """The fields all items have, in the order of the first; none if an item is not a mapping."""
    shared: dict[Any, None] | None = None
    for item in items:
        if not isinstance(item, dict):
            return []
        if shared is None:
            shared = dict.fromkeys(field for field in item if isinstance(field, str))
        else:
            shared = {field: None for field in shared if field in item}
        if not shared:
            return []
    return list(shared or ())


def _values(items: Sequence[Any], field: Any) -> set[Any] | None:
    """The values of a field, if they identify the items."""
    values: set[Any] = set()
    for item in items:
        value = item[field]
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            return None
        values.add((isinstance(value, str), value))
    return values if len(values) == len(items) else None


def _both(before: Sequence[Any], after: Sequence[Any], field: Any) -> set[Any]:
    return (_values(before, field) or set()) & (_values(after, field) or set())


def _is_unique(before: Sequence[Any], after: Sequence[Any], field: Any) -> bool:
    shorter = min(len(before), len(after))
    return shorter > 1 and 2 * len(_both(before, after, field)) >= shorter
