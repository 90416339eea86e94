"""Systems of nodes: what a dialect says of each node, and everything that follows from it.

A dialect whose folders hold nodes says which nodes there are and which steps make the value of one. One node or all of
them, nodes that fail alone, layers for `lamina targets`, and the nodes of a fleet are the same for every such system.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar

from lamina.engine.node import SourceNode
from lamina.engine.plan import Fail, Merge, Output, ResultSpec, Stage, Start
from lamina.errors import LaminaError, MergeError
from lamina.plugin.hierarchy.found_folders import targets_of
from lamina.plugin.hierarchy.levels import NamedNode, layers_of_nodes
from lamina.plugin.hierarchy.nodes import NodeCompilation, failed_output, node_named, table_of_nodes
from lamina.plugin.toolkit import notes_of
from lamina.protocol.dialect import Dialect, option
from lamina.protocol.extensions import Fleet, FleetNode, NodeLayer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lamina.engine.plan import AnyStep, Compiler
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.protocol.extensions import NodeLayers
    from lamina.sources.inputs import Inputs

Options = TypeVar("Options", bound="HasNode")


class HasNode(Protocol):
    """Options with which one node can be asked for."""

    @property
    def node(self) -> str | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOptions:
    """The options that every system of nodes has."""

    node: str | None = option(None, flag="--node", metavar="NAME", about="only this node")


class NodeSystem:
    """The nodes that some inputs have; a dialect makes a subclass of it."""

    noun: ClassVar[str] = "node"
    """The system's word for one of them."""

    def nodes(self) -> Mapping[str, Origin | None]:
        """All nodes, with where each is written; it should read as little as possible."""
        raise NotImplementedError

    def steps(self, name: str) -> Iterable[AnyStep]:
        """The steps that make the value of a node, as `start` and `merge` give them. Steps may be shared by nodes."""
        raise NotImplementedError

    def layers(self, name: str) -> Iterable[NodeLayer]:
        """What a node is merged from, for `lamina targets`: unless a dialect knows better, what its steps take."""
        found: dict[tuple[str, str], NodeLayer] = {}
        for step in self.steps(name):
            node = step.take.source if isinstance(step, (Start, Merge)) else None
            if isinstance(node, SourceNode):
                entry, origin = step.directive.text, node.origin()
                found.setdefault((entry, origin.source), NodeLayer(entry, entry, origin.source, origin))
        return found.values()

    def notes(self) -> Sequence[Note]:
        """What is worth saying besides what readers noticed, asked for once the steps of all nodes are known."""
        return ()

    def secrets(self) -> Literal["none", "show", "redact"]:
        """How secrets in the result are treated, asked for at the same time."""
        return "none"

    def named(self, name: str) -> str:
        """The node that the caller means; an error with the most similar name if there is none."""
        node_named(name, self.nodes())
        return name


def compiled(system: NodeSystem, node: str | None) -> Compiler:
    """The plan for one node, or for all of them in a table by name; one that fails does not stop the others."""
    if node is not None:
        name = system.named(node)
        steps = tuple(system.steps(name))
        yield ResultSpec(noun=system.noun, secrets=system.secrets())
        output = Output(name=name, steps=steps)
        yield Stage(title=name, outputs=(output,), notes=tuple(notes_of([output], system.notes())), facts=system)
        return
    # All steps first: only then it is known whether there are secrets, and what is to be said.
    outputs = [_output_of(system, name) for name in system.nodes()]
    _reject_if_all_fail(outputs)
    yield ResultSpec(shape="table", noun=system.noun, partial=True, secrets=system.secrets())
    yield from table_of_nodes(map(_compilation, outputs), tuple(notes_of(outputs, system.notes())), system)


def _reject_if_all_fail(outputs: Sequence[Output]) -> None:
    """Where no node can be rendered, the findings are those of all; one that several have belongs to none of them."""
    steps = [output.steps[0] for output in outputs]
    failed = [step for step in steps if isinstance(step, Fail)]
    if not failed or len(failed) < len(steps):
        return
    found: dict[Note, list[Note]] = {}
    for each in (finding for step in failed for finding in (step.finding, *step.others)):
        found.setdefault(replace(each, subject=None), []).append(each)
    raise MergeError.of([alike[0] if len(alike) == 1 else whole for whole, alike in found.items()])


def _output_of(system: NodeSystem, name: str) -> Output:
    try:
        return Output(name=name, steps=tuple(system.steps(name)), hidden=True)
    except LaminaError as error:
        findings = [replace(each, subject=each.subject or name) for each in error.diagnostics]
        return failed_output(name, findings, f"{system.noun} {name}", subject=name, hidden=True)


def _compilation(output: Output) -> NodeCompilation:
    def stages() -> Compiler:
        yield Stage(title=output.name, outputs=(output,))

    return NodeCompilation(output.name, output.name, stages(), output=output.name)


def compiler_of(system_of: Callable[[Inputs, Options], NodeSystem]) -> Callable[[Inputs, Options], Compiler]:
    """The `compile` of a dialect, from the function that makes its system of nodes."""

    def compile_inputs(inputs: Inputs, options: Options) -> Compiler:
        return compiled(system_of(inputs, options), options.node)

    return compile_inputs


def fleet_of(system_of: Callable[[Inputs, Options], NodeSystem]) -> Fleet:
    """The fleet of a dialect: its nodes, with the layers of each."""

    def nodes(inputs: Inputs, options: Options) -> Iterator[FleetNode]:
        yield from (FleetNode(name=name, options={"node": name}) for name in system_of(inputs, options).nodes())

    def layers(inputs: Inputs, options: Options) -> Iterable[NodeLayers]:
        system = system_of(inputs, options)
        named = (NamedNode(name, origin) for name, origin in system.nodes().items())
        return layers_of_nodes(named, lambda node: (system.layers(node.name), ()))

    return Fleet(nodes=nodes, layers=layers, of_whole_folder=True)


def whole_scope(options: Any) -> Any:
    """All nodes, unless one is asked for."""
    return options if options.node is None else None


def node_dialect(
    name: str,
    *,
    title: str,
    system_of: Callable[[Inputs, Any], NodeSystem],
    detect: Callable[[Inputs], bool] = lambda inputs: False,  # noqa: ARG005
    options: type[Any] = NodeOptions,
    known_by: str = "",
    extensions: Mapping[str, Any] | None = None,
) -> Dialect[Any]:
    """A dialect of nodes: `system_of` looks at the inputs and returns their nodes.

    `detect` says whether a folder is one of this system's; `lamina init` looks for such folders.
    """
    return Dialect(
        name=name,
        title=title,
        known_by=known_by,
        options=options,
        detect=detect,
        compile=compiler_of(system_of),
        extensions={
            "fleet": fleet_of(system_of),
            "scope": whole_scope,
            "targets": targets_of(detect, title),
            **(extensions or {}),
        },
    )
