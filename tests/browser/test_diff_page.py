"""The page of a diff: before and after side by side, what each change reaches, and its causes."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver import Chrome

import lamina
from browser.chromium import Page
from lamina.views.report.source_links import SourceLinks
from support.toys import SITE, render_toys

CHANGED = tuple((name, text.replace("port: 80\n", "port: 81\n").replace("size: 3", "size: 4")) for name, text in SITE)
SECRET = tuple((name, text.replace("hunter2", "swordfish")) for name, text in CHANGED)
LINKS = SourceLinks("https://example.org/r/{path}#L{line}", Path.cwd(), on_disk=False)


def opened(driver: Chrome, tmp_path: Path, after: tuple[tuple[str, str], ...] = CHANGED) -> Page:
    found = lamina.diff(render_toys(*SITE), render_toys(*after))
    path = tmp_path / "diff.html"
    path.write_text(found.to_html("A change", ("main", "branch"), (LINKS, LINKS)), encoding="utf-8")
    page = Page(driver, path)
    page.prefer("light")
    return page


def test_a_change_is_shown_once_with_all_it_reaches(driver: Chrome, tmp_path: Path) -> None:
    page = opened(driver, tmp_path)
    assert page.text("h1") == "A change"
    assert page.texts(".change .path") == ["web.port", "db.size"]
    first = page.all(".change")[0]
    assert "3 of 5 outputs" in first.text or "2 of 5 outputs" in first.text
    assert [cell.text for cell in first.find_elements("css selector", ".sides > *")] == ["main", "branch", "80", "81"]
    link = first.find_element("css selector", ".because a")
    assert link.get_attribute("href") == "https://example.org/r/site/base.yaml#L3"
    assert page.complaints() == []
    assert page.run("return performance.getEntriesByType('resource').length") == 0


def test_changes_are_found_by_key_value_file_and_output(driver: Chrome, tmp_path: Path) -> None:
    page = opened(driver, tmp_path)
    for words, found in ("db.yaml", ["db.size"]), ("port 81", ["web.port"]), ("nothing like it", []):
        page.type_filter(words)
        page.until(lambda: page.texts(".change .path") == found)  # noqa: B023 - called at once
    assert page.text("#nothing") == "No change matches."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_the_diff_is_accessible_and_fits(driver: Chrome, tmp_path: Path, scheme: str, width: int) -> None:
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = opened(driver, tmp_path)
        page.prefer(scheme)
        assert page.violations() == []
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_secret_is_not_on_the_page() -> None:
    page = lamina.diff(render_toys(*SITE), render_toys(*SECRET)).to_html()
    assert "(secret)" in page
    assert "swordfish" not in page
    assert "hunter2" not in page


def test_nothing_from_an_input_becomes_markup(driver: Chrome, tmp_path: Path) -> None:
    before = lamina.render([("a.yaml", "#cloud-config\nb: 1\n")], dialect="cloud-init")
    hostile = "#cloud-config\n'</script><img src=x onerror=hacked=1>': '<script>hacked=1</script>'\n"
    after = lamina.render([("a<b>.yaml", hostile)], dialect="cloud-init")
    path = tmp_path / "diff.html"
    path.write_text(lamina.diff(before, after).to_html("</title><script>hacked=1</script>"), encoding="utf-8")
    page = Page(driver, path)
    assert any("<img" in each for each in page.texts(".change .path"))
    assert page.run("return typeof hacked") == "undefined"
    assert page.run("return document.images.length") == 0
    assert page.complaints() == []


def test_values_of_many_lines_are_compared_line_by_line(driver: Chrome, tmp_path: Path) -> None:
    before = lamina.render([("a.yaml", "#cloud-config\nt: |\n  one\n  two\n  three\n")], dialect="cloud-init")
    after = lamina.render([("a.yaml", "#cloud-config\nt: |\n  one\n  2\n  three\n")], dialect="cloud-init")
    path = tmp_path / "diff.html"
    path.write_text(lamina.diff(before, after).to_html(), encoding="utf-8")
    page = Page(driver, path)
    assert page.texts(".sideline.removed") == ["two"]
    assert page.texts(".sideline.added") == ["2"]
    assert page.texts(".sideline:not(.added, .removed)").count("three") == 2
