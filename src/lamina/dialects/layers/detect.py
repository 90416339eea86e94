"""Are these plain files that Lamina's own rules are for?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

HIERARCHY_FILES: Final = ("layers.yaml", "layers.yml", "layers.toml", "layers.json")
"""The file of a folder that says which layers its nodes have."""
_ENDINGS = (".yaml", ".yml", ".json", ".toml")
_MAPPING = re.compile(rb"""(?:\s|#[^\n]*\n|---[^\n]*\n|%YAML[^\n]*\n)*(?:\{|\[|["']?[\w./-][^\n:=]*["']?\s*[:=])""")
"""How a mapping begins: a key with a colon or an equals sign, a brace, or the header of a table."""
_HEAD_BYTES = 4096


def detect(inputs: Inputs) -> bool:
    """Whether a folder has a hierarchy."""
    return any(name in HIERARCHY_FILES for folder in inputs.folders for name in folder.files.names())


def is_plain(inputs: Inputs) -> bool:
    """Whether the inputs are two or more files that look like mappings; asked if no dialect claims them."""
    sources = inputs.sources
    if len(sources) < 2 or len(sources) < len(inputs.items):
        return False
    if not all(source.name.lower().endswith(_ENDINGS) for source in sources):
        return False
    # A layer that holds nothing, or nothing but comments, is one too, as long as another one holds something.
    heads = [_without_comments(source.data[:_HEAD_BYTES]) for source in sources]
    return any(heads) and all(not head or _MAPPING.match(head) for head in heads)


def _without_comments(head: bytes) -> bytes:
    return b"\n".join(line for line in head.splitlines() if not line.lstrip().startswith(b"#")).strip()
