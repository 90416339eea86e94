"""Assembling: the files in `page/` and the data of a result become one HTML document.

Nothing from an input becomes markup: it travels as JSON in an element that is never run, and the script shows it as
text only. A policy in the document forbids everything but the one script and the one style sheet, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lamina._support.escapes import escaped_json
from lamina._support.progress import unwatched
from lamina.views.report.page_data import collect

if TYPE_CHECKING:
    from lamina._support.progress import Counting
    from lamina.views.result import Result

SCRIPTS = ("elements", "data", "rows", "details", "tip", "result", "map", "picker", "graph", "notes", "main")
"""The scripts, in the order they build on one another."""

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def report(rendered: Result, title: str = "Lamina", counting: Counting = unwatched) -> str:
    """The result, its layers and its history as one HTML page."""
    return assemble(collect(rendered, title, counting))


def assemble(data: dict[str, Any]) -> str:
    """The page that shows the data."""
    style = _file("style.css")
    script = '"use strict";\n' + "\n".join(_file(f"{name}.js") for name in SCRIPTS)
    slots = {"policy": _policy(style, script), "style": style, "data": embedded(data), "script": script}
    # One pass over the template alone: what fills a slot is not looked at again.
    return _SLOT.sub(lambda slot: slots[slot[1]], _file("page.html"))


def embedded(data: dict[str, Any]) -> str:
    """The data as JSON that cannot end the element it is in."""
    return escaped_json(json.dumps(data, separators=(",", ":"))).replace("<", "\\u003c")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _file(name: str) -> str:
    return (files("lamina.views.report") / "page" / name).read_text(encoding="utf-8")
