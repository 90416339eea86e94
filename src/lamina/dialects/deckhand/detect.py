"""Does this look like Deckhand's documents?"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from lamina.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.sources.inputs import Inputs
    from lamina.sources.source import Source

_MARKS = re.compile(rb"metadata/(?:Document|Control)/v\d|^schema:\s*deckhand/", re.MULTILINE)
_MAX_FILES = 50
"""How many files are read."""


def detect(inputs: Inputs) -> bool:
    """Whether a file among the first has a document of Deckhand's in it."""
    from lamina.dialects.deckhand.load_documents import readers

    return any(map(_has_document, islice(readers(inputs), _MAX_FILES)))


def _has_document(read: Callable[[], Source | None]) -> bool:
    """Whether a file has a document in it; one that cannot be read is left to the system the inputs are for."""
    try:
        source = read()
    except InputError:
        return False
    return source is not None and _MARKS.search(source.data) is not None
