"""Files read once per worker: layers that nodes share are opened, read and digested a single time.

A run sees its files as they were when each was first read. Files that are not used again make room for others.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from lamina.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.sources.inputs import Files
    from lamina.sources.source import Source

_MAX_CACHED_BYTES = 4 * 1024 * 1024
_EACH = 4096
"""The approximate cost of a cached file besides its bytes."""


def digest(data: bytes) -> str:
    """The digest that identifies files and texts."""
    return sha256(data).hexdigest()


def digest_of_all(files: Files) -> str:
    """The digest of a folder: its names, and the content of each file."""
    total = sha256()
    for name in files.names():
        digest = digest_of(files, name)
        total.update(f"{name}\0{digest}\0".encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def digest_of(files: Files, name: str) -> str:
    """The digest of a file; none for what cannot be read as one and is not an input, such as a socket."""
    try:
        source = files.read(name)
    except InputError as error:
        if error.diagnostic.code != "special-file":
            raise
        return ""
    return digest(source.data) if source is not None else ""


class CachedFiles:
    """Files that record what was read through them, and what was asked for if wanted."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._cache: OrderedDict[str, tuple[Source | None, str | None]] = OrderedDict()
        self._size = 0
        self._names: Sequence[str] | None = None
        self.digests_read: dict[str, str | None] | None = None
        """The digests of the files read since this was set; none for those that were missing."""

    def read(self, name: str) -> Source | None:
        return self.read_digested(name)[0]

    def read_digested(self, name: str) -> tuple[Source | None, str | None]:
        """A file and its digest."""
        found = self._find(name)
        if self.digests_read is not None:
            self.digests_read[name] = found[1]
        return found

    def names(self) -> Sequence[str]:
        if self._names is None:
            self._names = self._files.names()
        if self.digests_read is not None:
            self.digests_read["/"] = digest("\0".join(self._names).encode("utf-8", "surrogatepass"))
        return self._names

    @cached_property
    def digest_of_all(self) -> str:
        """The digest of all files, which many nodes may be rendered from."""
        return digest_of_all(self)

    def attached(self) -> Sequence[str]:
        return self._files.attached()

    def digest_of(self, name: str) -> str | None:
        """The digest of a file, or none if there is none; of all names for `/`."""
        if name == "/":
            return digest("\0".join(self.names()).encode("utf-8", "surrogatepass"))
        return self._find(name)[1]

    def _find(self, name: str) -> tuple[Source | None, str | None]:
        found = self._cache.get(name)
        if found is not None:
            self._cache.move_to_end(name)
            return found
        source = self._files.read(name)
        found = (source, digest(source.data) if source is not None else None)
        self._cache[name] = found
        self._size += _cost(source)
        while self._size > _MAX_CACHED_BYTES and len(self._cache) > 1:
            _, (removed, _) = self._cache.popitem(last=False)
            self._size -= _cost(removed)
        return found


def _cost(source: Source | None) -> int:
    return _EACH + (len(source.data) if source is not None else 0)
