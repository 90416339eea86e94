"""Random charts have the values that Helm gives their templates."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from helm.helm_program import by_helm, by_lamina, differences
from helm.random_charts import random_chart

LONG = os.environ.get("LAMINA_FUZZ") == "long"
CHARTS = 5_000 if LONG else 200
FIRST = int(os.environ.get("LAMINA_HELM_SEED", "0"))
PARTS = 20
"""So that several workers share them."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_charts_give_what_helm_gives(part: int, tmp_path: Path) -> None:
    wrong, values = [], 0
    seeds = range(FIRST + part, FIRST + CHARTS, PARTS)
    for seed in seeds:
        chart = random_chart(seed)
        helm, own = by_helm(tmp_path / str(seed), chart), by_lamina(chart)
        shutil.rmtree(tmp_path / str(seed))
        values += helm is not None
        found = differences(helm, own, has_aliases=chart.has_aliases)
        if found:
            wrong.append(f"seed {seed}: {', '.join(found)}")
    assert not wrong, "\n".join(wrong)
    assert values > len(seeds) / 3  # most are not refused, so that something is compared
