"""Unpacking gzip within limits: a few kilobytes can expand to gigabytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.dialects.cloudinit import messages
from lamina.errors import InputError

if TYPE_CHECKING:
    from lamina.origins import Origin

LIMIT: Final = 64 * 1024 * 1024
"""How many bytes all gzip data of one render may unpack to."""


class DamagedGzip(Exception):
    """The data is not gzip, or ends too early."""


class Unzipper:
    """Unpacks gzip data and counts what comes out, over all files and parts of a render."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._left = limit

    def unpack(self, data: bytes, at: Origin) -> bytes:
        """The unpacked bytes."""
        import gzip
        import io
        import zlib

        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                unpacked = stream.read(self._left + 1)
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise DamagedGzip(str(error)) from None
        if len(unpacked) > self._left:
            raise InputError(messages.GZIP_TOO_LARGE.at(at, limit=self._limit // (1024 * 1024)))
        self._left -= len(unpacked)
        return unpacked
