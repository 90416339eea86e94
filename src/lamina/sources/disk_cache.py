"""A cache of documents on disk: what was parsed once need not be parsed again, in any process.

An entry is found by the digest of the bytes, how they were read, and the versions of all that takes part. It holds the
plain value and the line and column of each node; everything else on the tape follows from the value, and is worked out
anew, so that value and places fit together whatever the entry says. Stored are trees of null, booleans, 64-bit
integers, floats, text, lists and mappings; what has aliases, merged or repeated keys, or notes is read each time.

Entries are written under a name of their own and then renamed. Whatever is wrong with one, it counts as not there. When
the folder holds more than it may, those used longest ago go.
"""

from __future__ import annotations

import os
from array import array
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lamina.errors import Diagnostic, UsageError
from lamina.origins import PositionMap
from lamina.sources.document import Document
from lamina.sources.limits import LIMITS
from lamina.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.sources.source import Source

Read = TypeVar("Read")

LAYOUT = 1
"""The layout of entries, and of what the readers give; raised whenever either changes."""
MOST_BYTES = 256 * 1024 * 1024
ALL = "-all"
"""How the name of a way to read ends that gives a list of documents."""
_CHECK_EVERY = 256
_LONG = 1 << 63
_SCALARS = frozenset((str, int, float, bool, type(None)))


class Unfit(Exception):
    """A document that cannot be stored, or an entry that cannot be used."""


class DiskCache:
    """Documents kept in a folder."""

    def __init__(self, folder: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> None:
        self._pack = _msgpack()
        self._folder = Path(folder) / f"documents-{LAYOUT}"
        self._most = most_bytes
        self._written = 0
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(
                Diagnostic(
                    code="bad-cache", message=f"{folder} cannot hold a cache: {reason}", hint="name another folder"
                )
            ) from None

    def get(self, how: str, source: Source, read: Callable[[Source], Read]) -> Read:
        """What a source holds: from the cache, or read and stored."""
        path = self._path(how, source)
        found = self._load(path, source)
        if found is not None:
            # Several documents are kept and asked for as such.
            return found if how.endswith(ALL) else found[0]  # type: ignore[return-value]
        result = read(source)
        self._store(path, result if how.endswith(ALL) else [result])
        return result

    def _path(self, how: str, source: Source) -> Path:
        name = sha256(f"{VERSION} {_yaml_version()} {how}\0".encode() + source.data).hexdigest()
        return self._folder / name[:2] / name[2:]

    def _load(self, path: Path, source: Source) -> list[Document] | None:
        try:
            parts = self._pack.decode(path.read_bytes())
            documents = [_unpacked(part, source) for part in parts]
        except Exception:  # whatever an entry holds, it must not be worse than no entry
            return None
        with suppress(OSError):
            os.utime(path)
        return documents or None

    def _store(self, path: Path, documents: Any) -> None:
        try:
            data = self._pack.encode([_packed(document) for document in documents])
        except (Unfit, ValueError, TypeError, OverflowError, RecursionError):
            return
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            partial = path.with_name(f"{path.name}.{os.getpid()}")
            partial.write_bytes(data)
            partial.replace(path)
            self._written += 1
            if self._written % _CHECK_EVERY == 1:
                self.trim()

    def trim(self) -> None:
        """Remove the entries used longest ago, until there is room again."""
        entries: list[tuple[float, int, Path]] = []
        for path in self._folder.glob("*/*"):
            with suppress(OSError):
                status = path.stat()
                entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        if total <= self._most:
            return
        for _, size, path in sorted(entries):
            with suppress(OSError):
                path.unlink()
            total -= size
            if total <= self._most * 0.8:
                return


def _msgpack() -> Any:
    try:
        from msgspec import msgpack
    except ImportError:
        raise UsageError(
            Diagnostic(
                code="no-msgspec", message="a cache needs the package msgspec", hint="pip install 'lamina[fast]'"
            )
        ) from None
    return msgpack


def _yaml_version() -> str:
    import yaml

    return yaml.__version__


def _packed(document: Any) -> tuple[Any, bytes, bytes]:
    if type(document) is not Document or document.notes or document.tape.aliases or document.tape.members:
        raise Unfit
    sizes = _sizes(document.value)
    tape = document.tape
    if len(tape.lines) != sizes[0] or tape.sizes != sizes[1]:
        raise Unfit
    return document.value, array("I", tape.lines).tobytes(), array("I", tape.columns).tobytes()


def _unpacked(part: Any, source: Source) -> Document:
    value, lines, columns = part
    count, sizes = _sizes(value)
    tape = PositionMap(source.locate)
    tape.lines, tape.columns = array("I", lines).tolist(), array("I", columns).tolist()
    if len(tape.lines) != count or len(tape.columns) != count:
        raise Unfit
    tape.sizes = sizes
    return Document(value, tape)


def _sizes(value: Any) -> tuple[int, dict[int, int]]:
    """How many records a value takes on a tape, and how many each of its collections takes."""
    sizes: dict[int, int] = {}

    def measure(value: Any, index: int, depth: int) -> int:
        """The record after those of a collection."""
        if depth > LIMITS.depth:
            raise Unfit
        at = index + 1
        if type(value) is dict:
            for key, inner in value.items():
                if type(key) not in _SCALARS:
                    raise Unfit
                at = step(inner, at + 1, depth)
        elif type(value) is list:
            for inner in value:
                at = step(inner, at, depth)
        else:
            raise Unfit
        sizes[index] = at - index
        return at

    def step(inner: Any, at: int, depth: int) -> int:
        kind = type(inner)
        if kind is str:
            return at + 1
        if kind in _SCALARS:
            if kind is int and not -_LONG <= inner < _LONG:
                raise Unfit
            return at + 1
        return measure(inner, at, depth + 1)

    count = step(value, 0, 0)
    return count, sizes
