"""Does this look like Deckhand's documents?"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

_MARKS = re.compile(rb"metadata/(?:Document|Control)/v\d|^schema:\s*deckhand/", re.MULTILINE)
_MAX_FILES = 50
"""How many files are read."""


def detect(inputs: Inputs) -> bool:
    """Whether a file among the first has a document of Deckhand's in it."""
    from lamina.dialects.deckhand.load_documents import sources

    return any(_MARKS.search(source.data) for source in islice(sources(inputs), _MAX_FILES))
