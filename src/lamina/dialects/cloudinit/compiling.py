"""From inputs to a plan: one compiler a mode.

user-data     each input is a blob, handled one after the other; the parts of cloud-config are merged onto an empty
              mapping, the others are listed. No cloud-config part at all: no configuration. All dropped: an empty one.
merge         plain YAML values, folded from the left with one given rule; the first is the start
parse-merge   no input; the result is how the given rule is read
fold          metadata: the first source wins (the last with `reverse`), each source's own rule is obeyed, and a rule
              that cannot be used stops everything
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from lamina.dialects.cloudinit.content import BEGINNINGS, CLOUD_CONFIG, sniff
from lamina.dialects.cloudinit.mergers import LAYER_DEFAULT, policy_of
from lamina.dialects.cloudinit.merging import Merging, Unusable, merge_step, read_body
from lamina.dialects.cloudinit.part import Part
from lamina.dialects.cloudinit.rule import BadRule, Rule, parse_body, parse_text
from lamina.errors import Diagnostic, MergeError, Severity, UsageError
from lamina.merge.nodes import Blank, Written
from lamina.plan import Directive, OnFault, Output, Refuse, Stage, Start, Take
from lamina.sources import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.errors import Note
    from lamina.inputs import Inputs
    from lamina.plan import AnyStep, Compiler
    from lamina.sources.source import Source

OUTPUT = "cloud-config"
Given = TypeVar("Given")
Made = TypeVar("Made")


def compile_inputs(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    """The plan for the inputs, in the mode asked for."""
    yield from MODES[options.mode](inputs, options)


def _user_data(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    parts, notes = _parts(inputs.sources)
    merging = Merging(options)
    steps = [merging.step(part) for part in parts if part.content_type == CLOUD_CONFIG]
    start = _start({} if steps else None)
    yield Stage(title="user-data", outputs=(_output(start, steps),), notes=(*notes, *merging.notes))


def _parts(sources: Sequence[Source]) -> tuple[list[Part], list[Note]]:
    parts: list[Part] = []
    notes: list[Note] = []
    for source in sources:
        kind = sniff(reading.decode(source))
        if kind is None:
            notes.append(_unknown_beginning(source))
        else:
            parts.append(Part(name=f"part-{len(parts) + 1:03}", source=source, content_type=kind))
    return parts, notes


def _unknown_beginning(source: Source) -> Note:
    return Diagnostic(
        code="unknown-beginning",
        message="the first line is none cloud-init knows, so all of this is ignored",
        at=source.locate(0, 0),
        hint=f"cloud-config begins with #cloud-config; known beginnings: {', '.join(BEGINNINGS)}",
        severity=Severity.ERROR,
        subject=source.name,
    )


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
    yield Stage(title="rule", outputs=(Output(name=OUTPUT, steps=(_start(value),)),))


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


def _fold(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    sources = inputs.sources[::-1] if options.reverse else inputs.sources
    steps, notes = fold_steps(sources)
    yield Stage(title="metadata", outputs=(_output(_start({}), steps),), notes=tuple(notes))


def fold_steps(sources: Iterable[Source]) -> tuple[list[AnyStep], list[Note]]:
    """The steps that fold whole files, the first one winning; an unreadable file counts as empty."""
    steps: list[AnyStep] = []
    notes: list[Note] = []
    for source in sources:
        try:
            body = read_body(source, source.name)
            rule = body.rule or LAYER_DEFAULT
            steps.append(merge_step(body.node, policy_of(rule), rule, source.name, OnFault.STOP))
            notes.extend(body.notes)
        except BadRule as bad:
            steps.append(_stop(replace(bad.finding, subject=source.name)))
        except Unusable as unusable:
            finding = unusable.finding
            if finding.code in ("invalid-yaml", "not-a-mapping", "empty-part"):
                notes.append(finding)
            else:
                steps.append(_stop(finding))
    return steps, notes


def _stop(finding: Diagnostic) -> Refuse:
    return Refuse(directive=Directive("refused", finding.at), finding=finding, subject=finding.subject)


def _start(value: object) -> Start:
    return Start(directive=Directive("the empty start"), take=Take(source=Blank(value, ())))


def _output(start: Start, steps: Iterable[AnyStep]) -> Output:
    return Output(name=OUTPUT, steps=(start, *steps))


MODES: Mapping[str, Callable[[Inputs, CloudInitOptions], Compiler]] = {
    "user-data": _user_data,
    "merge": _merge,
    "parse-merge": _parse_merge,
    "fold": _fold,
}
