"""From inputs to a plan: a lookup in plain layers, a lookup in a tree, or the resultant set of one node or of all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lamina._support import suggestions
from lamina.dialects.datum import messages
from lamina.dialects.datum.datum_yml import plain
from lamina.dialects.datum.detect import detect
from lamina.dialects.datum.equality import truth
from lamina.dialects.datum.hierarchy import Hierarchy, node_name, node_of_data
from lamina.dialects.datum.lookup import DatumLookup, RankedHit
from lamina.dialects.datum.lookup_options import entries_of, joined, split
from lamina.dialects.datum.lookup_path import member_at, with_backslashes
from lamina.dialects.datum.options import NOT_GIVEN
from lamina.dialects.datum.rsop import resultant_set
from lamina.dialects.datum.tree import NODES_STORE, WITHOUT_NODES, read_document
from lamina.engine.node import LiteralNode, SourceNode
from lamina.engine.operators.whole import TAKE
from lamina.engine.plan import Directive, Fail, From, Merge, Output, ResultSpec, Stage, Start
from lamina.engine.policy import Cases, Policy
from lamina.errors import InputError, Reject, UsageError
from lamina.plugin import folded
from lamina.plugin.hierarchy import NodeCompilation, table_of_nodes
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.datum.hierarchy import NodeEntry, NodeView
    from lamina.dialects.datum.node_evaluator import OwnData
    from lamina.dialects.datum.options import DatumOptions
    from lamina.dialects.datum.tree import File
    from lamina.engine.node import Node
    from lamina.engine.plan import AnyStep, Compiler
    from lamina.errors import Note
    from lamina.run import Run
    from lamina.sources.inputs import Inputs

ONE = ResultSpec(noun="node", key_type=caseless, own_path=with_backslashes, secrets="hide")
TABLE = replace(ONE, shape="table", partial=True)


def compile_inputs(inputs: Inputs, options: DatumOptions) -> Compiler:
    """The plan for the inputs."""
    # The generator itself, not one around it: each stage of each node would pass through that.
    return _tree(inputs, options) if is_tree(inputs, options) else _layers(inputs, options)


def is_tree(inputs: Inputs, options: DatumOptions) -> bool:
    """Whether the inputs are a folder with a definition, not plain layers."""
    return options.tree if options.tree is not None else options.layers is None and _has_definition(inputs)


def _has_definition(inputs: Inputs) -> bool:
    return inputs.derived.once("has definition", lambda: detect(inputs))


def _layers(inputs: Inputs, options: DatumOptions) -> Compiler:
    yield TABLE if options.all_nodes else ONE
    if inputs.folders and not inputs.sources and not options.layers:
        raise InputError(messages.NOTHING_FOUND.at(folders=", ".join(folder.name for folder in inputs.folders)))
    if options.lookup is None:
        raise UsageError(messages.LOOKUP_REQUIRED.at())
    names = options.layers or [source.name for source in inputs.sources]
    entries = entries_of(
        LiteralNode(options.lookup_options, ()),
        LiteralNode(options.default_lookup_options, ()),
        documented=options.documented,
    )
    path = entries.lookup_of(options.lookup)
    lookup = DatumLookup(path, tuple(_hits(inputs, names, path.names)), entries, inputs.run)
    output = finished(lookup.output(), options, inputs.run)
    yield Stage(title="lookup", outputs=(output,), notes=(*entries.notes, *lookup.notes()))


def _hits(inputs: Inputs, names: Iterable[str], path: tuple[str, ...]) -> Iterable[RankedHit]:
    for rank, name in enumerate(names):
        source = next((item for item in inputs.sources if item.name == name), None) or inputs.files_of(name).read(name)
        if source is None:
            raise InputError(messages.UNKNOWN_LAYER.at(name=name))
        document = read_document(source, inputs.run)
        node = member_at(SourceNode(document.value, (), document.positions, 0, name), path)
        if node is not None and node.value is not None:
            yield RankedHit(node, name, rank)


def _outcome(output: Output, run: Run) -> Node | None:
    """What an output comes to; None if it fails, which its own fold says."""
    try:
        return folded(output.name, *output.steps, run=run)
    except Reject:
        return None


def finished(output: Output, options: DatumOptions, run: Run) -> Output:
    """The output of a strict lookup: its default where nothing is found, or the rejection."""
    if options.api != "lookup":
        return output
    node = _outcome(output, run)
    if node is None or truth(node.value):
        return output
    step = _default_step(options, found=node.value is not None, path=output.name)
    return output if step is None else Output(name=output.name, steps=(*output.steps, step))


def _default_step(options: DatumOptions, *, found: bool, path: str) -> AnyStep | None:
    default = plain(options.default)
    if default is not NOT_GIVEN and (truth(default) or default is None):
        return Merge(
            directive=Directive("the default of the lookup"),
            take=From(source=LiteralNode(default, ())),
            policy=Policy(Cases.everywhere(TAKE)),
        )
    if found:
        return None
    return Fail(directive=Directive("a strict lookup"), finding=messages.NULL_LOOKUP.at(subject=path))


def _tree(inputs: Inputs, options: DatumOptions) -> Compiler:
    yield TABLE if options.all_nodes else ONE
    hierarchy = Hierarchy(inputs, options)
    first = hierarchy.first_stage
    if options.all_nodes:
        yield from _all_nodes(hierarchy, options, first)
        return
    own = wanted_node(hierarchy, options)
    yield first
    view = hierarchy.view(own)
    if options.lookup is None or options.rsop:
        if own is None:
            raise UsageError(messages.NODE_REQUIRED.at())
        title = options.node if isinstance(options.node, str) else node_name(own.node) or ""
        yield from resultant_set(view, title, strict=options.rsop)
        return
    lookup = view.lookup(options.lookup)
    *before, output = evaluated(lookup, lookup.output(), view)
    outputs = (*before, finished(output, options, inputs.run))
    notes: tuple[Note, ...] = () if lookup.hits or options.api == "lookup" else (_not_found_note(view, lookup),)
    yield Stage(title="lookup", outputs=outputs, notes=(*notes, *lookup.notes(), *view.notes()))


def evaluated(lookup: DatumLookup, output: Output, view: NodeView) -> tuple[Output, ...]:
    """The output of a lookup; if scripts are left in it, two: as merged, and evaluated as in a resultant set."""
    if lookup.literal or not lookup.hits:
        return (output,)
    outcome = _outcome(output, view.hierarchy.inputs.run)
    node = None if outcome is None else view.evaluator.evaluated(outcome)
    if node is None or node is outcome:
        return (output,)
    merged = Output(name=f"{output.name} as merged", steps=output.steps, hidden=True)
    start = Start(directive=Directive("the value handlers"), take=From(source=node), verb="computed")
    return merged, Output(name=output.name, steps=(start,), hidden=output.hidden)


def _not_found_note(view: NodeView, lookup: DatumLookup) -> Note:
    *parents, last = lookup.names
    near = suggestions.nearest(last, view.names_at(tuple(parents)))
    hint = f"did you mean {joined((*parents, near))}?" if near else "lamina targets shows the layers of each node"
    return messages.LOOKUP_NOT_FOUND.at(subject=lookup.path, hint=hint)


def wanted_node(hierarchy: Hierarchy, options: DatumOptions) -> OwnData | None:
    """The data of the node that the options name or contain."""
    if options.node is None:
        return None
    return hierarchy.find_node(options.node) if isinstance(options.node, str) else node_of_data(options.node)


def _one_of_all(hierarchy: Hierarchy, entry: NodeEntry, options: DatumOptions, output: str) -> Compiler:
    """The stages of one node among all."""
    view = hierarchy.view(entry.own)
    if options.lookup is None:
        yield from resultant_set(view, entry.name, hidden=True)
        return
    lookup = view.lookup(options.lookup)
    outputs = evaluated(lookup, lookup.output().renamed(output, hidden=True), view)
    yield Stage(title=entry.name, outputs=outputs, notes=(*lookup.notes(), *view.notes()))


def _unreadable(file: File) -> Compiler:
    """The stages of a node whose file cannot be read: it is rejected."""
    file.check_readable()
    yield from ()


def _all_nodes(hierarchy: Hierarchy, options: DatumOptions, first: Stage) -> Compiler:
    """Every node, or one lookup for every node, in a table by name."""
    yield replace(first, notes=(*first.notes, *hierarchy.same_names()))
    path = None if options.lookup is None else joined(split(options.lookup))
    nodes = [_compilation(hierarchy, entry, options, path) for entry in hierarchy.nodes()]
    for name, file in hierarchy.unreadable_nodes():
        nodes.append(NodeCompilation(name, caseless(name), _unreadable(file), name))
    at = hierarchy.definition.node.origin()
    notes = () if nodes else (messages.NO_NODES.at(at, store=NODES_STORE, hint=WITHOUT_NODES),)
    yield from table_of_nodes(nodes, notes)


def _compilation(hierarchy: Hierarchy, entry: NodeEntry, options: DatumOptions, path: str | None) -> NodeCompilation:
    output = entry.name if path is None else f"{entry.name}: {path}"
    stages = _one_of_all(hierarchy, entry, options, output)
    return NodeCompilation(entry.name, caseless(entry.name), stages, output)
