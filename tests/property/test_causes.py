"""The cause of every change is a line that was edited, or an error; what is said to have no effect has none."""

from __future__ import annotations

import os

import pytest

import lamina
from lamina.conformance.check import settings_of
from lamina.dialects import registry
from lamina.workspace.idle_edits import edit_effects
from support.random_edits import edited_cases, without_idle_edits, wrong_causes

EDITS = 20_000 if os.environ.get("LAMINA_FUZZ") == "long" else 500


@pytest.mark.parametrize("dialect", registry.BUILT_IN)
def test_the_cause_of_every_change_is_an_edited_line(dialect: str) -> None:
    changes = 0
    for edited in edited_cases(dialect, EDITS):
        changes += len(edited.found)
        wrong = wrong_causes(edited)
        assert not wrong, (edited.before, edited.after, wrong[0])
    assert changes > EDITS // 10


@pytest.mark.parametrize("dialect", registry.BUILT_IN)
def test_an_edit_that_is_said_to_have_no_effect_has_none(dialect: str) -> None:
    said = 0
    for edited in edited_cases(dialect, EDITS):
        idle = edit_effects(edited.found).idle
        if idle:
            said += 1
            undone = without_idle_edits(edited, idle)
            inputs, options = (edited.after.inputs(), undone.inputs()), settings_of(edited.after)
            assert not lamina.diff(*inputs, dialect, **options), (edited.before, edited.after, idle)
    assert said > EDITS // 100
