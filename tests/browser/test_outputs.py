"""Reports of several outputs: the picker and the graph; and what must never be on a page."""

from __future__ import annotations

from selenium.webdriver.common.keys import Keys

from browser.chromium import Page
from browser.conftest import Opener
from lamina.views.report.build_html import report
from support.toys import SITE, render_toys


def test_another_output_is_picked_by_a_click(site: Page) -> None:
    assert site.texts("#picker-rows .option") == ["base", "web", "db", "vault", "all"]
    site.click("base", "#picker-rows")
    site.until(lambda: "site/base.yaml:3" in site.shown("port"))
    site.click("web", "#picker-rows")
    site.until(lambda: "8081" in site.shown("port"))
    site.click("port")
    assert "site/web.yaml:4:11" in site.text("#details .winner")
    printed = [card.split("\n")[1] for card in site.texts("#details .card")]
    assert printed == ["site/web.yaml:4:11", "site/base.yaml:3:11"]
    assert site.text("#details h3") == "Set by 2 layers, the last one applied on top"


def test_another_output_is_picked_by_keys_and_found_by_name(site: Page) -> None:
    site.one("#picker-rows").send_keys(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    site.until(lambda: "size" in " ".join(site.texts("#result-rows .row")))
    site.one("#picker-filter").send_keys("ba")
    site.until(lambda: site.texts("#picker-rows .option") == ["base"])


def test_the_filter_counts_in_every_output(site: Page) -> None:
    site.click("base", "#picker-rows")
    site.type_filter("port")
    site.until(lambda: site.texts("#picker-rows .option .found") == ["1", "1", "1", "1", "0"])
    assert site.texts("#picker-rows .option .named") == ["base", "web", "db", "all", "vault"]
    assert site.text("#picker-title") == "4 of 5 outputs"
    site.type_filter("token")
    site.until(lambda: site.text("#nothing") == "No key of base matches; 2 other outputs have some.")


def test_the_graph_shows_what_an_output_is_made_from(site: Page) -> None:
    site.click("web", "#picker-rows")
    site.one("#tab-graph").click()
    made, goes = site.texts("#relations ul")
    assert made == "base base"
    assert goes == "all base"
    assert len(site.all("#drawing .node")) == 5
    assert len(site.all("#drawing .edge")) == 5
    site.one("#graph-whole").click()
    assert len(site.all("#drawing .node")) == 3
    site.one("#relations button").click()
    assert site.text("#relations h2") == "base"


def test_a_result_without_links_has_no_graph(layers: Page) -> None:
    assert not layers.one("#tab-graph").is_displayed()
    assert not layers.one("#picker").is_displayed()


def test_a_note_about_an_output_leads_there(site: Page) -> None:
    site.one("#tab-notes").click()
    assert site.texts(".fold summary code") == ["toy-note", "toy-info"]
    site.one("#view-notes button").click()
    assert site.text("#details .eyebrow") == "web"
    assert site.text("#details-title") == "web.port"


def test_a_secret_is_not_on_the_page_at_all() -> None:
    page = report(render_toys(*SITE))
    assert "everything together" in page
    assert "hunter2" not in page


def test_a_withheld_value_says_so_and_keeps_its_place(site: Page) -> None:
    site.click("all", "#picker-rows")
    assert "withheld" in site.shown("token")
    assert "site/vault.yaml:4" in site.shown("token")


HOSTILE = (
    "#cloud-config\n"
    "'</script><img src=x onerror=hacked=1>': '<!--<script>hacked=1</script>'\n"
    '"turned\\u202earound": "a\\u200bb\\x07"\n'
    "'{{data}}': '{{script}} $& \\'\n"
    "__proto__: {constructor: 1}\n"
)


def test_nothing_from_an_input_becomes_markup(opened: Opener) -> None:
    import lamina

    page = opened(lamina.render([("a<b>.yaml", HOSTILE)], dialect="cloud-init"))
    shown = "\n".join(page.texts("#result-rows .row"))
    assert "</script><img src=x onerror=hacked=1>" in shown
    assert "<!--<script>hacked=1</script>" in shown
    assert "a<b>.yaml:2" in shown
    assert "turned\\u202earound" in shown
    assert "a\\u200bb" in shown
    assert "{{script}}" in shown
    assert page.run("return typeof hacked") == "undefined"
    assert page.run("return document.images.length") == 0
    assert page.complaints() == []
