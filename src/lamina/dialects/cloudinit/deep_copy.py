"""Copies of data that is changed in place."""

from __future__ import annotations

from typing import Any


def deep_copied(value: Any) -> Any:
    """A deep copy of a value that keeps the sharing inside the value."""
    if not isinstance(value, (dict, list)):
        return value
    copies: dict[int, Any] = {id(value): type(value)()}
    found = [value]
    for holder in found:
        for inner in holder.values() if isinstance(holder, dict) else holder:
            if isinstance(inner, (dict, list)) and id(inner) not in copies:
                copies[id(inner)] = type(inner)()
                found.append(inner)
    for holder in found:
        if isinstance(holder, dict):
            copies[id(holder)].update({key: copies.get(id(inner), inner) for key, inner in holder.items()})
        else:
            copies[id(holder)].extend(copies.get(id(inner), inner) for inner in holder)
    return copies[id(value)]
