"""Nodes: one that is asked for by name, and all of them, of which each can fail alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lamina.engine.node import LiteralNode
from lamina.engine.operators.whole import TAKE
from lamina.engine.plan import Directive, Fail, From, Merge, Output, OutputRef, Stage, Start
from lamina.engine.policy import Cases, Policy
from lamina.errors import LaminaError, MergeError, Message, UsageError
from lamina.plugin.toolkit import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence

    from lamina.engine.plan import Compiler, Results, ResultSpec, Step
    from lamina.errors import Diagnostic, Note

Found = TypeVar("Found")

_NO_SUCH_NODE = Message("no-such-node", "there is no node {node}{why}", "{hint}")


class NodeCompilation(NamedTuple):
    """What renders one node among all: its name, its key in the table, its stages, and which output of them it is."""

    name: str
    key: Hashable
    stages: Compiler
    output: str


def node_named(name: str, nodes: Mapping[str, Found]) -> Found:
    """The node of a name; an error, with the most similar name, if there is none."""
    if name not in nodes:
        raise no_such_node(name, nodes)
    return nodes[name]


def no_such_node(name: str, known: Iterable[str], why: str = "", hint: str | None = None) -> UsageError:
    """The error for a node that is not there; `why` follows the sentence."""
    return UsageError(_NO_SUCH_NODE.at(None, node=name, why=why, hint=hint or did_you_mean(name, known)))


def failed_output(
    name: str, findings: Sequence[Diagnostic], by: str, *, subject: str | None = None, hidden: bool = False
) -> Output:
    """The output of something that cannot be rendered, such as a node whose layers cannot be found."""
    first, *others = findings
    step = Fail(directive=Directive(by), finding=first, others=tuple(others), subject=subject or name)
    return Output(name=name, steps=(step,), hidden=hidden)


def table_of_nodes(nodes: Iterable[NodeCompilation], notes: Sequence[Note] = (), facts: Any = None) -> Compiler:
    """The stages of each node, and of all of them in a table by name.

    A node that cannot be rendered is an output that fails, and does not stop the others; if none can be rendered, that
    is an error.
    """
    steps: list[Step] = [Start(directive=Directive("initial empty value"), take=From(source=LiteralNode({}, ())))]
    failed: dict[Diagnostic, None] = {}
    for node in nodes:
        results = yield from _alone(node)
        if node.output not in results or results[node.output].failed:
            failed.update((fault, None) for each in results.values() for fault in each.faults)
        else:
            steps.append(_row(node))
    if failed and len(steps) == 1:
        raise MergeError.of([*failed])
    output = Output(name="all nodes", steps=tuple(steps))
    yield Stage(title="all nodes", outputs=(output,), notes=tuple(notes), facts=facts)


def _row(node: NodeCompilation) -> Merge:
    """The step that puts the result of a node into the table."""
    return Merge(
        directive=Directive(f"node {node.name}"),
        take=From(source=OutputRef(node.output)),
        policy=_TAKEN,
        path=(node.key,),
        create=True,
        subject=node.name,
    )


_TAKEN = Policy(Cases.everywhere(TAKE))


def _alone(node: NodeCompilation) -> Generator[Stage | ResultSpec, Results, Results]:
    """Compile a node; what stops it stops no other."""
    results: Results = {}
    try:
        stage = next(node.stages)
        while True:
            results = yield stage
            stage = node.stages.send(results)
    except StopIteration:
        return results
    except LaminaError as error:
        findings = [replace(each, subject=node.name) for each in error.diagnostics]
        failed = failed_output(node.output, findings, f"node {node.name}", subject=node.name, hidden=True)
        return (yield Stage(title=node.name, outputs=(failed,)))
