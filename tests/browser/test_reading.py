"""Reading a report: what a person sees, clicks and types."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.keys import Keys

import lamina
from browser.chromium import Page
from browser.conftest import Opener


def test_it_opens_from_disk_and_asks_for_nothing_else(layers: Page) -> None:
    assert layers.driver.current_url.startswith("file:///")
    assert layers.driver.title == "A report"
    assert layers.text("h1") == "A report"
    assert "cloud-init" in layers.text("#about")
    assert layers.run("return performance.getEntriesByType('resource').length") == 0
    assert layers.complaints() == []


def test_the_gutter_names_the_file_and_line_of_each_value(layers: Page) -> None:
    assert "40-host.yaml:5" in layers.shown("package_upgrade")
    assert "20-region.yaml:4" in layers.shown("locale")
    assert layers.texts("#layers li")[0].startswith("1 10-base.yaml")


def test_a_clicked_key_shows_its_winner_and_the_stack_below_it(layers: Page) -> None:
    layers.click("final_message")
    assert layers.text("#details-title") == "final_message"
    assert "40-host.yaml:10:16" in layers.text("#details .winner")
    cards = layers.texts("#details .card")
    assert [card.split("\n")[1] for card in cards] == ["40-host.yaml:10:16", "10-base.yaml:26:16"]
    assert "replaced" in cards[0]
    assert "dict(replace)+list()+str() at 40-host.yaml:2:1" in cards[0]
    assert layers.run("return getComputedStyle(document.querySelector('.card.loses .said')).textDecorationLine") == (
        "line-through"
    )


def test_what_lost_shows_while_the_pointer_is_on_the_row(layers: Page) -> None:
    layers.hover("final_message")
    assert "10-base.yaml:26" in layers.text("#tip")
    assert "ready after" in layers.text("#tip")
    layers.keys(Keys.ESCAPE)
    assert not layers.one("#tip").is_displayed()


def test_what_lost_shows_when_the_keyboard_comes_to_the_row(layers: Page) -> None:
    layers.click("disable_root")
    layers.one("#result-rows").send_keys(Keys.ARROW_DOWN)
    layers.until(lambda: layers.one("#tip").is_displayed())
    assert "ready after" in layers.text("#tip")


def test_a_removed_key_is_shown_with_what_removed_it(layers: Page) -> None:
    assert "removed" in layers.shown("conf")
    layers.click("conf")
    assert "Not in the result" in layers.text("#details")
    assert "20-region.yaml:12" in layers.text("#details")


def test_text_of_several_lines_is_shown_in_full_beside(layers: Page) -> None:
    layers.type_filter("write_files content")
    assert "Changes made by hand" not in layers.shown("This machine")
    layers.click("This machine")
    assert layers.text("#details pre.full") == "This machine is managed.\nChanges made by hand are lost."


def test_the_keyboard_alone_is_enough(layers: Page) -> None:
    layers.one("#theme").send_keys(Keys.TAB)
    assert layers.focused() == "tab-result"
    layers.keys(Keys.TAB)
    assert layers.focused() == "result-rows"
    layers.keys(Keys.HOME)
    assert "apt" in layers.active("#result-rows")
    layers.keys(Keys.ARROW_DOWN)
    assert layers.text("#details-title") == "apt.conf"
    layers.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert layers.one("#result-0").get_attribute("aria-expanded") == "false"
    assert not any("proxy" in row for row in layers.texts("#result-rows .row"))
    layers.keys(Keys.ARROW_RIGHT)
    assert any("proxy" in row for row in layers.texts("#result-rows .row"))
    layers.keys(Keys.END)
    assert layers.text("#details-title").startswith("write_files")
    layers.keys(Keys.ENTER)
    assert layers.focused() == "details"
    layers.keys(Keys.ESCAPE)
    assert layers.focused() == "result-rows"
    layers.keys("/")
    assert layers.focused() == "filter"


def test_the_tabs_are_turned_by_arrow_keys(layers: Page) -> None:
    layers.one("#tab-result").send_keys(Keys.ARROW_RIGHT)
    assert layers.focused() == "tab-map"
    assert layers.one("#view-map").is_displayed()
    assert not layers.one("#view-result").is_displayed()


def test_the_filter_leaves_what_it_names_and_all_above(layers: Page) -> None:
    layers.type_filter("NTP servers")
    layers.until(lambda: layers.text("#status") == "4 of 35 values")
    rows = layers.texts("#result-rows .row")
    assert len(rows) == 6
    assert "ntp" in rows[0]
    layers.type_filter("no such key")
    layers.until(lambda: layers.one("#nothing").is_displayed())
    layers.type_filter("")
    layers.until(lambda: layers.text("#status") == "35 values")


def test_only_what_was_overridden(layers: Page) -> None:
    layers.one("#contested").click()
    rows = layers.texts("#result-rows .row")
    assert any("timezone" in row for row in rows)
    assert not any("hostname" in row for row in rows)


def test_the_map_shows_the_status_of_each_layer(layers: Page) -> None:
    layers.one("#tab-map").click()
    layers.row("apt.conf", "#map-rows")

    def statuses(key: str) -> list[str]:
        return [cell.text for cell in layers.row(key, "#map-rows").find_elements("css selector", ".cell .unseen")]

    assert statuses("apt.conf") == ["loses", "removes"]
    assert statuses("final_message") == ["loses", "wins"]
    assert statuses("disable_root") == ["set", "redundant"]
    assert statuses("ntp.servers[2]") == ["set"]
    layers.click("final_message", "#map-rows")
    assert layers.text("#details-title") == "final_message"


def test_notes_lead_to_their_keys(layers: Page) -> None:
    layers.one("#tab-notes").click()
    assert len(layers.texts("#view-notes .note")) == 4
    layers.one("#view-notes button").click()
    assert layers.one("#view-result").is_displayed()
    assert layers.text("#details-title") == "ssh_pwauth"
    assert "ssh_pwauth" in layers.active("#result-rows")


def test_the_address_leads_back_to_the_key(layers: Page) -> None:
    layers.click("final_message")
    address = layers.driver.current_url
    layers.driver.get("about:blank")
    layers.driver.get(address)
    assert layers.text("#details-title") == "final_message"


def test_light_and_dark_follow_the_reader_and_the_button(layers: Page) -> None:
    def paper() -> str:
        return str(layers.run("return getComputedStyle(document.body).backgroundColor"))

    light = paper()
    layers.prefer("dark")
    dark = layers.until(lambda: paper() if paper() != light else None)
    layers.until(lambda: layers.one("#theme").get_attribute("aria-pressed") == "true")
    layers.one("#theme").click()
    assert paper() == light
    layers.one("#theme").click()
    assert paper() == dark


def test_on_paper_everything_is_there(opened: Opener) -> None:
    keys = "".join(f"key_{number:03}: {number}\n" for number in range(400))
    page = opened(lamina.render([("long.yaml", f"#cloud-config\n{keys}")], dialect="cloud-init"))
    assert len(page.all("#result-rows .row")) < 100
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed))) >= 5
    page.until(lambda: len(page.all("#result-rows .row")) < 100)


def test_on_paper_nothing_lies_over_anything_else(driver: Chrome, layers: Page) -> None:
    layers.click("final_message")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        layers.run("dispatchEvent(new Event('beforeprint'))")
        edges = "[...document.querySelectorAll('#result-rows .row')].at(-1).getBoundingClientRect().bottom"
        for width in (700, 1400):
            driver.set_window_size(width, 900)
            gap = layers.run(f"return document.querySelector('aside').getBoundingClientRect().top - {edges}")
            assert gap >= 0, width
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        driver.set_window_size(1440, 940)


def test_a_narrow_window_needs_no_scrolling_sideways(driver: Chrome, layers: Page) -> None:
    driver.set_window_size(500, 900)
    try:
        assert layers.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    finally:
        driver.set_window_size(1440, 940)


def test_the_command_writes_the_same_page(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from browser.conftest import LAYERS
    from lamina.cli.group import lamina as command

    target = tmp_path / "page.html"
    done = CliRunner().invoke(command, ["report", *map(str, LAYERS), "-o", str(target), "--title", "Mine", "-q"])
    assert done.exit_code == 0, done.output
    assert '"title":"Mine"' in target.read_text()
    assert done.output == ""
