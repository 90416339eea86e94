"""The fleet of a hierarchy: one node per node file.

The files are only listed here; a worker reads the one it renders. A node has the name of its file, or its path below
the nodes where several files have one name; nodes in one folder are rendered together.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lamina.dialects.datum.hierarchy import Hierarchy, is_template, node_files
from lamina.dialects.datum.nodes import data_stores, list_nodes
from lamina.dialects.datum.tree import NODES_STORE, WITHOUT_NODES, YAML_ENDINGS
from lamina.protocol.extensions import Fleet, FleetNode
from lamina.sources.caseless_keys import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.options import DatumOptions
    from lamina.dialects.datum.tree import File
    from lamina.run import Run
    from lamina.sources.inputs import Inputs

ENDINGS = (*YAML_ENDINGS, ".psd1")
"""The extensions of files that can be a node."""


def _is_node(file: File, run: Run) -> bool:
    """Whether a file is a node; a file AllNodes is read to check, since it may have settings for all nodes."""
    if folded(str(file.key)) != folded(NODES_STORE) or (node := file.node(run)) is None:
        return True
    return not is_template(node)


def fleet(inputs: Inputs, options: DatumOptions) -> Iterator[FleetNode]:
    """The nodes of a hierarchy."""
    definition = Hierarchy(inputs, options).definition
    found = [(path, file) for path, file in node_files(definition) if file.name.lower().endswith(ENDINGS)]
    paths = [path for path, file in found if _is_node(file, inputs.run)]
    names = Counter(folded(path.rpartition("/")[2]) for path in paths)
    for path in paths:
        folder, _, name = path.rpartition("/")
        wanted = name if names[folded(name)] == 1 else path
        yield FleetNode(name=wanted, options={"node": wanted}, prefix=(folder,))


FLEET = Fleet(nodes=fleet, layers=list_nodes, stores=data_stores, without_nodes=WITHOUT_NODES)
