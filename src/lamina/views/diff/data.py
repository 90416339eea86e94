"""The changes as plain data; its shape is versioned.

Every change is its own entry, with the output it is in; `groups` lists those that are the same in several
outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.origins import data_or_none
from lamina.paths import MISSING, show
from lamina.views.diff.failures import reason_data

if TYPE_CHECKING:
    from lamina.views.diff.api import Differences
    from lamina.views.diff.change import Cause, Change
    from lamina.views.schemas.changes import CauseData, ChangedValue, ChangeSides, OutputChangeData, StoreImpactData


def as_data(differences: Differences) -> StoreImpactData:
    """All changes, the groups they form, and what could not be compared."""
    return {
        "version": 1,
        "dialect": differences.after.dialect.name,
        "outputs": differences.outputs,
        "changes": [_output_change(change) for change in differences.changes],
        "groups": [
            {"path": group.change.where, "outputs": group.outputs, "changes": group.members}
            for group in differences.groups
        ],
        "failures": [{"outputs": group.outputs, **reason_data(group.failure)} for group in differences.failures],
        "without_effect": [edit.as_data() for edit in differences.idle],
    }


def _output_change(change: Change) -> OutputChangeData:
    return {"output": change.output, **change_data(change)}


def change_data(change: Change) -> ChangedValue:
    """One change as plain data, without what it is in."""
    sides: ChangeSides = {"secret": True} if change.secret else {}
    if change.before is not MISSING:
        sides["before_path"] = show(change.at_before)
        if not change.secret:
            sides["before"] = change.before
    if change.after is not MISSING:
        sides["after_path"] = show(change.at_after)
        if not change.secret:
            sides["after"] = change.after
    causes = [_cause(cause) for cause in change.causes]
    return {"kind": change.kind.value, "path": change.where, **sides, "causes": causes}


def _cause(cause: Cause) -> CauseData:
    return {
        "how": cause.how.value,
        "origin": data_or_none(cause.origin),
        "layer": cause.layer,
        "rule": cause.text,
    }
