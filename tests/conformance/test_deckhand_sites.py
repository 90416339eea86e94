"""Whole sites, whatever the order of their files.

The sites of LAMINA_SITES, a folder of golden cases that is not part of this project, are tried beside the example.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from lamina.conformance.case import Case, load
from lamina.conformance.check import check

EXAMPLE = Path(__file__).parents[2] / "examples" / "deckhand"


def observed(document: dict[str, Any]) -> dict[str, Any]:
    """A document as golden cases have it."""
    metadata = document["metadata"]
    layer = metadata.get("layeringDefinition", {}).get("layer", "")
    return {"schema": document["schema"], "name": metadata["name"], "layer": layer, "data": document["data"]}


def sites() -> list[Case]:
    files = {path.relative_to(EXAMPLE).as_posix(): path.read_text() for path in sorted(EXAMPLE.glob("site/**/*.yaml"))}
    documents = [observed(each) for each in yaml.safe_load_all((EXAMPLE / "site.expected.yaml").read_text())]
    documents.sort(key=lambda each: (each["schema"], each["name"]))
    further = os.environ.get("LAMINA_SITES")
    return [
        Case("example", "deckhand", "", files, tuple(files), {}, {"value": documents}),
        *(case for path in (sorted(Path(further).glob("*.json.gz")) if further else ()) for case in load(path)),
    ]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("case", sites(), ids=lambda case: case.id)
def test_a_site_in_any_order(case: Case, seed: int) -> None:
    order = list(case.order)
    random.Random(seed).shuffle(order)
    assert check(replace(case, order=tuple(order))) == []
