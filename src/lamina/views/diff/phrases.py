"""Phrases: changes in a few words, for text and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.errors import LaminaError
from lamina.paths import MISSING
from lamina.sources.json.brief import in_brief
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.failures import SIDES, failed_names
from lamina.views.diff.similarity import common_start

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.views.diff.change import Cause, Change
    from lamina.views.diff.failures import FailureGroup
    from lamina.views.diff.grouping import ChangeGroup, ShownDifferences

WIDTH = 60
LONGEST = 1 << 20
"""Characters of a value that are looked at for the place where it begins to differ."""
_CONTEXT = 15
"""Characters shown before the place where two long texts begin to differ."""
_NAMES = 8
"""Outputs named of a change that is in many."""
_IDLE = 10
"""Edits without effect that are listed."""

SECRET = "(secret)"
SIGNS = {
    ChangeKind.ADDED: "+",
    ChangeKind.REMOVED: "-",
    ChangeKind.CHANGED: "~",
    ChangeKind.MOVED: ">",
    ChangeKind.PROVENANCE: "=",
}


def values(change: Change, width: int = WIDTH) -> tuple[str, str]:
    """Both values of a change in brief, empty if there is none, and not shown where they are secret."""
    if change.kind is ChangeKind.MOVED:
        return f"[{change.at_before[-1]}]", f"[{change.at_after[-1]}]"
    if change.secret:
        return SECRET if change.before is not MISSING else "", SECRET if change.after is not MISSING else ""
    if change.before is not MISSING and change.after is not MISSING:
        return brief_pair(change.before, change.after, width)
    return brief(change.before, width), brief(change.after, width)


def brief(value: Any, width: int = WIDTH) -> str:
    """A value in a few characters; empty for MISSING."""
    return "" if value is MISSING else in_brief(value, width)


def brief_pair(before: Any, after: Any, width: int = WIDTH) -> tuple[str, str]:
    """Both values on one line each; for long ones the part where they start to differ."""
    old, new = whole(before), whole(after)
    if max(len(old), len(new)) <= width:
        return old, new
    start = max(0, common_start(old, new) - _CONTEXT)
    return _shortened(old, start, width), _shortened(new, start, width)


def whole(value: Any) -> str:
    """A value on one line, with all that is looked at of a long one."""
    return in_brief(value, LONGEST)


def value_lines(value: Any) -> list[str]:
    """A value line by line: a string as it is, a collection as YAML; nothing for nothing."""
    from lamina.sources.yaml.writer import dump

    if value is MISSING:
        return []
    if isinstance(value, str):
        return value.split("\n")
    if not isinstance(value, (dict, list, tuple)):
        return [whole(value)]
    try:
        return dump(value, allow_unicode=True).rstrip("\n").split("\n")
    except LaminaError:
        return [repr(value)]


def _shortened(text: str, start: int, width: int) -> str:
    """The text from a place on, no wider than that, with a mark where something was omitted."""
    if start + width >= len(text):
        start = max(0, min(start, len(text) - width))
    shortened = ("…" if start else "") + text[start:]
    return shortened if len(shortened) <= width else shortened[: width - 1] + "…"


def because(causes: Sequence[Cause]) -> str:
    """The causes as text; empty if there is none."""
    return " and ".join(str(cause) for cause in causes)


def source_text(change: Change) -> str:
    """Where a value that stayed the same came from and comes from now."""
    locations = [f"{cause.origin.source}:{cause.origin.line}" for cause in change.causes if cause.origin]
    return "from " + " → ".join(locations) if len(locations) > 1 else "from another source"


def in_path(group: ChangeGroup) -> str:
    """The path of a change, behind what it is in where that is not the output."""
    if not group.within or group.change.where == ".":
        return group.within or group.change.where
    return f"{group.within}: {group.change.where}"


def listed(names: Sequence[str]) -> str:
    """The outputs a change is in, the first of many."""
    shown = ", ".join(names[:_NAMES])
    return f"{shown} and {len(names) - _NAMES:,} more" if len(names) > _NAMES else shown


def count(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def summary(differences: ShownDifferences, *, grouped: bool = False) -> str:
    """How much changes, in one line; `grouped` counts what is the same in several outputs once."""
    text, failures = _changes_text(differences, grouped=grouped), differences.failures
    if not failures:
        return text
    whole = failed_names([group for group in failures if not group.within])
    values = sum(bool(group.within) for group in failures)
    parts = [count(len(whole), differences.noun)] if whole else []
    return f"{text}; {' and '.join([*parts, *([count(values, 'value')] if values else [])])} could not be compared"


def failure_text(group: FailureGroup, differences: ShownDifferences) -> str:
    """What one side could not render, and why."""
    where = "" if not group.outputs else f"{differences.noun} {group.outputs[0]}"
    if len(group.outputs) > 1:
        where = count(len(group.outputs), differences.noun)
    verb = "fail" if len(group.outputs) > 1 and not group.within else "fails"
    what = ": ".join(filter(None, (where, group.within)))
    when = "" if group.failure.side is None else f" {SIDES[group.failure.side]}"
    return f"{what} {verb}{when}: {group.failure.reason}"


def failure_details(group: FailureGroup) -> list[str]:
    """What failed, if it is several, and what to do."""
    hint = group.failure.note.hint
    return [*([listed(group.outputs)] if len(group.outputs) > 1 else []), *([f"hint: {hint}"] if hint else [])]


def idle_text(differences: ShownDifferences) -> list[str]:
    """The edits without effect, the first of many."""
    idle = differences.idle
    more = [f"… and {count(len(idle) - _IDLE, 'more edit')} without effect"] if len(idle) > _IDLE else []
    return [*map(str, idle[:_IDLE]), *more]


def _changes_text(differences: ShownDifferences, *, grouped: bool) -> str:
    changes = [group.change for group in differences.groups] if grouped else differences.changes
    if not changes and differences.failures:
        return "no differences in what could be compared"
    if not changes and any(differences.unused):
        before, after = differences.unused
        return f"no differences in what could be merged; not compared: {count(before, 'error')} before, {after} after"
    if not changes:
        return "no differences"
    kinds = [(kind.value, sum(change.kind is kind for change in changes)) for kind in ChangeKind]
    if differences.many and all(group.is_whole_output for group in differences.groups):
        return ", ".join(f"{count(number, differences.noun)} {word}" for word, number in kinds if number)
    parts = ", ".join(f"{number:,} {word}" for word, number in kinds if number)
    where = ""
    if differences.many:
        where = f" in {differences.touched:,} of {count(differences.outputs, differences.noun)}"
    return f"{count(len(changes), 'change')}{where}: {parts}"
