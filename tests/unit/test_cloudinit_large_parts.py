"""Advice on merge rules is tried for each finding only where the parts are small: the work is bounded."""

from __future__ import annotations

from typing import Any

import pytest

import lamina
from lamina.dialects.cloudinit import other_rule
from lamina.engine.plan import Output
from lamina.engine.step_context import Folded
from lamina.plugin.extensions import tried


def parts(count: int) -> list[tuple[str, str]]:
    """Two parts, of which the second replaces every list of the first."""
    return [
        (name, "#cloud-config\n" + "".join(f"k{number}: [{name[0]}]\n" for number in range(count)))
        for name in ("one.yaml", "two.yaml")
    ]


@pytest.mark.parametrize(("count", "is_tried"), [(3, True), (2_000, False)])
def test_rules_are_tried_in_small_parts_only(count: int, is_tried: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    folds: list[str] = []

    def counted(output: Output, *others: Any) -> Folded:
        folds.append(output.name)
        return tried(output, *others)

    monkeypatch.setattr(other_rule, "tried", counted)
    findings = [note for note in lamina.lint(parts(count)) if note.code == "list-replaced"]
    assert len(findings) == count
    assert bool(folds) is is_tried
    assert all(("compare the results with lamina diff" in (note.hint or "")) is not is_tried for note in findings)
    assert all((note.fix is not None) is is_tried for note in findings)
