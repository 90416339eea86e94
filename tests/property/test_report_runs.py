"""What one source set as a whole is shown as if each part of it were looked at by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject

import lamina
from lamina.engine import walk
from lamina.views.report.page_data import collect
from support.cloud_configs import Parts, distinct_parts
from support.deckhand_sites import as_text, sites
from support.page_rows import expanded

EXAMPLES = Path(__file__).parents[2] / "examples"


def part_by_part(result: lamina.Result) -> list[Any]:
    """The page without runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk._ChangeChain, "run_source", lambda chain: None)  # noqa: ARG005
        return expanded(collect(result, ""))


@given(distinct_parts())
def test_runs_in_random_user_data(parts: Parts) -> None:
    result = lamina.render(parts, dialect="cloud-init")
    assert expanded(collect(result, "")) == part_by_part(result)


@given(sites())
def test_runs_in_random_sites(documents: list[dict[str, Any]]) -> None:
    try:
        result = lamina.render(
            [("site.yaml", as_text(documents))], dialect="deckhand", keep_going=True, allow_missing_sources=True
        )
    except lamina.LaminaError:
        reject()
    assert expanded(collect(result, "")) == part_by_part(result)


@pytest.mark.parametrize(
    ("dialect", "inputs", "options"),
    [
        ("deckhand", ["repositories/pegleg/global", "repositories/pegleg/site/lyon"], {}),
        ("deckhand", ["deckhand/site"], {}),
        ("datum", ["datum/data"], {"all_nodes": True}),
        ("hiera", ["hiera"], {"all_nodes": True}),
        ("layers", ["layers/fleet"], {"all_nodes": True}),
    ],
)
def test_runs_in_the_examples(dialect: str, inputs: list[str], options: dict[str, Any]) -> None:
    result = lamina.render([EXAMPLES / each for each in inputs], dialect=dialect, **options)
    assert expanded(collect(result, "")) == part_by_part(result)
