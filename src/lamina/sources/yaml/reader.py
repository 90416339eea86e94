"""Reading YAML: values equal to PyYAML's, with the position of every node.

Text in the plain style is read line by line by the C extension (`fast_reader`). Everything else (unusual tags,
recursive aliases, every error, and all text where there is no extension) is read by `pyyaml_reader`, which is loaded
only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from lamina.origins import PositionMap
from lamina.sources.document import Document
from lamina.sources.limits import LIMITS, Limits
from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.scalars import PYYAML, ScalarTable

if TYPE_CHECKING:
    from lamina.sources.source import Source

Loader = Literal["pure", "c"]


def read(
    source: Source, table: ScalarTable = PYYAML, loader: Loader = "pure", limits: Limits = LIMITS
) -> list[Document]:
    """All documents of the stream, as `yaml.safe_load_all` gives them (`c`: as with CSafeLoader)."""
    return _read(source, table, loader == "pure", limits, single=False)


def read_one(source: Source, table: ScalarTable = PYYAML, loader: Loader = "pure", limits: Limits = LIMITS) -> Document:
    """The one document of the stream; null when there is none; a second one is rejected, as `yaml.safe_load` does."""
    documents = _read(source, table, loader == "pure", limits, single=True)
    if documents:
        return documents[0]
    positions = PositionMap(source.locate)
    positions.add(0, 0)
    return Document(None, positions)


def _read(source: Source, table: ScalarTable, pure: bool, limits: Limits, single: bool) -> list[Document]:
    limits.check_size(source)
    only_thorough = table.merged_repeats and b"<<" in source.data  # which alone knows what was merged
    if limits.digits >= LIMITS.digits and not only_thorough:
        plain = read_lines(source, table, limits)
        if plain is not None and not (single and len(plain) > 1):
            return plain
    from lamina.sources.yaml.pyyaml_reader import FastParser, PureParser, read_nodes

    return read_nodes(source, table, PureParser if pure else FastParser, limits, single)
