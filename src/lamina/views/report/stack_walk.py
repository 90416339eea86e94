"""The walk through a stack: what is at every key of a mapping of layers, and which of it is not known yet.

A stack is a mapping that steps merged key by key from mappings of sources, its slots. What is at a key follows from
what each slot has there and from what each step did with it; both make up the code of the key. Once all codes in a
stack are known, the page can fill in its rows. The C extension does what the functions here do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lamina._support.native import compiled
from lamina.engine.delta import NEW, OLD, ListDelta, MapDelta

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

Packed: TypeAlias = "tuple[dict[Any, Member], int]"
"""A mapping of a source: its members by key, and its number among the parts of the page."""
Member: TypeAlias = "tuple[int, int, int | Packed | tuple[int] | None]"
"""Its position in the mapping, the number of the text of its key, and what it is: the number of a text, with a sign as
in the table of parts; a mapping; a number that equal lists have in common; None for anything else."""

SLOT_BITS = 6
"""The bits of a code for each slot: four for the first slot that has the same (1 for the first), two for the step."""
MOST_SLOTS = 10
MOST_NESTED = 8
"""Mappings inside each other in one stack."""
GLANCES = 16
"""So many values that are shared take the time of one that is not, at the very least."""
LEAF, MAPPING, LIST, OTHER = range(4)
"""What is at a key: a value that holds nothing further, a mapping, a list of such values, anything else."""


KEPT, TAKEN, MERGED, JOINED = range(4)
OLD_FIRST, NEW_FIRST = 6, 7
"""What a step did with a key; of these numbers a code has two bits."""


class StackPattern(NamedTuple):
    """What is known of stacks whose slots were merged by the same steps."""

    number: int
    live: int
    """A bit for each slot whose keys are in the value; in their order, slot by slot, the value has them."""
    leaves: dict[Hashable, int]
    """The pattern of the history by code; negative where it has none."""
    mappings: dict[Hashable, StackPattern | None]
    """The pattern of the stack that a mapping inside is, by code; None where it is not a stack."""
    lists: dict[Hashable, bool]
    """Whether the page can fill in a list, by code."""
    others: set[Hashable]
    """All else that has a row."""
    walked: set[Hashable]
    """The stacks in which everything is known: the key that each is at in another, and its slots."""


class MissingRow(NamedTuple):
    """Something in a stack that is not known yet."""

    kind: int
    pattern: StackPattern
    path: tuple[Any, ...]
    """The keys that lead to the mapping that has it."""
    key: Any
    known: Any
    """What it will be known by in the pattern."""
    idents: tuple[int, ...]
    """The slots that have the key."""


class NoStack(Exception):
    """Not everything in a mapping follows from its slots."""


def walk_in_python(
    pattern: StackPattern,
    value: dict[Any, Any],
    slots: Sequence[Packed],
    changes: Sequence[MapDelta | None],
    path: tuple[Any, ...],
    missing: list[MissingRow],
) -> int:
    """Look at all keys of a stack; gives about how many rows it adds to the page.

    `changes` has what the step of each slot did with its keys; None where no keys were merged.
    """
    token = (path[-1] if path else None, *[ident for _, ident in slots])
    if token in pattern.walked:
        return 0
    if len(path) > MOST_NESTED:
        raise NoStack
    for (members, _), change in zip(slots, changes, strict=True):
        if change is not None and (change.outer or len(change.entries) != len(members)):
            raise NoStack
    unknown, count, present, last = len(missing), 1 + len(value) // GLANCES, 0, (-1, -1)
    for key, inside in value.items():
        held = [(at, member) for at, (members, _) in enumerate(slots) if (member := members.get(key)) is not None]
        present += len(held)
        first = next(((at, member[0]) for at, member in held if pattern.live >> at & 1), last)
        if first <= last or len({member[1] for _, member in held}) > 1:
            raise NoStack
        last = first
        count += _at_key(pattern, key, inside, held, slots, changes, path, missing)
    if present != sum(len(members) for members, _ in slots):
        raise NoStack  # some keys are not in the value
    if len(missing) == unknown:
        pattern.walked.add(token)
    return count


def _at_key(
    pattern: StackPattern,
    key: Any,
    inside: Any,
    held: list[tuple[int, Member]],
    slots: Sequence[Packed],
    changes: Sequence[MapDelta | None],
    path: tuple[Any, ...],
    missing: list[MissingRow],
) -> int:
    """Look at one key; `held` are the slots that have it."""
    of_slots = [changes[at] for at, _ in held]
    entries = [None if change is None else change.entries.get(key, MapDelta) for change in of_slots]
    policies = [None if change is None or not change.under else change.under.get(key) for change in of_slots]
    kind, code = _code(held, entries)
    known: Hashable = (code, *policies) if any(policies) else code
    idents = tuple([slots[at][1] for at, _ in held])
    if kind == LEAF:
        number = pattern.leaves.get(known)
        if number is None:
            missing.append(MissingRow(kind, pattern, path, key, known, idents))
        if number is None or number >= 0:
            return int(len(held) > 1)
    elif kind == LIST:
        is_known = pattern.lists.get(known)
        if is_known is None:
            missing.append(MissingRow(kind, pattern, path, key, known, idents))
        if is_known is None or is_known:
            return int(len(held) > 1)
    elif kind == MAPPING and type(inside) is dict:
        inner = pattern.mappings.get(known, pattern)
        if inner is pattern:
            missing.append(MissingRow(kind, pattern, path, key, known, idents))
            return 0
        if inner is not None:
            packed: list[Any] = [member[2] for _, member in held]
            merged = [entry if type(entry) is MapDelta else None for entry in entries]
            return walk_in_python(inner, inside, packed, merged, (*path, key), missing)
    other = (key, known, *idents)
    if other not in pattern.others:
        missing.append(MissingRow(OTHER, pattern, path, key, other, idents))
    return 0


def _step(entry: Any) -> int:
    """What a step did with a key, as a number; lists that were joined have that of the one that comes first."""
    if entry is None or entry is OLD:
        return KEPT
    if entry is NEW:
        return TAKEN
    if type(entry) is MapDelta:
        return MERGED
    if type(entry) is not ListDelta:
        raise NoStack
    return {"old": OLD_FIRST, "new": NEW_FIRST, None: JOINED}[entry.first]


def _code(held: list[tuple[int, Member]], entries: list[Any]) -> tuple[int, int]:
    """What is at a key, and its code."""
    steps = [_step(entry) for entry in entries]
    kind = _kind([member[2] for _, member in held], steps)
    if kind == LEAF:
        same: list[Any] = [member[2] for _, member in held]
    elif kind == OTHER:
        same = [at for at, _ in held]
    else:
        same = [member[2][-1] for _, member in held]  # type: ignore[index]  # collections
    code = 0
    for (at, _), step, each in zip(held, steps, same, strict=True):
        code |= (held[same.index(each)][0] + 1 | (step & 3) << 4) << at * SLOT_BITS
    return kind, code


def _kind(members: list[Any], steps: list[int]) -> int:
    if all(type(each) is int for each in members) and not {*steps} - {KEPT, TAKEN}:
        return LEAF
    if all(type(each) is tuple and len(each) == 2 for each in members) and not {*steps} - {KEPT, TAKEN, MERGED}:
        return MAPPING
    if all(type(each) is tuple and len(each) == 1 for each in members):
        return OTHER if {*steps} - {KEPT, TAKEN, OLD_FIRST, NEW_FIRST} else LIST
    return OTHER


def page_code(code: int) -> int:
    """A code without the steps, which the page does not know, in four bits for each slot."""
    return sum((code >> at * SLOT_BITS & 15) << at * 4 for at in range(MOST_SLOTS))


_compiled = compiled("lamina.views.report._stack_walk")
if _compiled is not None:
    _compiled.configure(OLD, NEW, MapDelta, ListDelta)


def walk(
    pattern: StackPattern,
    value: dict[Any, Any],
    slots: list[Packed],
    changes: list[MapDelta | None],
    missing: list[MissingRow],
) -> int:
    """Look at all keys of a stack, with the C extension if it is there."""
    if _compiled is None or type(value) is not dict:
        return walk_in_python(pattern, value, slots, changes, (), missing)
    found: list[Any] = []
    count: int = _compiled.walk(pattern, value, slots, changes, found)
    if count < 0:
        raise NoStack
    missing += map(MissingRow._make, found)
    return count
