"""Fetching what an include names: from the inputs' own files, from a file the user mapped, or from the network.

`file:///bundle/NAME` is the file NAME beside the inputs. Any other `file:` URL, or a bare path, is looked for below the
folder of the inputs; nothing outside of it is read unless the user mapped the URL to a file. The network is used only
when the user allowed it, and a download is bounded in time and size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.errors import Diagnostic, InputError, UsageError
from lamina.sources.inputs import read_file
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.sources.inputs import Files

BUNDLE: Final = "/bundle/"
SECONDS: Final = 10.0
MAX_BYTES: Final = 8 * 1024 * 1024
"""How large a download may be."""


class Unfetched(Exception):
    """A URL that cannot be fetched; says why, and what would help."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(why)
        self.why = why
        self.hint = hint


def url_map(given: Any) -> Mapping[str, str]:
    """The mapping of URLs to file names, given as a mapping or as texts `URL=FILE`."""
    if isinstance(given, dict):
        return given
    pairs = {}
    for text in given or ():
        url, equals, name = text.rpartition("=")
        if not equals or not url or not name:
            raise UsageError(
                Diagnostic(code="bad-url-mapping", message=f"{text!r} is not URL=FILE", hint="write --url URL=FILE")
            )
        pairs[url] = name
    return pairs


class Fetcher:
    """Finds what URLs stand for."""

    def __init__(self, files: Files, urls: Mapping[str, str], *, allow_net: bool) -> None:
        self._files = files
        self._urls = urls
        self._allow_net = allow_net

    def fetch(self, url: str) -> Source:
        """What a URL stands for."""
        if url in self._urls:
            return self._mapped(url, self._urls[url])
        lower = url.lower()
        if lower.startswith("file:") or url.startswith("/"):
            return self._from_disk(url)
        if lower.startswith(("http://", "https://")):
            return self._from_net(url)
        raise Unfetched("it is no URL that can be fetched", f"map it to a file: --url {url}=FILE")

    def _mapped(self, url: str, name: str) -> Source:
        try:
            return self._beside(name) or read_file(name, name)
        except InputError as error:
            raise Unfetched(error.diagnostic.message, f"check the file given with --url {url}=FILE") from None

    def _from_disk(self, url: str) -> Source:
        from urllib.parse import unquote

        path = unquote(url[5:]) if url.lower().startswith("file:") else url
        path = "/" + path.lstrip("/") if path.startswith("/") else path
        for name in dict.fromkeys((path.removeprefix(BUNDLE), path, path.lstrip("/"))):
            found = self._beside(name)
            if found is not None:
                return found
        raise Unfetched("there is no such file beside the inputs", f"map it to a file: --url {url}=FILE")

    def _beside(self, name: str) -> Source | None:
        if "\0" in name or not name:
            return None
        try:
            return self._files.read(name)
        except (InputError, OSError, ValueError):
            return None

    def _from_net(self, url: str) -> Source:
        if not self._allow_net:
            raise Unfetched("the network is not used", f"give the file, --url {url}=FILE, or allow it, --allow-net")
        from http.client import HTTPException
        from urllib.request import urlopen

        try:
            with urlopen(url, timeout=SECONDS) as response:
                data: bytes = _bounded(response)
        except (OSError, HTTPException, ValueError) as error:
            raise Unfetched(str(getattr(error, "reason", error)), "check the URL and the network") from None
        return Source(url, data)


def _bounded(response: Any) -> bytes:
    """The body of a response, read within the limits."""
    from time import monotonic

    end = monotonic() + SECONDS
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(65536):
        size += len(piece)
        pieces.append(piece)
        if size > MAX_BYTES:
            raise Unfetched(
                f"it is larger than {MAX_BYTES // (1024 * 1024)} MiB", "cloud-init data is never that large"
            )
        if monotonic() > end:
            raise Unfetched(f"it takes longer than {SECONDS:.0f} seconds", "fetch it yourself and map it with --url")
    return b"".join(pieces)
