"""From inputs to a plan: one compiler per mode.

user-data     each input is a file, handled one after the other; the parts of cloud-config are merged onto an empty
              mapping, the others are listed. No cloud-config part at all: no configuration. All dropped: an empty one.
merge         plain YAML values, folded from the left with one given rule; the first is the start
fold          metadata: the first source wins (the last with `reverse`), each source's own rule is obeyed, and a rule
              that cannot be used stops everything
confd         `cloud.cfg` and the files of its directory, see `layering`
layers        system configuration, vendor-data and user-data together, see `layering`
instance      the same, of a folder laid out as on an instance
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from lamina.dialects.cloudinit import messages, user_data
from lamina.dialects.cloudinit.cloud_config import rule_directive, step_by
from lamina.dialects.cloudinit.merge_rule import BadRule, MergeRule, parse_body, parse_text
from lamina.dialects.cloudinit.mergers import LAYER_DEFAULT, policy_of
from lamina.dialects.cloudinit.user_data import OUTPUT
from lamina.engine.node import SourceNode
from lamina.engine.plan import Directive, From, OnFault, Output, ResultSpec, Stage, Start
from lamina.errors import MergeError, UsageError
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.engine.plan import AnyStep, Compiler
    from lamina.sources.document import Document
    from lamina.sources.inputs import Inputs
    from lamina.sources.source import Source

LAYERED: Final = ("confd", "layers", "instance")
"""The modes in which files are layers by what they are, not by their order."""

Given = TypeVar("Given")
Derived = TypeVar("Derived")

RESULT = ResultSpec(header="#cloud-config\n", sort_keys=True)


def compile_inputs(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    """The plan for the inputs, in the selected mode; a folder always contains layers."""
    yield RESULT
    yield from MODES[_mode(inputs, options)](inputs, options)


def _mode(inputs: Inputs, options: CloudInitOptions) -> str:
    if options.names_layers and options.mode not in ("user-data", *LAYERED):
        raise UsageError(messages.MODE_WITHOUT_LAYERS.at(mode=options.mode))
    by_layers = options.layers or (options.mode == "user-data" and (inputs.folders or options.names_layers))
    return "layers" if by_layers else options.mode


def _merge(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    policy = _usable(policy_of, _given_rule(options) or LAYER_DEFAULT)
    directive = rule_directive(policy.label, policy.origin)
    documents = document_cache.yaml_document_of_each(inputs.sources, inputs.run)
    steps: list[AnyStep] = []
    for source, document in zip(inputs.sources, documents, strict=True):
        node = _root_node(document, source)
        if steps:
            steps.append(step_by(node, policy, directive, source.name, OnFault.STOP))
        else:
            take = From(source=node, layer=source.name)
            steps.append(Start(directive=Directive("the first input"), take=take))
    yield Stage(title="merge", outputs=(Output(name=OUTPUT, steps=tuple(steps)),))


def _root_node(document: Document, source: Source) -> SourceNode:
    return SourceNode(document.value, (), document.positions, 0, source.name)


def _fold(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    from lamina.dialects.cloudinit.system_layers import compile_fold

    return compile_fold(inputs, options)


def _confd(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    from lamina.dialects.cloudinit.system_layers import compile_confd

    return compile_confd(inputs, options)


def _layers(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    from lamina.dialects.cloudinit.system_layers import compile_layers

    return compile_layers(inputs, options)


def _given_rule(options: CloudInitOptions) -> MergeRule:
    if options.merge is None:
        raise UsageError(messages.RULE_REQUIRED.at(mode=options.mode))
    return _usable(parse_text if isinstance(options.merge, str) else parse_body, options.merge)


def _usable(make: Callable[[Given], Derived], given: Given) -> Derived:
    try:
        return make(given)
    except BadRule as bad:
        raise MergeError(bad.finding) from None


MODES: Mapping[str, Callable[[Inputs, CloudInitOptions], Compiler]] = {
    "user-data": user_data.compile_user_data,
    "merge": _merge,
    "fold": _fold,
    "confd": _confd,
    "layers": _layers,
    "instance": _layers,
}
