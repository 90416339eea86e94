"""Does this look like an environment file?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lamina.dialects.heat.sections import DATA, SHIPPED_STRATEGIES, SPEC_STRATEGIES
from lamina.sources import document_cache

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

_JINJA = ".j2.yaml"
_OWN = frozenset((*DATA, SHIPPED_STRATEGIES, SPEC_STRATEGIES))
_KEY = re.compile(r"""^["']?([A-Za-z_]+)["']?[ \t]*:(?:\s|$)""", re.MULTILINE)
_KEYS = 20
"""How many keys of a file are compared with the names of sections."""
_FLOW_KEY = re.compile(r"""\s*\{\s*["']?([A-Za-z_]+)["']?\s*:""")


def detect(inputs: Inputs) -> bool:
    """Whether any input begins with sections of an environment and nothing else, or is what one is generated from."""
    return any(
        source.name.endswith(_JINJA) or is_environment(document_cache.decode(source)) for source in inputs.sources
    )


def is_environment(text: str) -> bool:
    first = _FLOW_KEY.match(text)
    if first:
        return first[1] in _OWN
    keys = set(_KEY.findall(text))
    return bool(keys & _OWN) and keys <= _OWN


def resembles_environment(inputs: Inputs) -> bool:
    """Whether a file has a key that is the name of a section or almost one, if not nothing else."""
    from lamina._support import suggestions

    texts = (document_cache.decode(source) for source in inputs.sources)
    keys = (key for text in texts for key in _KEY.findall(text)[:_KEYS])
    return any("_" in key and suggestions.nearest(key, _OWN) is not None for key in keys)
