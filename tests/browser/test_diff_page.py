"""The page of a diff: before and after side by side, what each change reaches, and its causes."""

from __future__ import annotations

import subprocess
import sys
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
    assert "2 changes in " in page.text("header")
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


PROJECT = {
    "lamina.toml": "".join(
        f'[targets.{name}]\ndialect = "layers"\ninputs = ["common.yaml", "{name}.yaml"]\n' for name in "abc"
    ),
    "common.yaml": "mtu: 1500\nlog: info\n",
    **{f"{name}.yaml": f"hostname: host-{name}\n" for name in "abc"},
}
CHANGE = {
    "common.yaml": "mtu: 9000\nlog: info\n",
    "b.yaml": "hostname: <b>ee</b>\n",
    "c.yaml": "hostname: [\n",
}


@pytest.fixture(scope="module")
def project_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a project with three targets, one of which is broken by the change."""
    folder = tmp_path_factory.mktemp("project")
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org"]
    for files in (PROJECT, CHANGE):
        for name, text in files.items():
            (folder / name).write_text(text)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "state"]):
            subprocess.run([*git, *command], cwd=folder, check=True)
    asked = ["--git", "HEAD~1..HEAD", "--format", "html", "--source-url", "https://example.org/r/{path}#L{line}"]
    done = subprocess.run(
        [sys.executable, "-m", "lamina", "diff", *asked], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    page = folder / "diff.html"
    page.write_text(done.stdout, encoding="utf-8")
    return page


def test_the_diff_of_a_project_names_the_targets_each_change_reaches(driver: Chrome, project_page: Path) -> None:
    page = Page(driver, project_page)
    assert page.text("h1") == "HEAD~1 → HEAD"
    assert "2 changes in 2 of 2 targets" in page.text("#about")
    first, second = page.all(".change")
    assert first.find_element("css selector", ".path").text == "mtu"
    assert "2 of 2 targets" in first.text
    assert [name.text for name in first.find_elements("css selector", ".names li")] == ["a", "b"]
    assert [cell.text for cell in first.find_elements("css selector", ".sideline")] == ["1500", "9000"]
    assert [each.text for each in first.find_elements("css selector", ".sides h3")] == ["HEAD~1", "HEAD"]
    link = first.find_element("css selector", ".because a").get_attribute("href")
    assert link == "https://example.org/r/common.yaml#L1"
    assert "target b" in second.text
    assert "<b>ee</b>" in second.text
    assert page.complaints() == []


def test_the_diff_of_a_project_says_what_could_not_be_compared(driver: Chrome, project_page: Path) -> None:
    page = Page(driver, project_page)
    assert page.text("#failed h2") == "1 target could not be compared"
    assert "c.yaml:2:1" in page.text("#failed")
    assert page.texts("#failed .quiet") == ["c"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_the_diff_of_a_project_is_accessible_and_fits(
    driver: Chrome, project_page: Path, scheme: str, width: int
) -> None:
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(driver, project_page)
        page.prefer(scheme)
        assert page.violations() == []
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
