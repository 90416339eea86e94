"""Building the page: the files in `page/` and the data of a result become one HTML document.

Nothing from an input becomes markup: it travels as JSON in an element that is never run, and the script shows it as
text only. A policy in the document forbids everything but the one script and the one style sheet, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lamina._support.escapes import escaped_json
from lamina._support.progress import unwatched
from lamina.views.report.page_data import collect
from lamina.views.report.source_links import NO_LINKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina._support.progress import Counting
    from lamina.views.lint.api import Linted
    from lamina.views.report.source_links import SourceLinks
    from lamina.views.result import Result

SCRIPTS = (
    "theme", "tables", "data", "search", "rows", "statistics", "details", "tip", "result", "map", "picker",
    "matrix", "side", "graph", "notes", "overview", "main",
)  # fmt: skip
"""The scripts, in the order they build on each other."""
_FIRST = ("elements", "embedded")
"""The scripts of every page that come before its data is there."""
PLAIN_SIZE = 8_000_000
"""Up to so many characters of data are in the page as they are; more are compressed."""

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def report(
    rendered: Result,
    title: str = "Lamina",
    counting: Counting = unwatched,
    links: SourceLinks = NO_LINKS,
    linted: Linted | None = None,
) -> str:
    """The result, its layers and its history as one HTML page, with what linting found if that was done."""
    return assemble(collect(rendered, title, counting, links, linted))


def assemble(data: dict[str, Any], template: str = "page.html", scripts: Sequence[str] = SCRIPTS) -> str:
    """The page that shows the data."""
    return fill(page_file(template), slots_of(data, scripts))


def slots_of(data: dict[str, Any], scripts: Sequence[str]) -> dict[str, str]:
    """What a template is filled with to show data by scripts."""
    style = page_file("style.css")
    before, after = ("\n".join(page_file(f"{name}.js") for name in names) for names in (_FIRST, scripts))
    script = f'"use strict";\n{before}\n(async () => {{\nconst data = await embeddedData();\n{after}\n}})();'
    return {"policy": _policy(style, script), "style": style, "data": embedded(data), "script": script}


def fill(template: str, slots: Mapping[str, str]) -> str:
    """A template with its slots filled, in a single pass: what fills a slot is not looked at again."""
    return _SLOT.sub(lambda slot: slots[slot[1]], template)


def embedded(data: dict[str, Any]) -> str:
    """The data as JSON that cannot end the element it is in; compressed and in base64 where it is long."""
    text = escaped_json(json.dumps(data, separators=(",", ":"))).replace("<", "\\u003c")
    return text if len(text) <= PLAIN_SIZE else base64.b64encode(zlib.compress(text.encode(), 1)).decode()


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page_file(name: str) -> str:
    """One of the files that pages are made of."""
    return (files("lamina.views.report") / "page" / name).read_text(encoding="utf-8")
