"""The page: its HTML, its scripts and its styles; those of the report, and what only the explorer has."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

SCRIPT = "/explore/page.js"
STYLE = "/explore/page.css"
ICON = "/explore/icon.svg"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors "
)
_EDITORS = "vscode-webview: http://127.0.0.1:* http://localhost:* https://*.vscode-cdn.net"
"""Where the pages of editors come from that show this one inside of theirs."""
HEADERS = {
    "Content-Security-Policy": f"{_POLICY}'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
EMBEDDED_HEADERS = {**HEADERS, "Content-Security-Policy": f"{_POLICY}{_EDITORS}"}
"""The same where editors may show the page; all that it can do is read."""

_SHARED = ("elements", "theme", "rows", "details", "result")
"""Scripts of the report, in the order they build on each other."""
_OWN = ("server", "live", "output", "change_cards", "lists", "trial", "explorer")


@cache
def page() -> bytes:
    return _file("service.explorer", "explorer.html").encode()


@cache
def script() -> bytes:
    shared = [_file("views.report", f"{name}.js") for name in _SHARED]
    own = [_file("service.explorer", f"{name}.js") for name in _OWN]
    return ('"use strict";\n' + "\n".join([*shared, *own])).encode()


@cache
def style() -> bytes:
    return (_file("views.report", "style.css") + _file("service.explorer", "explorer.css")).encode()


@cache
def icon() -> bytes:
    return _file("service.explorer", "icon.svg").encode()


def _file(room: str, name: str) -> str:
    return (files(f"lamina.{room}") / "page" / name).read_text(encoding="utf-8")
