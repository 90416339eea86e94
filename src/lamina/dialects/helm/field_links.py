"""From a field of a manifest back to the values it comes from, found by changing values and rendering again.

1. A field that differs between two renders is random, or depends on the time: nothing is known about it.
2. Texts get a mark that is nowhere else, numbers become numbers that are nowhere else, many at once. Where a mark shows
   up in the field, the value flows there. If Helm fails, or other fields come or go, the group is halved.
3. Booleans are flipped and empty texts filled in, a few at once, and halved where the field changes or vanishes.

What is found is certain, since the field did change. What is not found may still matter: mappings, lists and nulls that
are empty are not changed, and two flags may hide each other.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm.program import GaveUp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.dialects.helm.program import DocumentKey, HelmProgram, Manifests

_MARKED_AT_ONCE: Final = 64
_FLIPPED_AT_ONCE: Final = 8
_FIRST_NUMBER: Final = 51_000
_CHECKSUM: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar of the values, what it becomes, and how that shows in a text."""

    path: lp.Path
    changed: Any
    mark: str


@dataclass(slots=True)
class Links:
    """What a field comes from: paths of values."""

    flows: list[lp.Path] = field(default_factory=list)
    """They are a part of the field."""
    decides: list[lp.Path] = field(default_factory=list)
    """The field changes with them."""
    exists: list[lp.Path] = field(default_factory=list)
    """Without them, or with another value, the field is not there."""
    failing: list[lp.Path] = field(default_factory=list)
    """Helm fails with another value: what they do was not found out."""
    unknown: str = ""
    """Why nothing, or not all, is known."""


class FieldLinks:
    """Finds the links of the fields of one document; what was rendered for one field serves the others."""

    def __init__(self, program: HelmProgram, values: Any, skipped: frozenset[lp.Path], as_given: Manifests) -> None:
        """`skipped` are places of values that are copies; `as_given` was rendered with the user's own arguments."""
        self._program = program
        self._values = values
        self._as_given = as_given
        self._shapes: dict[int, frozenset[tuple[Any, ...]]] = {}
        leaves = list(_scalars(values, (), skipped))
        self._marked = list(_marked(leaves, as_given.text))
        self._flipped = [
            Leaf(path, *_flipped(value)) for path, value in leaves if value == "" or isinstance(value, bool)
        ]

    def of(self, key: DocumentKey, path: lp.Path) -> Links:
        """What a field of a document comes from."""
        found = Links()
        before = self._as_given.at(key, path)
        try:
            base = self._program.render()
            if base is None or base.at(key, path) != before:
                found.unknown = "it is another value at each render, or follows from how --set writes a number"
                return found
            if _is_checksum(path, before):
                found.unknown = "it is a checksum, and depends on all that the template that it is made of shows"
                return found
            self._follow_marks(base, key, path, found)
            self._follow_flags(base, key, path, found)
        except GaveUp as limit:
            found.unknown = f"{limit}, and not all values were tried"
        return found

    def _follow_marks(self, base: Manifests, key: DocumentKey, path: lp.Path, found: Links) -> None:
        pending = list(_groups(self._marked, _MARKED_AT_ONCE))
        while pending:
            group = pending.pop()
            after = self._program.render(_overlay(self._values, group))
            if after is None or self._shape(after) != self._shape(base):
                if len(group) > 1:
                    pending += _halves(group)
                else:
                    self._compare(base, after, group[0], key, path, found)
                continue
            text = after.at(key, path)
            if text == base.at(key, path):
                continue
            shown = [leaf for leaf in group if _shows(leaf.mark, text)]
            found.flows += [leaf.path for leaf in shown]
            if not shown and len(group) == 1:
                found.decides.append(group[0].path)
            elif not shown:
                pending += _halves(group)

    def _follow_flags(self, base: Manifests, key: DocumentKey, path: lp.Path, found: Links) -> None:
        pending = list(_groups(self._flipped, _FLIPPED_AT_ONCE))
        while pending:
            group = pending.pop()
            after = self._program.render(_overlay(self._values, group))
            if len(group) == 1:
                self._compare(base, after, group[0], key, path, found)
            elif after is None or after.at(key, path) != base.at(key, path):
                pending += _halves(group)

    @staticmethod
    def _compare(
        base: Manifests, after: Manifests | None, leaf: Leaf, key: DocumentKey, path: lp.Path, found: Links
    ) -> None:
        """Note what one value that was changed alone does to the field."""
        if after is None:
            found.failing.append(leaf.path)
            return
        value = after.at(key, path)
        if value is lp.MISSING:
            found.exists.append(leaf.path)
        elif value != base.at(key, path):
            (found.flows if _shows(leaf.mark, value) else found.decides).append(leaf.path)

    def _shape(self, manifests: Manifests) -> frozenset[tuple[Any, ...]]:
        if id(manifests) not in self._shapes:  # the program keeps them all
            self._shapes[id(manifests)] = manifests.scalars()
        return self._shapes[id(manifests)]


def _scalars(value: Any, path: lp.Path, skipped: frozenset[lp.Path]) -> Iterator[tuple[lp.Path, Any]]:
    if path in skipped:
        return
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _scalars(each, (*path, key), skipped)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _scalars(each, (*path, number), skipped)
    elif value is not None:
        yield path, value


def _marked(leaves: Sequence[tuple[lp.Path, Any]], text: str) -> Iterator[Leaf]:
    """Texts with a mark at their end, and numbers, which are all different and nowhere in what was rendered."""
    number = _FIRST_NUMBER
    for position, (path, value) in enumerate(leaves):
        if isinstance(value, str) and value:
            mark = f"zq{position}z"
            yield Leaf(path, f"{value}\n{mark}\n" if value.endswith("\n") else f"{value}-{mark}", mark)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            number += 1
            while str(number) in text:
                number += 1
            yield Leaf(path, number, str(number))


def _flipped(value: Any) -> tuple[Any, str]:
    return (not value, "") if isinstance(value, bool) else ("zqz", "")


def _overlay(values: Any, leaves: Sequence[Leaf]) -> Any:
    """The mapping that changes some values; a list is written whole."""
    overlay: dict[Any, Any] = {}
    for leaf in leaves:
        _put(overlay, values, leaf.path, leaf.changed)
    return overlay


def _put(into: Any, values: Any, path: lp.Path, changed: Any) -> None:
    step, rest = path[0], path[1:]
    if not rest:
        into[step] = changed
        return
    inside = values[step]
    if isinstance(into, list):
        # A list is a copy already, down to its scalars.
        _put(into[step], inside, rest, changed)
        return
    if step not in into:
        into[step] = _copied(inside) if isinstance(inside, list) else {}
    _put(into[step], inside, rest, changed)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value


def _groups(leaves: Sequence[Leaf], size: int) -> Iterator[Sequence[Leaf]]:
    return (leaves[start : start + size] for start in range(0, len(leaves), size))


def _halves(group: Sequence[Leaf]) -> list[Sequence[Leaf]]:
    middle = len(group) // 2
    return [group[:middle], group[middle:]]


def _shows(mark: str, value: Any) -> bool:
    """Whether a mark is in a scalar, as it is or encoded."""
    text = str(value)
    if not mark:
        return False
    if mark in text:
        return True
    try:
        return mark in base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return False


def _is_checksum(path: lp.Path, value: Any) -> bool:
    return "checksum" in str(path[-1:]).lower() or (isinstance(value, str) and _CHECKSUM.fullmatch(value) is not None)
