"""Reading with memory: documents by their content, so that nothing is parsed twice in one process.

Documents are shared between those who ask for them and are never to be changed.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from lamina.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.sources.document import Document
    from lamina.sources.source import Source

_KEPT_BYTES = 32 * 1024 * 1024
"""How much input the documents that are kept may stand for."""
_KEPT_DOCUMENTS = 4096
"""How many documents are kept; many small ones would burden the garbage collector."""


class _Shelf:
    """The documents read last, as far as their inputs are not larger than what may be kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, Source], Document | InputError] = OrderedDict()
        self._size = 0

    def get(self, how: str, source: Source, read: Callable[[Source], Document]) -> Document:
        """The document of a source, read at most once; a refusal is remembered too."""
        key = (how, source)
        found = self._kept.get(key)
        if found is None:
            try:
                found = read(source)
            except InputError as error:
                found = error.with_traceback(None)
            self._keep(key, found)
        else:
            self._kept.move_to_end(key)
        if isinstance(found, InputError):
            raise InputError.of(found.diagnostics)
        return found

    def _keep(self, key: tuple[str, Source], found: Document | InputError) -> None:
        self._kept[key] = found
        self._size += len(key[1].data)
        while self._size > _KEPT_BYTES or len(self._kept) > _KEPT_DOCUMENTS:
            (_, source), _ = self._kept.popitem(last=False)
            self._size -= len(source.data)


_SHELF = _Shelf()


def yaml_document(source: Source) -> Document:
    """The one YAML document of a source, read as PyYAML's safe loader reads it."""
    return _SHELF.get("yaml", source, _read_yaml)


def _read_yaml(source: Source) -> Document:
    from lamina.sources.yaml_reader import read_one

    return read_one(source)


def json_document(source: Source) -> Document:
    """The JSON value of a source."""
    return _SHELF.get("json", source, _read_json)


def _read_json(source: Source) -> Document:
    from lamina.sources.json_reader import read_json

    return read_json(source)


def decode(source: Source) -> str:
    """The beginning of a source as text, undecodable bytes replaced."""
    return source.data[:4096].decode("utf-8", "replace")
