"""From inputs to a plan: one compiler a mode.

user-data     each input is a blob, handled one after the other; the parts of cloud-config are merged onto an empty
              mapping, the others are listed. No cloud-config part at all: no configuration. All dropped: an empty one.
merge         plain YAML values, folded from the left with one given rule; the first is the start
parse-merge   no input; the result is how the given rule is read
fold          metadata: the first source wins (the last with `reverse`), each source's own rule is obeyed, and a rule
              that cannot be used stops everything
confd         `cloud.cfg` and the files of its directory, see `layering`
layers        system configuration, vendor-data and user-data together, see `layering`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lamina.dialects.cloudinit import user_data
from lamina.dialects.cloudinit.mergers import LAYER_DEFAULT, policy_of
from lamina.dialects.cloudinit.merging import merge_step
from lamina.dialects.cloudinit.rule import BadRule, Rule, parse_body, parse_text
from lamina.dialects.cloudinit.strictness import strictly
from lamina.dialects.cloudinit.user_data import OUTPUT, start
from lamina.errors import Diagnostic, MergeError, UsageError
from lamina.merge.nodes import Written
from lamina.plans import Directive, OnFault, Output, Stage, Start, Take
from lamina.sources import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.inputs import Inputs
    from lamina.plans import AnyStep, Compiler

Given = TypeVar("Given")
Made = TypeVar("Made")


def compile_inputs(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    """The plan for the inputs, in the mode asked for; a folder is always one of layers."""
    mode = "layers" if options.layers or (inputs.folders and options.mode == "user-data") else options.mode
    compiler = MODES[mode](inputs, options)
    yield from strictly(compiler) if options.strict else compiler


def _merge(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    rule = _given_rule(options) or LAYER_DEFAULT
    policy = _usable(policy_of, rule)
    steps: list[AnyStep] = []
    for source in inputs.sources:
        document = reading.yaml_document(source)
        node = Written(document.value, (), document.tape, 0, source.name)
        if steps:
            steps.append(merge_step(node, policy, rule, source.name, OnFault.STOP))
        else:
            steps.append(Start(directive=Directive("the first input"), take=Take(source=node, layer=source.name)))
    yield Stage(title="merge", outputs=(Output(name=OUTPUT, steps=tuple(steps)),))


def _parse_merge(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    del inputs
    rule = _given_rule(options)
    value = [
        [merger.name, merger.options if isinstance(merger.options, str) else list(merger.options)]
        for merger in rule.mergers
    ]
    yield Stage(title="rule", outputs=(Output(name=OUTPUT, steps=(start(value),)),))


def _fold(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    from lamina.dialects.cloudinit.layering import compile_fold

    return compile_fold(inputs, options)


def _confd(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    from lamina.dialects.cloudinit.layering import compile_confd

    return compile_confd(inputs, options)


def _layers(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    from lamina.dialects.cloudinit.layering import compile_layers

    return compile_layers(inputs, options)


def _given_rule(options: CloudInitOptions) -> Rule:
    if options.merge is None:
        raise UsageError(
            Diagnostic(
                code="rule-needed",
                message=f"mode {options.mode} needs a rule",
                hint="give one with --merge, such as 'list(append)+dict(recurse_list)+str()'",
            )
        )
    return _usable(parse_text if isinstance(options.merge, str) else parse_body, options.merge)


def _usable(make: Callable[[Given], Made], given: Given) -> Made:
    try:
        return make(given)
    except BadRule as bad:
        raise MergeError(bad.finding) from None


MODES: Mapping[str, Callable[[Inputs, CloudInitOptions], Compiler]] = {
    "user-data": user_data.compile_blobs,
    "merge": _merge,
    "parse-merge": _parse_merge,
    "fold": _fold,
    "confd": _confd,
    "layers": _layers,
}
