"""The examples render to what is committed beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

import lamina
from lamina.dialects.deckhand import graph, parent_report
from lamina.views.explain import as_tree

EXAMPLES = Path(__file__).parents[2] / "examples" / "deckhand"


@pytest.fixture(autouse=True)
def _there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)


def test_the_guides_example_renders_and_says_what_deckhand_would_object_to() -> None:
    result = lamina.render(["guide.yaml"], validate="report")
    assert result.to_yaml() == Path("guide.expected.yaml").read_text()
    assert [note.code for note in result.notes] == ["invalid-document-format"] * 3
    assert all("'storagePolicy' is a required property" in note.message for note in result.notes)


def test_the_guides_example_is_rejected_as_the_engine_rejects_it() -> None:
    with pytest.raises(lamina.MergeError) as caught:
        lamina.render(["guide.yaml"])
    assert len(caught.value.diagnostics) == 3


def test_the_small_site() -> None:
    result = lamina.render(["site"], post_validate=True)
    assert result.to_yaml() == Path("site.expected.yaml").read_text()
    assert result.notes == ()


def test_the_small_site_explained() -> None:
    result = lamina.render(["site"], document="orders")
    shown = as_tree(result.explain("data.database"), result)
    shown += parent_report.as_text(parent_report.parent_reports(result.plan, "orders")) + graph.as_text(result.plan)
    assert shown == Path("site.explained.txt").read_text()
