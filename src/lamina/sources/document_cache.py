"""The document cache: documents by their content, so that nothing is parsed twice in one session.

Documents are shared between callers and must never be changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from lamina.budget import BudgetExceeded, charge
from lamina.errors import Diagnostic, InputError, MergeError
from lamina.session import current_call
from lamina.sources.document import Document
from lamina.sources.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.sources.limits import Limits
    from lamina.sources.source import Source

Read = TypeVar("Read")

_DOCUMENT = 1024
"""The approximate cost of a cached document besides its content, in bytes."""
_NODE = 192
"""The cost of a node besides its text: measured, from 50 in lists of numbers to 195."""


def cached_read(how: str, source: Source, read: Callable[[Source, Limits], Read], weigh: Callable[[Read], int]) -> Read:
    """The content of a source, read at most once per call and cached in its session; errors are cached too.

    `weigh` returns the size of the result in bytes, besides the source itself.
    """
    call, key = current_call(), (how, source)
    found: Any = call.find(key)
    if found is None:
        weight = _DOCUMENT + 2 * len(source.data)
        try:
            found = read(source, call.session.limits or LIMITS)
            weight += weigh(found)
        except InputError as error:
            found = InputError.of(error.diagnostics)
        call.keep(key, found, weight)
    if isinstance(found, InputError):
        raise InputError.of(found.diagnostics)
    _charge(found, source)
    document: Read = found
    return document


def _charge(found: Any, source: Source) -> None:
    """Count what was read against the budget of the run it is read for."""
    try:
        charge(_nodes(found))
    except BudgetExceeded as spent:
        # Not an InputError, which a dialect may skip: the run ends here.
        raise MergeError(
            Diagnostic(
                code="input-too-large",
                message=f"all inputs together take more than {spent.what} of memory, which is Lamina's limit",
                at=source.locate(0, 0),
                hint="render fewer files at a time",
            )
        ) from None


def _nodes(found: Any) -> int:
    """The number of nodes that were read; a collection counts twice."""
    if type(found) is Document:
        return found.positions.record_count + found.positions.collection_count
    count = 0
    for each in found if isinstance(found, list) else ():
        if isinstance(each, Document):
            count += each.positions.record_count + each.positions.collection_count
    return count


def weight_of(document: Document) -> int:
    """The approximate size of a document in bytes, besides its source."""
    return _NODE * document.positions.record_count


def _weight_of_all(documents: list[Document]) -> int:
    return sum(map(weight_of, documents))


def yaml_document(source: Source) -> Document:
    """The one YAML document of a source, read as PyYAML's safe loader reads it."""
    return cached_read("yaml", source, _read_yaml, weight_of)


def _read_yaml(source: Source, limits: Limits) -> Document:
    from lamina.sources.yaml.reader import read_one

    return read_one(source, limits=limits)


def json_document(source: Source) -> Document:
    """The JSON value of a source."""
    return cached_read("json", source, _read_json, weight_of)


def _read_json(source: Source, limits: Limits) -> Document:
    from lamina.sources.json.reader import read_json

    return read_json(source, limits)


def toml_document(source: Source) -> Document:
    """The table of a TOML file."""
    return cached_read("toml", source, _read_toml, weight_of)


def _read_toml(source: Source, limits: Limits) -> Document:
    from lamina.sources.toml.document import toml_document

    limits.check_size(source)
    return toml_document(source)


def yaml_document_text_dates(source: Source) -> Document:
    """The one YAML document of a source, as libyaml reads it and with dates as text.

    What libyaml rejects is read again as PyYAML's safe loader reads it, dates included: it accepts more, and its error
    messages are better.
    """
    return cached_read("yaml-text-dates", source, _read_yaml_text_dates, weight_of)


def _read_yaml_text_dates(source: Source, limits: Limits) -> Document:
    from lamina.sources.yaml.reader import read_one
    from lamina.sources.yaml.scalars import PYYAML_TEXT_DATES

    try:
        return read_one(source, PYYAML_TEXT_DATES, "c", limits)
    except InputError as error:
        if error.diagnostic.code != "invalid-yaml":
            raise
        return read_one(source, limits=limits)


def yaml_documents(source: Source) -> list[Document]:
    """All YAML documents of a source, read as PyYAML's safe loader reads them with libyaml."""
    return cached_read("yaml-all", source, _read_all_yaml, _weight_of_all)


def _read_all_yaml(source: Source, limits: Limits) -> list[Document]:
    from lamina.sources.yaml.reader import read

    return read(source, loader="c", limits=limits)


def caseless_document(source: Source) -> Document:
    """The first document of a YAML or JSON source as PowerShell reads it, with keys that compare without case."""
    return cached_read("caseless yaml", source, _read_caseless_yaml, weight_of)


def _read_caseless_yaml(source: Source, limits: Limits) -> Document:
    from lamina.sources.powershell.case_insensitive import SPELLINGS
    from lamina.sources.yaml.reader import read_plain
    from lamina.sources.yaml.scalars import YAMLDOTNET

    documents = read_plain(source, YAMLDOTNET, SPELLINGS, limits)
    return documents[0] if documents else _parse_caseless_yaml(source, limits)


def _parse_caseless_yaml(source: Source, limits: Limits) -> Document:
    from lamina.origins import PositionMap
    from lamina.sources.powershell.case_insensitive_document import without_case
    from lamina.sources.yaml.columns import check_columns
    from lamina.sources.yaml.reader import read_parsed
    from lamina.sources.yaml.scalars import YAMLDOTNET

    source = _with_joined_surrogates(source)
    documents = read_parsed(source, YAMLDOTNET, "c", limits)
    check_columns(source)
    if documents:
        return without_case(documents[0])
    positions = PositionMap(source.locate)
    positions.add(0, 0)
    return Document(None, positions)


def _with_joined_surrogates(source: Source) -> Source:
    """The source with escaped surrogate pairs, which JSON writes and libyaml rejects, as one escaped character."""
    if b"\\ud" not in source.data and b"\\uD" not in source.data:
        return source
    import re

    from lamina.sources.source import Source

    def joined(match: re.Match[bytes]) -> bytes:
        if not match[1]:
            return match[0]
        code = 0x10000 + ((int(match[1], 16) - 0xD800) << 10) + (int(match[2], 16) - 0xDC00)
        return b"\\U%08x" % code

    pair = rb"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\[^u]"
    return Source(source.name, re.sub(pair, joined, source.data, flags=re.DOTALL))


def caseless_psd1(source: Source) -> Document:
    """A PowerShell data file, with keys that compare without case."""
    return cached_read("psd1", source, _read_psd1, weight_of)


def _read_psd1(source: Source, limits: Limits) -> Document:
    from lamina.sources.powershell.case_insensitive_document import without_case
    from lamina.sources.powershell.psd1_reader import read

    return without_case(read(source, limits))


def decode(source: Source) -> str:
    """The start of a source as text, undecodable bytes replaced."""
    return source.data[:4096].decode("utf-8", "replace")
