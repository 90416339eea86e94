"""A headless Chromium, and a page in it as a person meets it: by what is shown, clicked and typed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from support import installed

HERE = Path(__file__).parent
CACHE = Path(sys.prefix) / "browser-tests"
"""Where axe-core is kept: in the virtual environment the tests run in."""

FONTS = ("fonts-inter", "fonts-jetbrains-mono")
"""The page takes the reader's own fonts; with these the pictures look the same everywhere."""

PATIENCE = 30
"""Seconds until something that should show is missed."""


def install(*packages: str) -> None:
    """Install what is missing, for a program that is not a test."""
    subprocess.run([HERE / "install", CACHE, *packages], check=True)


def need(*packages: str) -> None:
    """Install what is missing; where that is not possible the test is skipped, or fails in CI."""
    installed.need("what the browser tests need", HERE / "install", CACHE, *packages)


def start(width: int = 1440, height: int = 940, scale: int = 1) -> Chrome:
    """A browser of its own, without sandbox where it runs as root."""
    options = ChromeOptions()
    options.binary_location = _browser()
    for flag in ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.add_argument(f"--window-size={width},{height}")
    options.add_argument(f"--force-device-scale-factor={scale}")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return Chrome(options, Service(shutil.which("chromedriver")))


def _browser() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert found, "there is no Chromium although it was installed"
    return found


class Page:
    """A report opened from disk, or a page of a server."""

    def __init__(self, driver: Chrome, path: Path | str) -> None:
        self.driver = driver
        driver.get("about:blank")
        driver.get_log("browser")  # type: ignore[no-untyped-call]  # what an earlier page said is gone with it
        began = time.monotonic()
        driver.get(path if isinstance(path, str) else path.as_uri())
        self.took = time.monotonic() - began
        """Seconds until the page was there."""

    def one(self, selector: str) -> WebElement:
        """The one element that is there; waits for it."""
        found = self.until(lambda: self.driver.find_element(By.CSS_SELECTOR, selector))
        assert isinstance(found, WebElement)
        return found

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """The visible texts of all elements, read at once so that none is replaced meanwhile."""
        script = "return [...document.querySelectorAll(arguments[0])].map((found) => found.innerText.trim())"
        return list(self.run(script, selector))

    def text(self, selector: str) -> str:
        """The visible text of an element; one that is replaced meanwhile is looked for again."""
        (text,) = self.until(lambda: (self.one(selector).text,))
        return str(text)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, holds: Any) -> Any:
        """What comes of waiting until something holds; elements that were replaced meanwhile are looked for again."""
        waiting = WebDriverWait(self.driver, PATIENCE, 0.05, ignored_exceptions=[StaleElementReferenceException])
        return waiting.until(lambda _: holds())

    def row(self, words: str, rows: str = "#result-rows") -> WebElement:
        """The row that shows these words."""
        rows_in_sight = "[...arguments[0].querySelectorAll('[data-index]')]"
        script = f"return {rows_in_sight}.find((row) => row.innerText.includes(arguments[1]))"
        row = self.until(lambda: self.run(script, self.one(rows), words))
        assert isinstance(row, WebElement)
        return row

    def click(self, words: str, rows: str = "#result-rows") -> None:
        """Click the row that shows these words."""

        def clicked() -> bool:
            self.row(words, rows).click()
            return True

        self.until(clicked)

    def shown(self, words: str, rows: str = "#result-rows") -> str:
        """All text in the row that shows these words."""
        return str(self.until(lambda: self.row(words, rows).text))

    def keys(self, *keys: str) -> None:
        """Keys pressed one after the other, wherever the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def type_filter(self, words: str) -> None:
        """Type a filter, in place of what is there."""
        box = self.one("#filter")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(words or Keys.DELETE)

    def hover(self, words: str) -> None:
        """Move the pointer to the row that shows these words until the row says more."""

        def says_more() -> bool:
            ActionChains(self.driver).move_to_element(self.row(words)).perform()
            return self.one("#tip").is_displayed()

        self.until(says_more)

    def focused(self) -> str:
        """The id of the element that has the focus."""
        return str(self.run("return document.activeElement.id"))

    def active(self, rows: str) -> str:
        """The text of the active row of a list."""
        script = "return document.getElementById(arguments[0].getAttribute('aria-activedescendant'))?.innerText ?? ''"
        return str(self.run(script, self.one(rows)))

    def prefer(self, scheme: str) -> None:
        """The reader's setting for light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        # Colours change over a moment, and in between nothing can be said about them.
        self.until(lambda: self.run("return document.getAnimations().length") == 0)

    def complaints(self) -> list[str]:
        """What the browser wrote to its console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def violations(self) -> list[str]:
        """What axe-core finds wrong for those who use the page by other means than sight and mouse."""
        self.run((CACHE / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8"))
        script = "const done = arguments[0]; axe.run(document).then((found) => done(JSON.stringify(found.violations)))"
        self.driver.set_script_timeout(60)
        found = json.loads(self.driver.execute_async_script(script))
        return [f"{each['id']}: {node['html']} {node['failureSummary']}" for each in found for node in each["nodes"]]
