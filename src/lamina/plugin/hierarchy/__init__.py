"""For systems with a hierarchy: levels that lead to files, nodes that see them, and each node by itself."""

from __future__ import annotations

from lamina.plugin.hierarchy.found_folders import targets_of
from lamina.plugin.hierarchy.inherited import inherited
from lamina.plugin.hierarchy.knockouts import offer_knockouts
from lamina.plugin.hierarchy.levels import Level, NamedNode, ResolvedLevel, layers_of_nodes
from lamina.plugin.hierarchy.lookups import Hit, Lookup, first_of, looked_up
from lamina.plugin.hierarchy.node_system import (
    NodeOptions,
    NodeSystem,
    compiler_of,
    fleet_of,
    node_dialect,
    whole_scope,
)
from lamina.plugin.hierarchy.nodes import (
    NodeCompilation,
    failed_output,
    no_such_node,
    node_named,
    table_of_nodes,
)
from lamina.plugin.hierarchy.tree import Tree, tree_of, within

__all__ = [
    "Hit",
    "Level",
    "Lookup",
    "NamedNode",
    "NodeCompilation",
    "NodeOptions",
    "NodeSystem",
    "ResolvedLevel",
    "Tree",
    "compiler_of",
    "failed_output",
    "first_of",
    "fleet_of",
    "inherited",
    "layers_of_nodes",
    "looked_up",
    "no_such_node",
    "node_dialect",
    "node_named",
    "offer_knockouts",
    "table_of_nodes",
    "targets_of",
    "tree_of",
    "whole_scope",
    "within",
]
