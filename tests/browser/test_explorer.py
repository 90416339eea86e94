"""The explorer: files and a store in the browser, as a person uses it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from browser.chromium import Page
from service.servers import LAYERING_POLICY, Server, document, run_lamina

REPOSITORY = Path(__file__).parents[2] / "examples/repositories/cloud-init"
DATUM = Path(__file__).parents[2] / "examples/datum/data"
PARENT = document("base", "{a: 1, b: {c: 2}}", layer="global", more=", labels: {name: base}")
CHILD = (
    "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: child, storagePolicy: cleartext,"
    " layeringDefinition: {layer: site, parentSelector: {name: base}, actions: [{method: merge, path: .}]}}\n"
    "data: {b: {d: 3}}\n"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return Path(shutil.copytree(REPOSITORY, tmp_path / "repository"))


@pytest.fixture
def files(driver: Chrome, repository: Path) -> Iterator[Page]:
    with Server(repository, "--quiet") as server:
        page = Page(driver, server.url)
        page.prefer("light")
        page.until(lambda: "value" in page.text("#status"))
        yield page
        driver.get("about:blank")


@pytest.fixture
def store(driver: Chrome, tmp_path: Path) -> Iterator[Page]:
    with Server(f"sqlite:///{tmp_path}/store.db", "--quiet") as server:
        server.put("above", LAYERING_POLICY, PARENT)
        server.put("below", CHILD)
        server.put("above", LAYERING_POLICY, PARENT.replace("c: 2", "c: 9"))
        page = Page(driver, server.url)
        page.prefer("light")
        page.until(lambda: "value" in page.text("#status"))
        yield page
        driver.get("about:blank")


def pick(page: Page, name: str, rows: str = "#target-rows") -> None:
    page.click(name, rows)
    page.until(lambda: page.row(name, rows).get_attribute("aria-selected") == "true")


def try_value(page: Page, value: str) -> None:
    box = page.one("#trial-value")
    box.clear()
    box.send_keys(value)
    page.one(".trial button").click()


def test_files_are_browsed_and_explained(files: Page) -> None:
    assert files.texts("#target-rows .option bdi:first-child") == ["image", "db01", "web01", "web02"]
    pick(files, "web01")
    files.click("timezone")
    files.until(lambda: "timezone" in files.text("#details-title"))
    assert "common.yaml" in files.text("#details .winner")
    assert len(files.all("#details .card")) >= 1
    assert files.complaints() == []


def test_a_link_leads_to_the_same_value(files: Page) -> None:
    pick(files, "web01")
    files.click("timezone")
    files.until(lambda: "key=timezone" in files.driver.current_url)
    again = Page(files.driver, files.driver.current_url)
    again.until(lambda: again.text("#details-title") == "timezone")


def test_a_search_finds_values_in_all_targets(files: Page) -> None:
    files.one("#filter").send_keys("timezone")
    files.until(lambda: files.texts("#hits li"))
    hit = files.texts("#hits li")[0]
    assert "timezone" in hit
    assert "web01" in hit
    files.one("#hits li button").click()
    files.until(lambda: files.text("#details-title") == "timezone")


def test_a_line_is_followed_to_what_it_decides(files: Page) -> None:
    pick(files, "web01")
    files.click("timezone")
    files.until(lambda: files.all("#details .card button"))
    files.one("#details .card button").click()
    files.until(lambda: files.texts("#line-uses li"))
    (use,) = files.texts("#line-uses li")
    assert "wins" in use
    assert "timezone" in use
    assert "db01" in use


def test_two_targets_are_compared(files: Page) -> None:
    files.one("#tab-compare").click()
    Select(files.one("#compare-before")).select_by_value("web01")
    Select(files.one("#compare-after")).select_by_value("web02")
    files.until(lambda: files.texts("#compared .sides h3")[:2] == ["web01", "web02"])


def test_a_trial_shows_which_targets_change_and_writes_nothing(files: Page, repository: Path) -> None:
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    pick(files, "web01")
    files.click("timezone")
    try_value(files, "Europe/Oslo")
    files.until(lambda: "3 targets would change" in files.text("#trial-reach"))
    assert files.texts("#trial .change .path") == ["timezone"]
    assert "Europe/Oslo" in files.text("#trial .sideline.added")
    assert {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()} == before
    files.one("#tab-result").click()
    assert "Europe/Oslo" not in files.shown("timezone")


def test_a_trial_in_a_powershell_data_file(driver: Chrome, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DATUM, tmp_path / "data"))
    with Server(folder, "--quiet") as server:
        page = Page(driver, server.url)
        page.until(lambda: "value" in page.text("#status"))
        page.one("#filter").send_keys("sec.example.com")
        page.until(lambda: page.texts("#hits li"))
        page.one("#hits li button").click()
        page.until(lambda: "Security.psd1" in page.text("#details .winner"))
        try_value(page, "other.example.com")
        page.until(lambda: "targets would change" in page.text("#trial-reach"))
        assert "other.example.com" in page.text("#trial .sideline.added")
        page.one("#tab-result").click()
        try_value(page, "[1, 2]")
        page.until(lambda: "[1, 2]" in page.text("#trial h2"))
        driver.get("about:blank")
    assert (folder / "Baselines/Security.psd1").read_bytes() == (DATUM / "Baselines/Security.psd1").read_bytes()


def test_a_value_that_cannot_be_replaced_is_explained(driver: Chrome, tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text("#cloud-config\nwhole: {unset, other: 1}\n")
    (tmp_path / "lamina.toml").write_text('[targets.site]\ndialect = "cloud-init"\ninputs = ["site.yaml"]\n')
    with Server(tmp_path, "--quiet") as server:
        page = Page(driver, server.url)
        page.until(lambda: "value" in page.text("#status"))
        page.click("unset")
        try_value(page, "2")
        page.until(lambda: "cannot be replaced: nothing is written there" in page.text("#trial .broken"))
        driver.get("about:blank")


def test_a_save_is_shown_at_once(files: Page, repository: Path) -> None:
    pick(files, "web01")
    files.click("timezone")
    files.until(lambda: files.text("#details-title") == "timezone")
    common = repository / "common.yaml"
    common.write_text(common.read_text().replace("timezone: ", "timezone: Europe/Oslo #"))
    files.until(lambda: "3 targets updated" in files.text("#live"))
    assert "Europe/Oslo" in files.shown("timezone")
    assert "Europe/Oslo" in files.text("#details .full")
    (repository / "lamina.toml").write_text("[targets\n")
    files.until(lambda: "lamina.toml" in files.text("#nothing"))


def test_nothing_from_a_file_becomes_markup(files: Page, repository: Path) -> None:
    hostile = "</script><img src=x onerror=hacked=1>"
    (repository / "hosts/web01.yaml").write_text(f"#cloud-config\n'{hostile}': '<script>hacked=1</script>\u202e'\n")
    files.until(lambda: "updated" in files.text("#live"))
    pick(files, "web01")
    files.click("<img")
    files.until(lambda: "<img" in files.text("#details-title"))
    assert "\\u202e" in files.text("#details .full")
    assert files.run("return typeof hacked") == "undefined"
    assert files.run("return document.images.length") == 0
    assert files.complaints() == []


def test_revisions_of_a_store_are_browsed_compared_and_tried(store: Page) -> None:
    assert store.texts("#target-rows .option bdi:first-child") == ["3", "2", "1"]
    assert store.one("#picker-filter").get_attribute("placeholder") == "Find a revision or document"
    assert "above" in store.texts("#target-rows .option")[0]
    pick(store, "child", "#output-rows")
    store.click("c: 9")
    store.until(lambda: "above/example/Kind/v1/base" in store.text("#details .winner"))
    try_value(store, "10")
    store.until(lambda: "2 documents would change" in store.text("#trial-reach"))
    store.one("#tab-compare").click()
    store.until(lambda: store.texts("#compared .change .path"))
    assert store.texts("#compared .sides h3")[:2] == ["2", "3"]
    assert store.texts("#compared .sideline")[:2] == ["2", "9"]
    store.one("#filter").send_keys("child")
    store.until(lambda: store.texts("#hits li"))
    assert store.complaints() == []


def test_an_abstract_document_is_shown_as_one(driver: Chrome, tmp_path: Path) -> None:
    abstract = PARENT.replace("layer: global", "layer: global, abstract: true")
    with Server(f"sqlite:///{tmp_path}/store.db", "--quiet") as server:
        server.put("above", LAYERING_POLICY, abstract)
        server.put("below", CHILD)
        page = Page(driver, server.url)
        page.until(lambda: "value" in page.text("#status"))
        assert not page.one("#aside").is_displayed()
        assert "abstract" in page.shown("base", "#output-rows")
        pick(page, "base", "#output-rows")
        page.until(lambda: "not rendered itself" in page.text("#aside"))
        page.click("c: 2")
        page.until(lambda: "above/example/Kind/v1/base" in page.text("#details .winner"))
        try_value(page, "10")
        page.until(lambda: "1 document would change" in page.text("#trial-reach"))
        pick(page, "child", "#output-rows")
        page.until(lambda: not page.one("#aside").is_displayed())
        assert page.complaints() == []
        driver.get("about:blank")


def test_a_new_revision_is_shown_when_the_reader_wants_it(driver: Chrome, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with Server(url, "--quiet") as server, Server(url, "--quiet") as other:
        page = Page(driver, server.url)
        page.until(lambda: "nothing here yet" in page.text("#nothing"))
        other.put("above", LAYERING_POLICY, PARENT)
        page.until(lambda: page.texts("#target-rows .option bdi:first-child") == ["1"])
        pick(page, "base", "#output-rows")
        page.click("c: 2")
        page.until(lambda: page.text("#details-title") == "data.b.c")
        other.put("above", LAYERING_POLICY, PARENT.replace("c: 2", "c: 9"))
        page.until(lambda: "Revision 2 is new" in page.text("#live"))
        assert "c: 2" in page.shown("c: 2")  # what is read stays
        page.one("#live button").click()
        page.until(lambda: "9" in page.text("#details .full"))
        assert not page.one("#live").is_displayed()
        assert other.call("DELETE", "/revisions").status == 204
        page.until(lambda: "emptied" in page.text("#live"))
        assert "nothing here yet" in page.text("#nothing")
        assert page.complaints() == []
        driver.get("about:blank")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A store the size of a real site, its buckets written one after the other."""
    with Server(f"sqlite:///{tmp_path_factory.mktemp('large')}/store.db", "--quiet") as server:
        parents = [
            PARENT.replace("base", f"a-rather-long-name-of-a-parent-{number:03}").replace(
                "layer: global", "layer: global, abstract: true"
            )
            for number in range(20)
        ]
        source = "{src: {schema: example/Kind/v1, name: shared-settings-of-the-site, path: .x}, dest: {path: .x}}"
        children = [
            CHILD.replace("name: child", f"name: the-name-of-a-child-{number:03}, substitutions: [{source}]").replace(
                "{name: base}", f"{{name: a-rather-long-name-of-a-parent-{number % 20:03}}}"
            )
            for number in range(400)
        ]
        assert server.put("above", LAYERING_POLICY, *parents).status == 200
        assert server.put("below", *children).status == 200
        assert server.put("settings", document("shared-settings-of-the-site", "{x: 5}")).status == 200
        yield server


