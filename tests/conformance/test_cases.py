"""Every golden case of every dialect, from the project's own copy and, where it lies beside, from the shared one."""

from __future__ import annotations

from pathlib import Path

import pytest

from lamina.conformance.case import Case, find, load
from lamina.conformance.check import check
from lamina.dialect import BUILT_IN

OWN = Path(__file__).parent.parent / "cases"
SHARED = Path(__file__).parents[3] / "shared" / "cases"


def cases() -> list[Case]:
    """The cases, each id once: the shared folder holds the same and some more."""
    found: dict[tuple[str, str], Case] = {}
    for folder in (OWN, SHARED):
        for path in find([folder / name for name in BUILT_IN if (folder / name).is_dir()]):
            for case in load(path):
                found.setdefault((case.dialect, case.id), case)
    return list(found.values())


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.dialect}-{case.id}")
def test_golden_case(case: Case) -> None:
    assert check(case) == [], case.about


def test_every_dialect_has_cases() -> None:
    assert {case.dialect for case in cases()} == set(BUILT_IN)
