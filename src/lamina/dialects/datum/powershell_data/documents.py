"""Documents as PowerShell reads them, each read at most once in a session."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lamina.sources.document_cache import cached_read, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.run import Run
    from lamina.sources.document import Document
    from lamina.sources.limits import Limits
    from lamina.sources.source import Source


def caseless_document(source: Source, run: Run) -> Document:
    """The first document of a YAML or JSON source as PowerShell reads it, with keys that compare without case."""
    return cached_read("caseless yaml", source, run, _yaml_reader(), weight_of)


@cache
def _yaml_reader() -> Callable[[Source, Limits], Document]:
    """The reader; importing it for each of many files takes longer than finding it here."""
    from lamina.dialects.datum.powershell_data.yaml_reader import read_yaml

    return read_yaml


def caseless_psd1(source: Source, run: Run) -> Document:
    """A PowerShell data file, with keys that compare without case."""
    return cached_read("psd1", source, run, _read_psd1, weight_of)


def _read_psd1(source: Source, limits: Limits) -> Document:
    from lamina.dialects.datum.powershell_data.caseless_document import without_case
    from lamina.dialects.datum.powershell_data.psd1_reader import read

    return without_case(read(source, limits))
