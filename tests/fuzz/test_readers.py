"""Whatever bytes come in, a reader gives a document or an InputError, and what it gives can be written."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from lamina.dialects.datum.powershell_data import psd1_reader
from lamina.dialects.datum.powershell_data.documents import caseless_document
from lamina.errors import InputError, LaminaError
from lamina.run import Run
from lamina.sources import document_cache
from lamina.sources.json import writer as json_writer
from lamina.sources.source import Source
from lamina.sources.yaml import writer as yaml_writer
from support.mutations import any_text, fuzzing

if TYPE_CHECKING:
    from collections.abc import Callable

READERS: dict[str, Callable[[Source], Any]] = {
    "yaml": lambda source: document_cache.yaml_document(source, Run()),
    "yaml, dates as text": lambda source: document_cache.yaml_document_text_dates(source, Run()),
    "yaml, all documents": lambda source: document_cache.yaml_documents(source, Run()),
    "json": lambda source: document_cache.json_document(source, Run()),
    "keys without case": lambda source: caseless_document(source, Run()),
    "psd1": psd1_reader.read,
}


@pytest.mark.parametrize("reader", READERS)
@given(data=any_text)
@fuzzing
def test_a_reader_gives_a_document_or_says_why_not(reader: str, data: bytes) -> None:
    try:
        found = READERS[reader](Source("input", data))
    except InputError as error:
        assert all(finding.code and finding.message for finding in error.diagnostics)
        return
    for document in found if isinstance(found, list) else [found]:
        assert len(document.positions.lines) == len(document.positions.columns)
        if reader == "keys without case":
            continue
        with contextlib.suppress(LaminaError):
            yaml_writer.dump(document.value)
        with contextlib.suppress(LaminaError):
            json_writer.dump(document.value)
