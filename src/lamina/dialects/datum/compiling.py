"""From inputs to a plan: a lookup in plain layers, or in a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.entries import entries_of, plain_node, split
from lamina.dialects.datum.lookup import Hit, Lookup
from lamina.dialects.datum.options import NOT_GIVEN
from lamina.dialects.datum.equality import truth
from lamina.dialects.datum.members import member_at
from lamina.errors import Diagnostic, InputError, UsageError
from lamina.merge.nodes import Blank, Written
from lamina.merge.policy import Policy, Table
from lamina.merge.whole import TAKE
from lamina.plan import Directive, Output, Put, Refuse, Stage, Take
from lamina.sources import reading
from lamina import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.datum.options import DatumOptions
    from lamina.inputs import Inputs
    from lamina.plan import Compiler


def compile_inputs(inputs: Inputs, options: DatumOptions) -> Compiler:
    """The plan for the inputs."""
    yield from _layers(inputs, options)


def _layers(inputs: Inputs, options: DatumOptions) -> Compiler:
    if options.lookup is None:
        raise UsageError(Diagnostic(code="lookup-needed", message="plain layers need a path to look up", hint="--lookup PATH"))
    names = options.layers or [source.name for source in inputs.sources]
    entries = entries_of(
        plain_node(options.lookup_options), plain_node(options.default_lookup_options), documented=options.documented
    )
    path = split(options.lookup)
    lookup = Lookup(path, tuple(_hits(inputs, names, path)), entries)
    output = finished(lookup.output(), options)
    yield Stage(title="lookup", outputs=(output,), notes=(*entries.notes, *lookup.notes()))


def _hits(inputs: Inputs, names: Iterable[str], path: tuple[str, ...]) -> Iterable[Hit]:
    for name in names:
        source = inputs.files.read(name) or next((item for item in inputs.sources if item.name == name), None)
        if source is None:
            raise InputError(Diagnostic(code="missing-file", message=f"there is no layer {name}"))
        document = reading.caseless_document(source)
        node = member_at(Written(document.value, (), document.tape, 0, name), path)
        if node is not None and node.value is not None:
            yield Hit(node, name)


def finished(output: Output, options: DatumOptions) -> Output:
    """The output of a strict lookup: its default where nothing is found, or the refusal."""
    if options.api != "lookup":
        return output
    folded = fold.fold_output(output, {})
    if folded.failed or truth(folded.value):
        return output
    default = options.default
    if default is not NOT_GIVEN and (truth(default) or default is None):
        step = Put(
            directive=Directive("the default of the lookup"),
            take=Take(source=Blank(default, ())),
            policy=Policy(Table.everywhere(TAKE)),
        )
        return Output(name=output.name, steps=(*output.steps, step))
    if folded.value is not None:
        return output
    finding = Diagnostic(
        code="null-lookup",
        message=f"the lookup of {output.name} gave Null, which is not allowed without a default",
        hint="check the path and the layers, or give a default",
    )
    return Output(name=output.name, steps=(*output.steps, Refuse(directive=Directive("a strict lookup"), finding=finding)))
