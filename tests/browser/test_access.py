"""The page for everyone: axe-core finds nothing, whatever is shown, in light and in dark."""

from __future__ import annotations

import pytest

from browser.chromium import Page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_of_one_output(layers: Page, scheme: str) -> None:
    layers.prefer(scheme)
    layers.click("final_message")
    for view in ("result", "map", "notes"):
        layers.one(f"#tab-{view}").click()
        assert layers.violations() == [], view


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_of_several_outputs(site: Page, scheme: str) -> None:
    site.prefer(scheme)
    site.click("web", "#picker-rows")
    for view in ("result", "map", "graph", "notes"):
        site.one(f"#tab-{view}").click()
        assert site.violations() == [], view


def test_with_the_tip_shown_and_with_nothing_found(layers: Page) -> None:
    layers.hover(layers.row("final_message"))
    layers.until(lambda: layers.one("#tip").is_displayed())
    assert layers.violations() == []
    layers.type_filter("no such key")
    layers.until(lambda: layers.one("#nothing").is_displayed())
    assert layers.violations() == []