@pytest.mark.parametrize("width", [390, 900, 1440])
def test_a_site_of_real_size_is_readable(driver: Chrome, large: Server, width: int) -> None:
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(driver, large.url)
        page.until(lambda: "value" in page.text("#status"))
        assert page.text("#outputs-title") == "422 documents"
        assert covered(page, "#tabs [role=tab]") == []
        page.one("#picker-filter").send_keys("child-007")
        page.until(lambda: page.text("#outputs-title") == "1 of 422 documents")
        assert page.texts("#target-rows .option bdi:first-child") == ["3"]  # the one that is shown stays listed
        name = page.one("#output-rows .option:last-child bdi")
        assert name.text == "the-name-of-a-child-007 (site)"
        assert page.run("return arguments[0].scrollWidth - arguments[0].clientWidth", name) <= 0
        pick(page, "child-007", "#output-rows")
        page.click("x: 5")
        page.until(lambda: page.all("#details .card"))
        assert "shared-settings-of-the-site:" in page.texts("#trial-place option")[0][:40]
        try_value(page, "6")
        page.until(lambda: "401 documents would change" in page.text("#trial-reach"))
        assert covered(page, "#trial-reach") == []
        assert page.texts("#trial .sides > *")[:1] == ["now"]
        page.one("#filter").send_keys("child-399")
        page.until(lambda: any("child-399" in hit for hit in page.texts("#hits li")))
        assert covered(page, "#hits li:first-child button") == []
        page.run("document.getElementById('tab-compare').click()")
        page.until(lambda: page.texts("#compared summary"))
        assert page.texts("#compared summary") == ["Resolved: 200 findings"]  # the first ones
        page.run("location.hash = '#target=2'")
        page.until(lambda: "400 errors" in page.text("#outputs-title"))
        pick(page, "child-007", "#output-rows")
        page.until(lambda: "Cannot be rendered: " in page.text("#aside"))
        page.run("explorer.notify('Revision 4 is new.')")
        assert page.violations() == []
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.get("about:blank")


