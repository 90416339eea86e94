"""Every golden case of the project, and two sets of other projects' files if they are next to the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from lamina.conformance.__main__ import main
from lamina.conformance.case import Case, find, load
from lamina.conformance.check import check
from lamina.dialects.registry import BUILT_IN

OWN = Path(__file__).parent.parent / "cases"
SHARED = Path(__file__).parents[3] / "shared" / "cases"
OTHER_PROJECTS = (SHARED / "heat" / "real-world.json", SHARED / "deckhand" / "real-site")


def cases() -> list[Case]:
    """All cases; the ids of a dialect are unique."""
    files = find([OWN, *(path for path in OTHER_PROJECTS if path.exists())])
    return [case for path in files for case in load(path)]


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.dialect}-{case.id}")
def test_golden_case(case: Case) -> None:
    assert check(case) == [], case.about


def test_every_dialect_has_cases() -> None:
    assert {case.dialect for case in cases()} == set(BUILT_IN)


def test_no_id_is_used_twice() -> None:
    ids = [(case.dialect, case.id) for case in cases()]
    assert len(ids) == len(set(ids))


def test_sequences_of_requests_are_counted_and_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.json").write_bytes((OWN / "layers" / "nulls.json").read_bytes())
    (tmp_path / "service.json").write_text('[{"id": "a", "steps": []}, {"id": "b", "steps": []}]')
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("2 sequences of requests were not run: ")
