"""The cause of every change is a line that was edited, or an error."""

from __future__ import annotations

import os

import pytest

from lamina.dialects import registry
from support.random_edits import edited_cases, wrong_causes

EDITS = 20_000 if os.environ.get("LAMINA_FUZZ") == "long" else 500


@pytest.mark.parametrize("dialect", registry.BUILT_IN)
def test_the_cause_of_every_change_is_an_edited_line(dialect: str) -> None:
    changes = 0
    for edited in edited_cases(dialect, EDITS):
        changes += len(edited.found)
        wrong = wrong_causes(edited)
        assert not wrong, (edited.before, edited.after, wrong[0])
    assert changes > EDITS // 10