def covered(page: Page, selector: str) -> list[str]:
    """The elements that something else lies on, or that are out of sight."""
    script = """
        return [...document.querySelectorAll(arguments[0])].filter((each) => {
          const { left, top, width, height } = each.getBoundingClientRect();
          const middle = [left + Math.min(width, innerWidth) / 2, top + Math.min(height, 20) / 2];
          return !each.contains(document.elementFromPoint(...middle));
        }).map((each) => each.innerText)"""
    return list(page.run(script, selector))


def test_a_store_asks_for_a_token(driver: Chrome, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with Server(url, "--quiet") as server:
        server.put("above", LAYERING_POLICY, PARENT)
    token = run_lamina("store", "token", "create", "me", "--role", "read", "--store", url)
    writer = run_lamina("store", "token", "create", "writer", "--role", "write", "--store", url)
    with Server(url, "--quiet", "--auth", "token") as server:
        page = Page(driver, server.url)
        page.until(lambda: page.one("#token-form").is_displayed())
        page.one("#token").send_keys(token)
        page.one("#token-form button").click()
        page.until(lambda: page.texts("#target-rows .option bdi:first-child") == ["1"])
        assert not page.one("#token-form").is_displayed()
        pick(page, "base", "#output-rows")  # revision 1 is shown, and stays when there is another
        server.call("PUT", "/buckets/above/documents", LAYERING_POLICY, X_Auth_Token=writer)
        page.until(lambda: "Revision 2 is new" in page.text("#live"))  # the token is sent for this, too
        page.run("sessionStorage.clear()")
        driver.get("about:blank")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_every_view_is_accessible_and_fits(files: Page, scheme: str, width: int) -> None:
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    files.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        files.prefer(scheme)
        pick(files, "web01")
        files.click("timezone")
        try_value(files, "Europe/Oslo")
        files.until(lambda: files.all("#trial .change"))
        files.one("#filter").send_keys("time")
        files.until(lambda: files.texts("#hits li"))
        for view in ("result", "search", "line", "compare", "trial"):
            files.run(f"document.getElementById('tab-{view}').click()")
            files.until(lambda: files.driver.find_element(By.ID, f"view-{view}").is_displayed())  # noqa: B023
            assert files.violations() == [], view
            assert files.run("return document.documentElement.scrollWidth - innerWidth") <= 0, view
    finally:
        files.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
