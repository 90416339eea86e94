"""Nodes and their facts: one YAML or JSON file a node, as Puppet writes them or as a plain mapping."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.exported_facts import FactsFile, exported_facts, with_given
from lamina.dialects.hiera.named_nodes import NodeByName, nodes_of_levels
from lamina.dialects.hiera.variables import Variables, trusted_of, without_nulls
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.dialects.hiera.options import HieraOptions
    from lamina.plugin import formats as lpf

FOLDER: Final = "facts"
ENDINGS: Final = (".json", ".yaml", ".yml")
"""In the order in which a later file of a node replaces an earlier one."""


def node_files(inputs: lp.Inputs, options: HieraOptions) -> Mapping[str, FactsFile]:
    """The nodes that have a file of facts, by name."""
    key = ("hiera nodes", options.facts if isinstance(options.facts, str) else None)
    return inputs.derived.once(key, lambda: _node_files(inputs, options))


def node_names(inputs: lp.Inputs, options: HieraOptions) -> Iterable[str]:
    """The nodes: those with facts; without any facts at all, those whose names levels have."""
    return node_files(inputs, options) or named_nodes(inputs, options)


def named_nodes(inputs: lp.Inputs, options: HieraOptions) -> Mapping[str, NodeByName]:
    """The nodes that levels have a file for, if there are no facts of any node."""
    if options.facts is not None or node_files(inputs, options):
        return {}
    key = ("hiera named nodes", options.environment, options.hiera_config, options.map_path)
    return inputs.derived.once(key, lambda: nodes_of_levels(inputs, options))


def _node_files(inputs: lp.Inputs, options: HieraOptions) -> Mapping[str, FactsFile]:
    if isinstance(options.facts, str) and is_one_file(options):
        return exported_facts(inputs, options.facts)
    if isinstance(options.facts, str):
        files: lpf.Files = inputs.files_for(f"{options.facts}/")
        names, read = list(files.names()), files.read
    elif options.facts is not None:
        return {}
    else:
        tree = lph.tree_of(inputs)
        names, read = list(tree.listing(FOLDER)), lambda name: tree.read(f"{FOLDER}/{name}")
    found: dict[str, FactsFile] = {}
    for name in names:
        stem, dot, ending = name.rpartition(".")
        if f"{dot}{ending}" in ENDINGS and "/" not in name:
            found[stem] = FactsFile(stem, lambda name=name: read(name))  # type: ignore[misc]
    return found


def _file_of(inputs: lp.Inputs, options: HieraOptions, node: str) -> FactsFile | None:
    """The file with the facts of one node; the others are not looked at."""
    if options.facts is not None:
        return node_files(inputs, options).get(node)
    tree = lph.tree_of(inputs)
    name = tree.with_ending(FOLDER, node, ENDINGS)
    return None if name is None else FactsFile(node, lambda: tree.read(f"{FOLDER}/{name}"))


def is_one_file(options: HieraOptions) -> bool:
    """Whether the facts are one file that the caller names."""
    return isinstance(options.facts, str) and not Path(options.facts).is_dir()


def variables_of(inputs: lp.Inputs, options: HieraOptions, node: str) -> Variables:
    """The variables of a node: from its file of facts, or as they are given."""
    variables = _variables_of(inputs, options, node)
    own = [each for each in options.fact if each.startswith("trusted.")]
    if own:
        trusted = with_given(variables.trusted.value, (each.removeprefix("trusted.") for each in own))
        variables.trusted = lp.LiteralNode(trusted, ())
    if len(own) < len(options.fact):
        before = variables.facts
        given = with_given(before.value, (each for each in options.fact if each not in own))
        variables.facts = lp.gathered(
            {
                key: before.child(key) if before.value.get(key) is value else lp.LiteralNode(value, (key,))
                for key, value in given.items()
            }
        )
    return variables


def _variables_of(inputs: lp.Inputs, options: HieraOptions, node: str) -> Variables:
    given = options.trusted or {}
    if options.facts is not None and not isinstance(options.facts, str):
        facts: lp.Node = lp.LiteralNode(without_nulls(options.facts), ())
        server_facts = options.facts.get("server_facts")
        server = lp.LiteralNode(server_facts if isinstance(server_facts, dict) else {}, ())
        return Variables(facts, lp.LiteralNode(trusted_of(node, given), ()), options.environment, server)
    if is_one_file(options):
        exported = node_files(inputs, options)
        if exported and node not in exported:
            raise lph.no_such_node(node, list(exported)[:20], f": {options.facts} has no facts of it")
        file = exported.get(node) or FactsFile(node, lambda: inputs.opened(options.facts)[0])
        return _variables(file.root(inputs.run), node, options)
    facts_file = _file_of(inputs, options, node)
    if facts_file is not None:
        return _variables(facts_file.root(inputs.run), node, options)
    if files := node_files(inputs, options):
        raise lph.no_such_node(node, list(files)[:20], ": it has no file of facts")
    named = named_nodes(inputs, options).get(node) or NodeByName.by_certname(node)
    trusted = lp.LiteralNode({**named.trusted, **given}, ())
    return Variables(lp.LiteralNode(named.facts, ()), trusted, options.environment, are_complete=False)


def _variables(root: lp.Node, node: str, options: HieraOptions) -> Variables:
    """Facts as they are stored: a mapping, or one with `name` and `values` around it; `trusted` and `server_facts` may
    be in either."""
    wrapped = isinstance(root.value.get("values"), dict) and "name" in root.value
    inner = root.child("values") if wrapped else root
    trusted: Any = inner.value.get("trusted", root.value.get("trusted"))
    given = {**(trusted if isinstance(trusted, dict) else {}), **(options.trusted or {})}
    all_trusted = trusted_of(node, given)
    trusted_node: lp.Node = lp.LiteralNode(all_trusted, ())
    if isinstance(trusted, dict):
        parts = {key: lp.LiteralNode(value, (key,)) for key, value in all_trusted.items()}
        own = _beside(inner, root, "trusted")
        written = {key: own.child(key) for key in trusted if key not in (options.trusted or {})}
        trusted_node = lp.gathered({**parts, **written})
    server_facts = _beside(inner, root, "server_facts")
    if not isinstance(server_facts.value, dict):
        server_facts = lp.LiteralNode({}, ())
    return Variables(_facts(inner), trusted_node, options.environment, server_facts)


def _beside(inner: lp.Node, root: lp.Node, name: str) -> lp.Node:
    """What a file of facts has beside the facts, or among them."""
    return (inner if name in inner.value else root).child(name)


def _facts(node: lp.Node) -> lp.Node:
    """The facts with nulls as empty texts; the places are those of what is written."""
    if not isinstance(node, lp.SourceNode):
        return lp.LiteralNode(without_nulls(node.value), node.path)
    return lp.SourceNode(without_nulls(node.value), node.path, node.positions, node.index, node.layer)
