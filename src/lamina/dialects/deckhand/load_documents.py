"""Loading documents: from files, folders and standard input.

Each file is read on its own; empty documents are dropped. In a folder only files that are named as YAML are looked at.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lamina.dialects.deckhand import messages
from lamina.dialects.deckhand.document import SiteDocument, of
from lamina.errors import LaminaError
from lamina.plugin import Diagnostic, InputError, MergeError, Source, word_for
from lamina.plugin.formats import Folder
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.plugin import Inputs
    from lamina.sources.document import Document as Read

ENDINGS = (".yaml", ".yml", ".json")
_BATCH = 32
"""How many files are looked up together; one that changed has all of its batch looked up one by one."""


def sources(inputs: Inputs) -> Iterator[Source]:
    """All files of the inputs, in order, those of a folder sorted by name."""
    for read in readers(inputs):
        if (source := read()) is not None:
            yield source


def readers(inputs: Inputs) -> Iterator[Callable[[], Source | None]]:
    """What reads each of these files; None for one that is no longer there."""
    for item in inputs.items:
        if isinstance(item, Source):
            yield partial(_itself, item)
        if not isinstance(item, Folder):
            continue
        for name in item.files.names():
            hidden = name.startswith(".") or "/." in name
            if name.endswith(ENDINGS) and not hidden:
                yield partial(item.files.read, name)


def _itself(source: Source) -> Source:
    return source


def documents(inputs: Inputs) -> list[SiteDocument]:
    """All documents of the inputs, in order; if any cannot be read, all errors are raised at once."""
    found: dict[int, SiteDocument] = {}
    errors: list[Diagnostic] = []
    kinds: set[type[LaminaError]] = set()
    for source, read in _read(inputs):
        if isinstance(read, InputError):
            errors.extend(read.diagnostics)
            kinds.add(InputError)
            continue
        for document in read:
            if isinstance(document.value, dict):
                site_document = document.derived.find(SiteDocument)
                if site_document is None:
                    site_document = document.derived.keep(SiteDocument, of(document, source))
                if id(site_document) in found:  # a file that is given twice has its documents twice
                    site_document = of(document, source)
                found[id(site_document)] = site_document
            elif document.value is not None:
                errors.append(messages.DOCUMENT_NOT_A_MAPPING.at(document.origin, found=word_for(document.value)))
    if errors:
        raise (InputError if InputError in kinds else MergeError).of(errors)
    return list(found.values())


def _read(inputs: Inputs) -> Iterator[tuple[Source, list[Read] | InputError]]:
    """All files of the inputs with their documents, or with the error of reading them."""
    for batch in _batches(sources(inputs)):
        known = document_cache.known_yaml_documents(batch, inputs.run)
        if known is not None:
            yield from zip(batch, known, strict=True)
            continue
        for source in batch:
            try:
                yield source, document_cache.yaml_documents(source, inputs.run)
            except InputError as error:
                yield source, error


def _batches(found: Iterator[Source]) -> Iterator[list[Source]]:
    """The files, some at a time: documents that were read before are found faster together."""
    batch: list[Source] = []
    try:
        for source in found:
            batch.append(source)
            if len(batch) == _BATCH:
                yield batch
                batch = []
    except LaminaError:  # of a file that cannot be opened: what is wrong with those before it is reported first
        yield batch
        raise
    yield batch
