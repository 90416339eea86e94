"""Are these plain files that Lamina's own rules are for?"""

from __future__ import annotations

import re
from posixpath import basename, dirname, join
from typing import TYPE_CHECKING, Final

from lamina.errors import InputError

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

HIERARCHY_FILES: Final = ("layers.yaml", "layers.yml", "layers.toml", "layers.json")
"""The file of a folder that says which layers its nodes have."""
_ENDINGS = (".yaml", ".yml", ".json", ".toml")
_MAPPING = re.compile(rb"""(?:\s|---[^\n]*\n)*(?:\{|\[|["']?[\w./-][^\n:=]*["']?\s*[:=])""")
"""How a mapping begins: a key with a colon or an equals sign, a brace, or the header of a table."""
_EMPTY_LINE = re.compile(rb"\s*#|(?:---|\.\.\.)\s*(?:#|\Z)|%YAML\s")
_HEAD_BYTES = 4096
_COMPOSE = re.compile(r"(?:docker-)?compose(?:[-._][^/]*)?\.ya?ml")
_VALUES = re.compile(r"values(?:[-._][^/]*)?\.ya?ml|[^/]+[-._]values\.ya?ml")


def detect(inputs: Inputs) -> bool:
    """Whether a folder has a hierarchy."""
    return any(name in HIERARCHY_FILES for folder in inputs.folders for name in folder.files.names())


def is_plain(inputs: Inputs) -> bool:
    """Whether the inputs are two or more files that look like mappings; asked if no dialect claims them."""
    sources = inputs.sources
    if len(sources) < len(inputs.items) or (len(sources) < 2 and preset_by_name(inputs) is None):
        return False
    if not all(source.name.lower().endswith(_ENDINGS) for source in sources):
        return False
    # A layer that holds nothing, or nothing but comments, is one too, as long as another one holds something.
    heads = [_without_comments(source.data[:_HEAD_BYTES]) for source in sources]
    return any(heads) and all(not head or _MAPPING.match(head) for head in heads)


def preset_by_name(inputs: Inputs) -> str | None:
    """The preset of the tool that the first file is for, as it is called: a Compose file, the values of a chart."""
    if not inputs.sources:
        return None
    name = inputs.sources[0].name
    if _COMPOSE.fullmatch(basename(name)):
        return "docker-compose"
    return "helm-values" if _VALUES.fullmatch(basename(name)) and _is_in_chart(inputs, name) else None


def _is_in_chart(inputs: Inputs, name: str) -> bool:
    """Whether a file is beside a Chart.yaml."""
    beside = "Chart.yaml" if name in inputs.own else join(dirname(name), "Chart.yaml")
    try:
        return inputs.files_of(name).read(beside) is not None
    except InputError:  # a link that leads elsewhere
        return False


def _without_comments(head: bytes) -> bytes:
    """The lines that hold something: no comments, and no marks between documents."""
    return b"\n".join(line for line in head.splitlines() if not _EMPTY_LINE.match(line)).strip()
