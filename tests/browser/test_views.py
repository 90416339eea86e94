"""The views over many outputs, links to source lines, and the page on a desktop and on a phone, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.keys import Keys

from browser.chromium import Page
from browser.conftest import Opener
from lamina.errors import Diagnostic
from lamina.views.report.build_html import report
from lamina.views.report.source_links import SourceLinks
from support.page_fleet import render_fleet
from support.toys import SITE, render_toys

VIEWS = ("overview", "result", "map", "matrix", "side", "notes")


@pytest.fixture(scope="module")
def fleet_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet")
    page = folder / "page.html"
    page.write_text(report(render_fleet(folder / "data"), "Fleet"), encoding="utf-8")
    return page


@pytest.fixture
def fleet(driver: Chrome, fleet_page: Path) -> Page:
    page = Page(driver, fleet_page)
    page.prefer("light")
    return page


@pytest.fixture(params=["desktop", "phone"])
def sized(request: pytest.FixtureRequest, driver: Chrome, fleet_page: Path) -> Iterator[Page]:
    """The page of a fleet on a desktop and on a phone."""
    if request.param == "phone":
        metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    yield Page(driver, fleet_page)
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_of_a_fleet_is_accessible_and_fits(sized: Page, scheme: str) -> None:
    sized.prefer(scheme)
    for view in VIEWS:
        sized.run("document.getElementById(arguments[0]).click()", f"tab-{view}")
        assert sized.violations() == [], view
        assert sized.run("return document.documentElement.scrollWidth - innerWidth") <= 0, view
    assert sized.complaints() == []


@pytest.mark.parametrize("width", [390, 1440])
def test_long_names_fit(opened: Opener, driver: Chrome, width: int) -> None:
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 1000}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    folder = "/".join(["a_folder_of_a_repository_somewhere"] * 4)
    files = [
        (f"{folder}/a_rather_long_name_of_a_document_{name}.yaml", "data: {port: 80}\n") for name in ("one", "two")
    ]
    try:
        page = opened(render_toys(*files))
        page.click("port")
        for view in ("result", "side"):
            page.run("document.getElementById(arguments[0]).click()", f"tab-{view}")
            assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0, view
            assert (
                page.run("const side = document.getElementById('details'); return side.scrollWidth - side.clientWidth")
                == 0
            )
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_on_a_phone_the_layer_stack_leaves_room_and_the_chosen_tab_is_in_sight(
    driver: Chrome, fleet_page: Path
) -> None:
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(driver, fleet_page)
        assert (
            page.run("return document.querySelector('.stackside').getBoundingClientRect().height / innerHeight") <= 0.4
        )
        boxes = "return [...document.querySelectorAll(arguments[0])].map((found) => found.getBoundingClientRect())"
        chosen, stack = page.run(boxes, "#result-rows [aria-selected=true], .stackside")
        assert chosen["bottom"] <= stack["top"]
        page.run("document.getElementById('tab-notes').click()")
        assert not page.one("#details").is_displayed()
        edges = (
            "const box = document.getElementById(arguments[0]).getBoundingClientRect(); return [box.left, box.right]"
        )
        left, right = page.run(edges, "tab-notes")
        assert left >= 0
        assert right <= 390
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_on_a_phone_the_layer_stack_can_be_closed(driver: Chrome, fleet_page: Path) -> None:
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(driver, fleet_page)
        assert page.one("#details").is_displayed()
        page.one("#close").click()
        assert not page.one("#details").is_displayed()
        page.click("Setting0")
        assert page.one("#details").is_displayed()
        assert page.run("return document.getElementById('details').getBoundingClientRect().bottom <= innerHeight")
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_page_starts_at_a_most_overridden_key(fleet: Page) -> None:
    assert len(fleet.all("#details .card")) >= 3
    assert fleet.active("#result-rows")
    assert "null" not in fleet.text("#details")


def test_layers_are_numbered_by_precedence(fleet: Page) -> None:
    fleet.one("#picker-filter").send_keys("node0003")
    fleet.click("node0003", "#picker-rows")
    names = [name.split(" ", 1)[1] for name in fleet.texts("#layers li")]
    order = ["Base.yml", "Systems", "Sites", "Roles", "node0003"]
    assert [next(at for at, level in enumerate(order) if level in name) for name in names] == [0, 1, 2, 3, 4]


def test_the_matrix_shows_who_has_a_value(fleet: Page) -> None:
    fleet.one("#tab-matrix").click()
    fleet.type_filter("Mtu 9000")
    fleet.until(lambda: fleet.text("#status") == "1 key in 20 nodes")
    rows = fleet.texts("#matrix-rows .maprow")
    assert rows[0].startswith("node0003")
    assert all("9000" in row for row in rows)
    assert fleet.texts("#matrix-rows [role=columnheader] bdi") == ["Network.Mtu"]
    fleet.click("node0013", "#matrix-rows")
    assert fleet.text("#details-title") == "Network.Mtu"
    assert fleet.text("#details .eyebrow") == "node0013"


def test_the_matrix_pages_through_keys(fleet: Page) -> None:
    fleet.one("#tab-matrix").click()
    fleet.until(lambda: fleet.text("#matrix-columns").startswith("Keys 1 to 6 of"))
    first = fleet.texts("#matrix-rows [role=columnheader] bdi")
    fleet.one("#matrix-next").click()
    assert fleet.text("#matrix-columns").startswith("Keys 7 to 12 of")
    assert not set(first) & set(fleet.texts("#matrix-rows [role=columnheader] bdi"))
    fleet.one("#matrix-previous").click()
    assert fleet.texts("#matrix-rows [role=columnheader] bdi") == first


def test_two_nodes_side_by_side(site: Page) -> None:
    site.click("web", "#picker-rows")
    site.one("#tab-side").click()
    site.run("const box = document.getElementById('side-other'); box.value = 2; box.dispatchEvent(new Event('change'))")
    rows = [row.replace("\n", " ") for row in site.texts("#side-rows .siderow")]
    assert "log 2 info 2 debug" in rows
    assert any(row.startswith("port 2 8081 1 80") for row in rows)
    assert not any("localhost" in row for row in rows)
    site.one("#side-all").click()
    assert any("localhost" in row for row in site.texts("#side-rows .siderow"))


def test_the_search_finds_values_and_files(site: Page) -> None:
    site.type_filter("8081")
    site.until(lambda: site.text("#picker-title") == "1 of 5 outputs")
    site.type_filter("db.yaml")
    site.until(lambda: site.text("#picker-title") == "2 of 5 outputs")
    assert site.texts("#picker-rows .option .found").count("2") == 2


def test_overridden_only_holds_for_the_list_of_outputs(site: Page) -> None:
    site.one("#contested").click()
    site.until(lambda: site.text("#picker-title") == "3 of 5 outputs")
    site.click("vault", "#picker-rows")
    assert site.text("#nothing") == "No key of vault matches; 3 other outputs have some."


def test_the_overview_leads_to_keys_and_notes(site: Page) -> None:
    site.one("#tab-overview").click()
    parts = site.texts("#view-overview .part h2")
    assert parts == ["Most overridden keys", "Layers that never win", "Notes by rule"]
    site.one("#view-overview .part button").click()
    assert site.text("#details-title") in ("web.port", "log")
    site.one("#tab-overview").click()
    site.run("document.querySelector('#view-overview .part:last-child button').click()")
    assert site.one("#view-notes").is_displayed()


def test_the_overview_has_the_findings_of_lint_by_rule(driver: Chrome, tmp_path: Path) -> None:
    from lamina.dialects import registry
    from lamina.sources.inputs import gather
    from lamina.views.lint.api import lint_with
    from lamina.views.lint.selection import Selection
    from lamina.views.render import render_explained

    parts = [("a.yaml", "#cloud-config\nlocale: x\nhostname: '<b>'\n"), ("b.yaml", "#cloud-config\nlocale: x\n")]
    dialect, inputs = registry.find("cloud-init"), gather(parts)
    options = registry.make_options(dialect, {})
    linted = lint_with(dialect, inputs, options, Selection())
    path = tmp_path / "page.html"
    path.write_text(report(render_explained(dialect, inputs, options), "Lint", linted=linted), encoding="utf-8")
    page = Page(driver, path)
    page.one("#tab-overview").click()
    assert page.texts("#view-overview .part h2")[-1] == "Findings by rule"
    found = {finding.code for finding in linted.findings}
    assert "redundant-value" in found
    assert set(page.texts("#view-overview .part:last-child button")) == found
    assert page.text("#tab-notes").startswith("Findings")
    page.run("document.querySelector('#view-overview .part:last-child button').click()")
    assert page.one("#view-notes").is_displayed()
    assert page.violations() == []


def test_a_layer_that_never_wins_is_listed(opened: Opener) -> None:
    import lamina

    parts = [("low.yaml", "#cloud-config\na: 1\n"), ("high.yaml", "#cloud-config\nmerge_how: dict(replace)\na: 2\n")]
    page = opened(lamina.render(parts, dialect="cloud-init"))
    page.one("#tab-overview").click()
    assert "low.yaml" in page.texts("#view-overview .part")[1]
    assert "high.yaml" not in page.texts("#view-overview .part")[1]


def test_notes_of_one_rule_are_folded(opened: Opener) -> None:
    notes = tuple(Diagnostic(code="odd", message=f"number {number} is odd") for number in range(20))
    page = opened(replace(render_toys(*SITE), notes=notes))
    page.one("#tab-notes").click()
    assert page.all(".fold:not([open])"), page.texts(".fold summary")
    assert not page.all(".fold:not([open]) .note")
    page.one(".fold:not([open]) summary").click()
    page.until(lambda: len(page.all(".fold[open] .note")) >= 20)


def test_the_graph_starts_at_the_left_and_can_be_zoomed(site: Page) -> None:
    site.one("#tab-graph").click()
    edges = "[...document.querySelectorAll('#drawing .node')].map((node) => node.getBoundingClientRect().left)"
    assert site.run(f"return Math.min(...{edges}) >= document.getElementById('drawing').getBoundingClientRect().left")
    assert site.run("return document.getElementById('drawing').scrollLeft") == 0
    width = site.run("return document.querySelector('#drawing svg').getBoundingClientRect().width")
    site.one("#graph-in").click()
    assert site.run("return document.querySelector('#drawing svg').getBoundingClientRect().width") > width
    site.one("#drawing").send_keys("-", "-")
    assert site.run("return document.querySelector('#drawing svg').getBoundingClientRect().width") < width


def test_places_are_links_to_source_lines(driver: Chrome, tmp_path: Path) -> None:
    links = SourceLinks("https://example.org/r/{path}#L{line}", Path.cwd(), on_disk=False)
    path = tmp_path / "page.html"
    path.write_text(report(render_toys(*SITE), "Links", links=links), encoding="utf-8")
    page = Page(driver, path)
    page.click("web", "#picker-rows")
    page.click("port")
    link = page.one("#details .winner a")
    assert link.get_attribute("href") == "https://example.org/r/site/web.yaml#L4"
    assert link.get_attribute("rel") == "noopener noreferrer"


def test_the_path_is_copied(site: Page) -> None:
    site.click("web", "#picker-rows")
    site.click("port")
    site.one("#details .detailshead button").click()
    site.until(lambda: site.text("#details .detailshead button") == "Copied")


def test_a_long_value_can_be_scrolled(opened: Opener) -> None:
    import lamina

    text = "".join(f"  line {number}\n" for number in range(100))
    page = opened(lamina.render([("a.yaml", f"#cloud-config\nlong: |\n{text}")], dialect="cloud-init"))
    page.click("long")
    scrolled = page.run("const box = document.querySelector('.full'); box.scrollTop = 9999; return box.scrollTop")
    assert scrolled > 0


def test_the_tip_stays_clear_of_the_layer_stack(layers: Page) -> None:
    layers.click("disable_root")
    layers.hover("final_message")
    right = layers.run("return document.getElementById('tip').getBoundingClientRect().right")
    assert right <= layers.run("return document.querySelector('aside').getBoundingClientRect().left")


def test_a_collection_shows_no_null(layers: Page) -> None:
    layers.one("#result-rows").send_keys(Keys.HOME)
    assert layers.text("#details-title") == "apt"
    assert "null" not in layers.text("#details")
