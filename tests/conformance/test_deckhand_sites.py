"""Whole sites, whatever the order of their files."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from lamina.conformance.case import Case, load
from lamina.conformance.check import check

SITES = Path(__file__).parents[3] / "shared" / "cases" / "deckhand" / "real-site"


def sites() -> list[Case]:
    return [case for path in sorted(SITES.glob("*.json.gz")) for case in load(path)]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("case", sites(), ids=lambda case: case.id)
def test_a_site_in_any_order(case: Case, seed: int) -> None:
    order = list(case.order)
    random.Random(seed).shuffle(order)
    assert check(replace(case, order=tuple(order))) == []
