"""The page of a large fleet in Chromium: seconds until it is there, and its size. It needs what the browser tests need.

    .venv/bin/python bench/pages.py [NODES [KEYS]]

Two fleets of the same size, as in `reports.py`: nodes that are alike, and nodes that have as little in common as they
can. A time is the median of five openings, from asking for the file to the end of its script, with the result drawn.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import reports

from browser import chromium
from browser.chromium import Page
from lamina.views.report.build_html import report

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

OPENINGS = 5
MOST_SECONDS, MOST_BYTES = 2.0, 20_000_000


def main(nodes: int = 2_000, keys: int = reports.KEYS) -> None:
    chromium.install()
    browser = chromium.start()
    reports.KEYS = keys
    for name, write in {"alike": reports.alike, "each of its own": reports.unlike}.items():
        with tempfile.TemporaryDirectory() as made:
            folder, path = Path(made) / "fleet", Path(made) / "page.html"
            folder.mkdir()
            write(folder, nodes)
            path.write_text(report(reports.rendered(folder)), encoding="utf-8")
            times = [opened(browser, path, nodes) for _ in range(OPENINGS)]
            taken, size = statistics.median(times), path.stat().st_size
            verdict = "met" if taken < MOST_SECONDS and size < MOST_BYTES else "MISSED"
            spread = f"{min(times):.2f} to {max(times):.2f}"
            print(
                f"page of {nodes} nodes x {keys} keys, {name}: {taken:.2f} s ({spread}), {size / 1e6:.1f} MB, {verdict}"
            )
    browser.quit()


def opened(browser: Chrome, path: Path, nodes: int) -> float:
    """The seconds until a page is there, with its list of nodes and the values of one of them."""
    page = Page(browser, path)
    loaded = time.monotonic()
    page.until(
        lambda: page.text("#status").endswith("values")
    )  # the data of a large page is unpacked after it is loaded
    taken = page.took + time.monotonic() - loaded
    assert page.text("#picker-title") == f"{nodes:,} nodes"
    return taken


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
