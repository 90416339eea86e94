"""A browser for the tests of the page, and pages to open in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

import lamina
from browser import chromium
from browser.chromium import Page
from lamina.views.report.build_html import report
from lamina.views.result import Result
from support.toys import SITE, render_toys

LAYERS = sorted((Path(__file__).parents[2] / "examples/cloud-init/four-layers").glob("*-*.yaml"))

Opener = Callable[[Result], Page]


@pytest.fixture(scope="session")
def driver() -> Iterator[Chrome]:
    chromium.need()
    browser = chromium.start()
    yield browser
    browser.quit()


@pytest.fixture
def opened(driver: Chrome, tmp_path: Path) -> Opener:
    """Writes the report of a result to disk and opens it."""

    def open_report(rendered: Result) -> Page:
        path = tmp_path / "report.html"
        path.write_text(report(rendered, "A report"), encoding="utf-8")
        page = Page(driver, path)
        page.prefer("light")
        return page

    return open_report


@pytest.fixture
def layers(opened: Opener) -> Page:
    """The report of the example with four layers, and with what differs from the manual."""
    texts = [(path.name, path.read_text()) for path in LAYERS]
    result = lamina.render(texts, dialect="cloud-init")
    return opened(replace(result, notes=(*result.notes, *result.compat_notes)))


@pytest.fixture
def site(opened: Opener) -> Page:
    """The report of a result with several outputs that build on one another."""
    return opened(render_toys(*SITE))
