"""Fetching included URLs: from the input's own files, from a file the user mapped, or from the network.

`file:///bundle/NAME` is the file NAME beside the input. Any other `file:` URL, or a bare path, is looked for below the
folder of the input that includes it; nothing outside of it is read unless the user allowed the folder or mapped the URL
to a file. The network is used only when the user allowed it, and a download is bounded in time and size.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit import messages
from lamina.errors import InputError, UsageError
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.sources.inputs import Files, Inputs

BUNDLE: Final = "/bundle/"
SECONDS: Final = 10.0
MAX_BYTES: Final = 8 * 1024 * 1024
"""How large a download may be."""


class Unfetched(Exception):
    """A URL that was not fetched, with the reason and a hint.

    `tried` says that fetching failed, as it would for cloud-init; else Lamina did not try, and cloud-init may succeed.
    """

    def __init__(self, why: str, hint: str, *, tried: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.hint = hint
        self.tried = tried


def url_map(given: Any) -> Mapping[str, str]:
    """The mapping of URLs to file names, given as a mapping or as texts `URL=FILE`."""
    if isinstance(given, dict):
        pairs = list(given.items())
    else:
        texts = given if isinstance(given, (list, tuple)) else () if given is None else (given,)
        pairs = [text.rpartition("=")[::2] if isinstance(text, str) else (text, None) for text in texts]
    for url, name in pairs:
        if not (isinstance(url, str) and url and isinstance(name, str) and name):
            raise _no_mapping(name if not url else url if name is None else f"{url}={name}")
    return dict(pairs)


def _no_mapping(given: Any) -> UsageError:
    return UsageError(messages.BAD_URL_MAPPING.at(given=given))


class Fetcher:
    """Resolves URLs."""

    def __init__(self, urls: Mapping[str, str], inputs: Inputs, files: Files, *, allow_net: bool) -> None:
        """`files` are those of the current input, and of everything it includes."""
        self._files = files
        self._urls = urls
        self._inputs = inputs
        self._allow_net = allow_net

    def fetch(self, url: str) -> Source:
        """The content of a URL."""
        if url in self._urls:
            return self._mapped(url, self._urls[url])
        lower = url.lower()
        if lower.startswith("file:") or url.startswith("/"):
            return self._from_disk(url)
        if lower.startswith(("http://", "https://")):
            return self._from_net(url)
        raise Unfetched("it is not a URL that can be fetched", f"map it to a file: --url {url}=FILE")

    def _mapped(self, url: str, name: str) -> Source:
        with suppress(InputError):  # the user named the file, so it may be anywhere
            found = self._own_file(name)
            if found is not None:
                return found
        try:
            return self._inputs.opened(name)[0]
        except InputError as error:
            raise Unfetched(error.diagnostic.message, f"check the file given with --url {url}=FILE") from None

    def _from_disk(self, url: str) -> Source:
        from urllib.parse import unquote

        path = unquote(url[5:]) if url.lower().startswith("file:") else url
        path = "/" + path.lstrip("/") if path.startswith("/") else path
        bundled, outside = path.removeprefix(BUNDLE), False
        for name in dict.fromkeys((bundled, path, path.lstrip("/"))):
            try:
                found = self._own_file(name)
            except InputError as error:
                if error.diagnostic.code != "outside-folder":
                    raise Unfetched(error.diagnostic.message, f"map it to a file: --url {url}=FILE") from None
                found, outside = None, outside or name == bundled
            if found is not None:
                return found
        if outside:
            hint = f"allow its folder with --allow-path DIR, or map it to a file: --url {url}=FILE"
            raise Unfetched("Lamina does not read files outside the input's folder without permission", hint)
        hint = f"if the file exists on the instance, pass a copy of it: --url {url}=FILE"
        raise Unfetched("there is no such file among the inputs", hint)

    def _own_file(self, name: str) -> Source | None:
        if "\0" in name or not name:
            return None
        try:
            return self._files.read(name)
        except (OSError, ValueError):
            return None

    def _from_net(self, url: str) -> Source:
        if not self._allow_net:
            raise Unfetched(
                "Lamina does not use the network without permission",
                f"let Lamina fetch it with --allow-net, or pass a copy of it: --url {url}=FILE",
            )
        from http.client import HTTPException
        from urllib.request import urlopen

        try:
            with urlopen(url, timeout=SECONDS) as response:
                data: bytes = _bounded(response)
        except (OSError, HTTPException, ValueError) as error:
            reason = str(getattr(error, "reason", error))
            raise Unfetched(reason, "check the URL and the network", tried=True) from None
        return Source(url, data)


def _bounded(response: Any) -> bytes:
    """The body of a response, read within the limits."""
    from time import monotonic

    end = monotonic() + SECONDS
    pieces: list[bytes] = []
    size = 0
    while chunk := response.read1(65536):
        size += len(chunk)
        pieces.append(chunk)
        if size > MAX_BYTES:
            raise Unfetched(
                f"it is larger than {MAX_BYTES // (1024 * 1024)} MiB", "cloud-init data is never that large"
            )
        if monotonic() > end:
            raise Unfetched(f"it takes longer than {SECONDS:.0f} seconds", "fetch it yourself and map it with --url")
    return b"".join(pieces)
