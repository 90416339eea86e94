"""Who sent a browser here: requests that a page of another site makes in a reader's browser are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lamina.service.faults import ApiFault

if TYPE_CHECKING:
    from collections.abc import Mapping

_SAFE = ("GET", "HEAD", "OPTIONS")
_OWN = ("same-origin", "none")


def check_host(headers: Mapping[str, str], hosts: tuple[str, ...]) -> None:
    """Reject a request by another name than those given: a page elsewhere may have its name lead here."""
    given = headers.get("host")
    if not hosts or given is None:
        return
    if _name_in(given) not in hosts:
        raise ApiFault(421, "HTTPMisdirectedRequest", "This server does not answer by that name.")


def check_site(method: str, headers: Mapping[str, str], *, strict: bool) -> None:
    """Reject what a page of another site sends.

    `strict` asks for the very same origin where the browser names one, and rejects what such a page would only read: it
    could not, but it would take the place of others who listen to events. A link from anywhere may lead here.
    """
    is_cross_site = headers.get("sec-fetch-site", "none") not in _OWN
    if method in _SAFE and (not strict or headers.get("sec-fetch-mode") == "navigate"):
        return
    origin = headers.get("origin")
    if strict and origin is not None and _netloc(origin) != headers.get("host"):
        is_cross_site = True
    if is_cross_site:
        raise ApiFault(403, "HTTPForbidden", "Requests of pages of other sites are rejected.")


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _name_in(host: str) -> str:
    """The name in a Host header, without the port and in lower case."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
