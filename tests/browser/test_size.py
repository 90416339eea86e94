"""Large results stay usable: the page shows only the rows that are in view, and finds the others."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

import lamina
from browser.chromium import Page
from browser.conftest import Opener
from lamina.views.report import build_html
from support.toys import render_toys

ELEMENTS = 2_000
"""How many elements a page may have, however many values there are."""


def elements(page: Page) -> int:
    found: int = page.run("return document.querySelectorAll('*').length")
    return found


def test_five_thousand_keys(opened: Opener) -> None:
    groups = "".join(
        f"group_{group:03}:\n" + "".join(f"  setting_{key}: {group * key}\n" for key in range(10))
        for group in range(500)
    )
    parts = [(f"{number}.yaml", f"#cloud-config\n{groups}") for number in range(3)]
    page = opened(lamina.render(parts, dialect="cloud-init"))
    page.until(lambda: page.text("#status") == "5,000 values")
    assert elements(page) < ELEMENTS

    page.type_filter("group_321 setting_7")
    page.until(lambda: page.text("#status") == "1 of 5,000 values")
    page.click("setting_7")
    assert page.text("#details-title") == "group_321.setting_7"

    page.type_filter("")
    page.until(lambda: page.text("#status") == "5,000 values")
    page.one("#result-rows").send_keys(Keys.END)
    assert page.text("#details-title") == "group_499.setting_9"
    page.one("#tab-map").click()
    assert page.row("group_499.setting_9", "#map-rows").is_displayed()


def test_four_hundred_documents(opened: Opener) -> None:
    body = "".join(f"    key_{key}: {key}\n" for key in range(40))
    files = [("root.yaml", f"data:\n  all:\n{body}")]
    files += [(f"doc-{n:03}.yaml", f"from: [root]\ndata:\n  all:\n    key_{n % 40}: {n}x\n") for n in range(400)]
    page = opened(render_toys(*files))
    page.until(lambda: page.text("#picker-title") == "401 outputs")
    assert elements(page) < ELEMENTS

    page.type_filter("key_17")
    page.until(lambda: page.texts("#picker-rows .option .found")[:1] == ["1"])
    page.one("#picker-filter").send_keys("doc-217")
    page.click("doc-217", "#picker-rows")
    assert "217x" in page.shown("key_17")
    page.one("#tab-graph").click()
    assert len(page.all("#drawing .node")) == 2
    page.one("#graph-whole").click()
    page.until(lambda: len(page.all("#drawing .node")) == 401)
    assert page.complaints() == []


def test_compressed_data_is_shown_alike(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [(f"{at}.yaml", f"#cloud-config\na: [{at}, '\u00fc\u4e2d']\nb: {{c: {at}}}\n") for at in range(2)]
    result = lamina.render(parts, dialect="cloud-init")
    page = opened(result)
    plain, status = page.until(lambda: page.texts("#result-rows .row")), page.text("#status")
    monkeypatch.setattr(build_html, "PLAIN_SIZE", 0)
    page = opened(result)
    assert page.until(lambda: page.texts("#result-rows .row")) == plain
    assert page.text("#status") == status
    assert page.complaints() == []
