"""The page for everyone: axe-core finds nothing, whatever is shown, in light and in dark."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from browser.chromium import Page
from lamina.views.report.target_index import TargetPage, index_page
from lamina.views.report.target_matrix import TargetValue


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
    layers.hover("final_message")
    assert layers.violations() == []
    layers.type_filter("no such key")
    layers.until(lambda: layers.one("#nothing").is_displayed())
    assert layers.violations() == []


def values(port: str, name: str) -> dict[str, TargetValue]:
    return {"port": TargetValue(port.encode(), port), "<name>": TargetValue(name.encode(), name)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_the_list_of_targets(driver: Chrome, tmp_path: Path, scheme: str, width: int) -> None:
    pages = [
        TargetPage("web", "web.html", "Deckhand documents", "12 documents", 1, 20, values=values("80", "web")),
        TargetPage("app", "app.html", "Deckhand documents", "12 documents", 0, 2, values=values("80", "app")),
        TargetPage("db", failure="?"),
    ]
    path = tmp_path / "index.html"
    path.write_text(index_page("Targets", pages), encoding="utf-8")
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(driver, path)
        page.prefer(scheme)
        assert page.violations() == []
        assert page.complaints() == []  # the policy of the page allows its style
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.one("#differing-count").text == "1 key differs; 1 key is the same in all targets"
        page.one("#differing-rows button").click()
        assert "<name>" in page.one("#differing-rows button").text
        assert page.one("#differing-rows ol").text.splitlines() == ["web in web", "app in app"]
        assert page.violations() == []
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
