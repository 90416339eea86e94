"""Changes: one difference, its paths on both sides, and its causes."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from lamina.paths import MISSING, Path, show, show_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.origins import Origin


class ChangeKind(Enum):
    """What happened to a value."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"
    PROVENANCE = "provenance"
    """The value is the same, but comes from another source."""


@dataclass(frozen=True, slots=True)
class ByKey:
    """A step to the item of a list that has this value in its key field."""

    field: str
    value: str | int

    def __str__(self) -> str:
        value = show_key(self.value) if isinstance(self.value, str) else str(self.value)
        return f"[{show_key(self.field)}={value}]"


class How(Enum):
    """How a location caused a change."""

    SET = "set"
    """It sets the new value."""
    NO_LONGER_SET = "gone"
    """It set the old value and no longer does."""
    RULE = "rule"
    """A rule there now combines the layers differently."""
    RULE_GONE = "rule-gone"
    """A rule there combined the layers differently, and is gone."""
    STEERS = "steers"
    """It is none of the layers' values, and decides which of them are used, or how."""
    STEERS_GONE = "steers-gone"
    """It did so, and is gone."""
    UNUSABLE = "unusable"
    """An error there keeps the source from being used."""
    WAS_UNUSABLE = "was-unusable"
    """An error there kept it from being used."""


_GONE = (How.NO_LONGER_SET, How.RULE_GONE, How.STEERS_GONE, How.WAS_UNUSABLE)
CAUSES = {
    How.SET: "set",
    How.NO_LONGER_SET: "no longer set",
    How.RULE: "by the rule {text}",
    How.RULE_GONE: "no longer by the rule {text}",
    How.STEERS: "decided",
    How.STEERS_GONE: "no longer decided",
    How.UNUSABLE: "not usable ({text})",
    How.WAS_UNUSABLE: "not usable before ({text})",
}
"""What comes before the location of a cause."""
_PHRASES = {
    How.SET: "{place}",
    How.NO_LONGER_SET: "{place} no longer sets it",
    How.STEERS: "{place}",
    How.STEERS_GONE: "{place} is gone",
    How.UNUSABLE: "{place} cannot be used ({text})",
    How.WAS_UNUSABLE: "{place} could not be used ({text})",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """A location that caused a change; on the old side if it is gone, otherwise on the new side."""

    how: How
    origin: Origin | None
    layer: str | None = None
    text: str | None = None
    """The rule in words, or the code of the error."""

    @property
    def is_gone(self) -> bool:
        """Whether the location is on the old side."""
        return self.how in _GONE

    def __str__(self) -> str:
        place = f"{self.origin.source}:{self.origin.line}" if self.origin else None
        if self.how in (How.RULE, How.RULE_GONE):
            text = f"of {self.text} at {place}" if place else f"of {self.text}"
            return text if self.how is How.RULE else f"{text}, which is gone"
        return _PHRASES[self.how].format(place=place, text=self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference.

    `path` is for display: it names items of lists by their key field if they have one. `at_before` and `at_after` are
    the paths in the two values; if an item of a list is on one side only, the other path is that of the list.
    """

    kind: ChangeKind
    path: Path
    at_before: Path
    at_after: Path
    before: Any = MISSING
    after: Any = MISSING
    output: str | None = None
    """The output it is in, if there are several."""
    causes: tuple[Cause, ...] = ()
    secret: bool = False
    """Whether the values are secret and must not be shown."""

    @property
    def where(self) -> str:
        """The path as people read it."""
        return show_path(self.path)


def with_own_values(changes: Iterable[Change]) -> Iterator[Change]:
    """Changes for a caller, who may change the values in them."""
    copied: dict[int, Any] = {}
    for change in changes:
        before, after = deepcopy(change.before, copied), deepcopy(change.after, copied)
        yield replace(change, before=before, after=after)


def show_path(path: Path) -> str:
    """A path whose steps may name items by their key field."""
    out = ""
    run: list[Any] = []
    for step in (*path, None):
        if step is not None and not isinstance(step, ByKey):
            run.append(step)
            continue
        if run:
            text = show(tuple(run))
            out += text if not out or text.startswith("[") else f".{text}"
            run = []
        out += str(step) if step is not None else ""
    return out or "."
