"""Copies of data that is changed in place."""

from __future__ import annotations

from typing import Any


def own_copy(value: Any) -> Any:
    """A copy of a value, in which is shared what is shared in the value, and nothing with anything else."""
    if not isinstance(value, (dict, list)):
        return value
    made: dict[int, Any] = {id(value): type(value)()}
    found = [value]
    for holder in found:
        for inner in holder.values() if isinstance(holder, dict) else holder:
            if isinstance(inner, (dict, list)) and id(inner) not in made:
                made[id(inner)] = type(inner)()
                found.append(inner)
    for holder in found:
        if isinstance(holder, dict):
            made[id(holder)].update({key: made.get(id(inner), inner) for key, inner in holder.items()})
        else:
            made[id(holder)].extend(made.get(id(inner), inner) for inner in holder)
    return made[id(value)]
