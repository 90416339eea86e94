"""Does this look like an environment file?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lamina.dialects.heat.sections import DATA, PARAMETERS, SHIPPED_STRATEGIES, SPEC_STRATEGIES
from lamina.sources import document_cache

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

_JINJA = ".j2.yaml"
_OWN = frozenset((*DATA, SHIPPED_STRATEGIES, SPEC_STRATEGIES))
_KEY = re.compile(r"""^["']?([A-Za-z_]+)["']?[ \t]*:(?:\s|$)""", re.MULTILINE)
_KEYS = 20
"""How many keys of a file are compared with the names of sections."""
_FLOW_KEY = re.compile(r"""\s*\{\s*["']?([A-Za-z_]+)["']?\s*:""")
_INNER_KEY = re.compile(r"""["']?\b([A-Za-z_]+)["']?[ \t]*:""")


def detect(inputs: Inputs) -> bool:
    """Whether any input begins with sections of an environment and nothing else, or is what one is generated from."""
    return any(
        source.name.endswith(_JINJA) or is_environment(document_cache.decode(source)) for source in inputs.sources
    )


def is_environment(text: str) -> bool:
    """Whether a file has nothing but sections of an environment, and one that is not `parameters`, as others have."""
    return bool(sections_in(text) - {PARAMETERS})


def sections_in(text: str) -> set[str]:
    """The sections of an environment in a file that has nothing else."""
    first = _FLOW_KEY.match(text)
    # Keys inside a flow mapping are not told from those of mappings in it.
    keys = {first[1], *(_OWN & set(_INNER_KEY.findall(text)))} if first else set(_KEY.findall(text))
    return keys if keys <= _OWN else set()


def resembles_environment(inputs: Inputs) -> bool:
    """Whether a file has a key that is the name of a section or almost one, if not nothing else."""
    from lamina._support import suggestions

    texts = (document_cache.decode(source) for source in inputs.sources)
    keys = (key for text in texts for key in _KEY.findall(text)[:_KEYS])
    return any("_" in key and suggestions.nearest(key, _OWN) is not None for key in keys)
