"""Reading with memory: documents by their content, so that nothing is parsed twice in one process.

Documents are shared between those who ask for them and are never to be changed.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar

from lamina.errors import Diagnostic, InputError, MergeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.sources.document import Document
    from lamina.sources.source import Source

Read = TypeVar("Read")

_KEPT_BYTES = 32 * 1024 * 1024
"""How much input the documents that are kept may stand for, unless told otherwise."""
_ORDINARY = 12
"""How many bytes a node takes in ordinary text, about."""
_KEPT_DOCUMENTS = 16_384
"""How many documents are kept; many small ones would burden the garbage collector."""


class _Shelf:
    """The documents read last, as far as their inputs are not larger than what may be kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, Source], Any] = OrderedDict()
        self._size = 0
        self.limit = _KEPT_BYTES
        self.most = _KEPT_DOCUMENTS

    def get(self, how: str, source: Source, read: Callable[[Source], Read]) -> Read:
        """What a source holds, read at most once; a refusal is remembered too."""
        key = (how, source)
        found: Any = self._kept.get(key)
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
        _charge(found, source)
        kept: Read = found
        return kept

    def clear(self) -> None:
        self._kept.clear()
        self._size = 0

    def _keep(self, key: tuple[str, Source], found: Any) -> None:
        self._kept[key] = found
        self._size += _burden(key[1], found)
        while (self._size > self.limit or len(self._kept) > self.most) and len(self._kept) > 1:
            (_, source), read = self._kept.popitem(last=False)
            self._size -= _burden(source, read)


def _burden(source: Source, found: Any) -> int:
    """How much input a document stands for: as much as its nodes take in ordinary text, if that is more than it is."""
    return len(source.data) if isinstance(found, InputError) else max(len(source.data), _ORDINARY * _nodes(found))


def _nodes(found: Any) -> int:
    """The nodes of what was read; a collection takes about as much again."""
    tapes = [document.tape for document in (found if isinstance(found, list) else (found,))]
    return sum(len(tape.lines) + len(tape.sizes) for tape in tapes)


def _charge(found: Any, source: Source) -> None:
    """Count what was read against the budget of the run it is read for."""
    from lamina.budget import BudgetSpent, charge

    try:
        charge(_nodes(found))
    except BudgetSpent as spent:
        # No fault of this input, which a dialect may leave out: the run ends here.
        raise MergeError(
            Diagnostic(
                code="input-too-large",
                message=f"all inputs together take more than {spent.what} of memory, which is Lamina's limit",
                at=source.locate(0, 0),
                hint="render fewer files at a time",
            )
        ) from None


_SHELF = _Shelf()


def keep_at_most(size: int, documents: int) -> None:
    """Keep no more documents in memory than these, nor such as stand for more bytes of input."""
    _SHELF.limit, _SHELF.most = size, documents


def forget() -> None:
    """Forget all documents kept in memory."""
    _SHELF.clear()


def yaml_document(source: Source) -> Document:
    """The one YAML document of a source, read as PyYAML's safe loader reads it."""
    return _SHELF.get("yaml", source, _read_yaml)


def _read_yaml(source: Source) -> Document:
    from lamina.sources.yaml.reader import read_one

    return read_one(source)


def json_document(source: Source) -> Document:
    """The JSON value of a source."""
    return _SHELF.get("json", source, _read_json)


def _read_json(source: Source) -> Document:
    from lamina.sources.json.reader import read_json

    return read_json(source)


def yaml_document_text_dates(source: Source) -> Document:
    """The one YAML document of a source, as libyaml reads it and with dates as text.

    What libyaml refuses is read again as PyYAML's safe loader reads it, dates and all: it takes some of what the other
    does not, and names its faults better.
    """
    return _SHELF.get("yaml-text-dates", source, _read_yaml_text_dates)


def _read_yaml_text_dates(source: Source) -> Document:
    from lamina.sources.yaml.reader import read_one
    from lamina.sources.yaml.scalars import PYYAML_TEXT_DATES

    try:
        return read_one(source, PYYAML_TEXT_DATES, "c")
    except InputError as error:
        if error.diagnostic.code != "invalid-yaml":
            raise
        return read_one(source)


def yaml_documents(source: Source) -> list[Document]:
    """All YAML documents of a source, read as PyYAML's safe loader reads them with libyaml."""
    return _SHELF.get("yaml-all", source, _read_all_yaml)


def _read_all_yaml(source: Source) -> list[Document]:
    from lamina.sources.yaml.reader import read

    return read(source, loader="c")


def caseless_document(source: Source) -> Document:
    """The first document of a YAML or JSON source as PowerShell reads it, with keys that compare without case."""
    return _SHELF.get("caseless yaml", source, _read_caseless_yaml)


def _read_caseless_yaml(source: Source) -> Document:
    from lamina.sources.powershell.case_insensitive import SPELLINGS
    from lamina.sources.yaml.reader import read_plain
    from lamina.sources.yaml.scalars import YAMLDOTNET

    documents = read_plain(source, YAMLDOTNET, SPELLINGS)
    return documents[0] if documents else _parse_caseless_yaml(source)


def _parse_caseless_yaml(source: Source) -> Document:
    from lamina.origins import PositionMap
    from lamina.sources.document import Document
    from lamina.sources.powershell.case_insensitive_document import without_case
    from lamina.sources.yaml.reader import read_parsed
    from lamina.sources.yaml.scalars import YAMLDOTNET

    documents = read_parsed(source, YAMLDOTNET, "c")
    if documents:
        return without_case(documents[0])
    tape = PositionMap(source.locate)
    tape.add(0, 0)
    return Document(None, tape)


def caseless_psd1(source: Source) -> Document:
    """A PowerShell data file, with keys that compare without case."""
    return _SHELF.get("psd1", source, _read_psd1)


def _read_psd1(source: Source) -> Document:
    from lamina.sources.powershell.case_insensitive_document import without_case
    from lamina.sources.powershell.psd1_reader import read

    return without_case(read(source))


def decode(source: Source) -> str:
    """The beginning of a source as text, undecodable bytes replaced."""
    return source.data[:4096].decode("utf-8", "replace")
