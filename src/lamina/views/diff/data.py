"""The changes as plain data; its shape is versioned.

Every change is its own entry, with the output it is in; `groups` lists those that are the same in several
outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.origins import origin_data
from lamina.paths import MISSING, show
from lamina.views.diff.failures import failure_data

if TYPE_CHECKING:
    from lamina.views.diff.api import Differences
    from lamina.views.diff.change import Cause, Change

VERSION = 1


def as_data(differences: Differences) -> dict[str, Any]:
    """All changes, the groups they form, and what could not be compared."""
    return {
        "version": VERSION,
        "dialect": differences.after.dialect.name,
        "outputs": differences.outputs,
        "changes": [change_data(change) for change in differences.changes],
        "groups": [
            {"path": group.change.where, "outputs": group.outputs, "changes": group.members}
            for group in differences.groups
        ],
        "failures": [failure_data(group, "outputs") for group in differences.failures],
        "without_effect": [edit.as_data() for edit in differences.idle],
    }


def change_data(change: Change) -> dict[str, Any]:
    """One change as plain data."""
    data: dict[str, Any] = {"kind": change.kind.value, "output": change.output, "path": change.where}
    if change.secret:
        data["secret"] = True
    sides = (("before", change.at_before, change.before), ("after", change.at_after, change.after))
    for side, path, value in sides:
        if value is not MISSING:
            data[f"{side}_path"] = show(path)
            if not change.secret:
                data[side] = value
    data["causes"] = [_cause(cause) for cause in change.causes]
    return data


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "how": cause.how.value,
        "origin": origin_data(cause.origin) if cause.origin else None,
        "layer": cause.layer,
        "rule": cause.text,
    }
