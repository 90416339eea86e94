"""System layers: system configuration, vendor-data and user-data, folded with the highest priority first.

Everywhere here the first source wins and the next ones only fill gaps (`list()+dict()+str()`), each source's own rule
governing the moment it is folded in; that is, the lower source's rule counts. A mapping that comes in lower takes the
place of a list or a string above it. An empty source is skipped.

cloud.cfg.d   the files whose names end in `.cfg`, the last name first; then `cloud.cfg` below them. `conf_d` in
              `cloud.cfg` names another directory; an empty one turns it off.
system        kernel command line, run-time configuration, the above, what is built in
all           user-data, vendor-data2, vendor-data, system. Vendor-data counts only if `vendor_data.enabled` (or
              `vendor_data2.enabled`) is true in what user-data and system give together; `disabled_handlers` there
              names content types left out. Each result is folded by the rule left in it: a `merge_type` beside a
              `merge_how` survives its own merge, and acts here.

A rule that cannot be used stops everything. See Layers in docs/reference/cloud-init.md; golden cases in confd.json and
layers.json.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.dialects.cloudinit import instance_data, layer_files, messages
from lamina.dialects.cloudinit.cloud_config import UnusablePart, merge_step, read_body, rule_notes
from lamina.dialects.cloudinit.manual_rules import OVERWRITING
from lamina.dialects.cloudinit.merge_rule import BadRule, MergeRule, rule_in
from lamina.dialects.cloudinit.mergers import LAYER_DEFAULT, policy_of
from lamina.dialects.cloudinit.part_walker import Part
from lamina.dialects.cloudinit.patch_step import Patch, PatchOperation
from lamina.dialects.cloudinit.user_data import OUTPUT, UserDataFiles, start, wanted_index
from lamina.dialects.cloudinit.yaml_crash import crashes
from lamina.engine.node import LiteralNode
from lamina.engine.plan import Directive, Fail, From, OnFault, Output, OutputRef, Stage, Start
from lamina.engine.provenance import first_origin

if TYPE_CHECKING:
    from lamina.dialects.cloudinit.layer_files import Arrangement
    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.engine.node import Node
    from lamina.engine.plan import AnyStep, Compiler, Results
    from lamina.engine.policy import Policy
    from lamina.engine.step_context import Folded
    from lamina.errors import Diagnostic, Message, Note
    from lamina.run import Run
    from lamina.sources.inputs import Inputs
    from lamina.sources.source import Source

Folding: TypeAlias = Generator[Stage, "Results", "Results"]
"""A running compilation that returns all results so far."""

BUILT_IN: Mapping[str, Any] = {
    "vendor_data": {"enabled": True, "prefix": []},
    "vendor_data2": {"enabled": True, "prefix": []},
}
"""The relevant part of the program's built-in configuration."""
_EMPTY = ("invalid-yaml", "not-a-mapping", "empty-part")
_TRUE = ("true", "1", "on", "yes")


def compile_fold(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    """Metadata: whole files, the first one winning."""
    sources = inputs.sources[::-1] if options.reverse else inputs.sources
    layers = SystemLayers(inputs.run)
    for source in sources:
        layers.file(source)
    yield layers.stage("metadata", OUTPUT)


def compile_confd(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    """`cloud.cfg` and its directory."""
    arranged = layer_files.arrange(inputs, options)
    variables = _variables(arranged, inputs, options)
    yield from _configuration(arranged, variables, OUTPUT, inputs.run)


def compile_layers(inputs: Inputs, options: CloudInitOptions) -> Compiler:
    """Everything together."""
    arranged = layer_files.arrange(inputs, options)
    variables = _variables(arranged, inputs, options)
    results = yield from _system(
        arranged, variables, inputs.run, built_in=arranged.is_instance or not options.no_built_in
    )
    if results["system"].failed:
        return
    user_data_files = UserDataFiles(inputs, options, variables, lambda name: arranged.files_for(name) or inputs.files)
    results = yield from _user_data(arranged, user_data_files, results, wanted_index(options))
    settings = SystemLayers(inputs.run)
    settings.result("user-data", results)
    settings.result("system", results)
    settings.notes.clear()  # they are said when all layers are folded
    results = yield settings.stage("vendor-data settings", "settings", hidden=True)
    if results["settings"].failed:
        return
    for name in ("vendor-data", "vendor-data2"):
        results = yield from _vendor_data(name, arranged, user_data_files, results)
    overwriting = OVERWRITING if options.compat == "manual" and options.manual == "current" else None
    layers = SystemLayers(inputs.run, overwriting)
    for name in ("user-data", "vendor-data2", "vendor-data", "system"):
        layers.result(name, results)
    yield replace(layers.stage("all layers", OUTPUT), facts=user_data_files.scripts)


def _variables(arranged: Arrangement, inputs: Inputs, options: CloudInitOptions) -> Mapping[str, Any] | None:
    """The template variables, or None if there are none."""
    if options.instance_data is not None:
        return instance_data.read(options.instance_data, inputs)
    return arranged.variables(inputs.run)


@dataclass(slots=True, eq=False)
class SystemLayers:
    """Sources being folded, the highest first."""

    run: Run
    policy: Policy | None = None
    """The one policy for all, if the manual promises one."""
    steps: list[AnyStep] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    helpers: list[Output] = field(default_factory=list)

    def stage(self, title: str, name: str, *, hidden: bool = False) -> Stage:
        """The stage that folds them."""
        output = Output(name=name, steps=(start({}), *self.steps), hidden=hidden)
        return Stage(title=title, outputs=(*self.helpers, output), notes=tuple(self.notes))

    def file(self, source: Source, variables: Mapping[str, Any] | None = None) -> Node:
        """Add a file; one that cannot be read counts as empty. Returns its mapping, if it is one."""
        try:
            source = self._rendered(source, variables)
            body = read_body(source, source.name, self.run)
            rule = body.rule or LAYER_DEFAULT
            self.steps.append(merge_step(body.node, policy_of(rule), rule, source.name, OnFault.STOP))
            self.notes.extend(body.notes)
            self.notes.extend(rule_notes(body.rule, source.name))
            return body.node
        except BadRule as bad:
            self.steps.append(_stop(replace(bad.finding, subject=source.name)))
        except UnusablePart as unusable:
            finding = unusable.finding
            if finding.code == "invalid-yaml" and crashes(source.data):
                self.steps.append(_stop(replace(finding, message=f"{finding.message}; cloud-init stops here")))
            elif finding.code in _EMPTY:
                self.notes.append(replace(finding, message=f"{source.name} is treated as empty: {finding.message}"))
            else:
                self.steps.append(_stop(finding))
        return LiteralNode({}, ())

    def _rendered(self, source: Source, variables: Mapping[str, Any] | None) -> Source:
        """A file rendered as a template; one that cannot be parsed is used as it is, and one that fails is an error.

        Without instance data the first line is a comment.
        """
        if variables is None or not source.data.startswith(b"##"):
            return source
        from lamina.dialects.cloudinit.template import Unrendered, engine_of, rendered

        if engine_of(source.data) in (None, "basic"):
            return source
        try:
            part = Part(name=source.name, source=source, content_type="")
            rendered_source, notes = rendered(part, instance_data.template_variables(variables), self.run)
        except Unrendered as failed:
            if not failed.syntax:
                raise UnusablePart(_failed_template(source, failed.why, failed.line, "cloud-init stops here")) from None
            as_is = "it is read without being rendered"
            self.notes.append(_failed_template(source, failed.why, failed.line, as_is, messages.LAYER_TEMPLATE_AS_IS))
            return source
        if not rendered_source.data:
            raise UnusablePart(_failed_template(source, "it renders to nothing", 0, "cloud-init stops here"))
        self.notes.extend(notes)
        return rendered_source

    def value(self, value: Mapping[str, Any], name: str) -> None:
        """Add a value that the program creates."""
        policy = policy_of(LAYER_DEFAULT)
        self.steps.append(merge_step(LiteralNode(dict(value), ()), policy, LAYER_DEFAULT, name, OnFault.STOP))

    def result(self, name: str, results: Results) -> None:
        """Add the result of another output, by the rule left in it."""
        if name not in results or results[name].failed:
            return
        folded = results[name]
        if not isinstance(folded.value, dict):
            if folded.value is not None:
                self.notes.append(_not_mapping(name, folded))
            return
        if not folded.value:
            return
        try:
            rule, read = rule_in(folded.value, lambda key: first_origin(folded.node.child(key)))
            policy = self.policy or policy_of(rule or LAYER_DEFAULT)
        except BadRule as bad:
            self.steps.append(_stop(replace(bad.finding, subject=name)))
            return
        source = name
        if read:
            source = f"{name} without its merge rule"
            self.helpers.append(_without(folded, read, source))
            self.notes.append(_leftover_key(name, read[-1], rule))
        self.steps.append(merge_step(OutputRef(source), policy, rule or LAYER_DEFAULT, name, OnFault.STOP))


def _failed_template(
    source: Source, why: str, line: int, outcome: str, message: Message = messages.LAYER_TEMPLATE_ERROR
) -> Diagnostic:
    return message.at(source.locate(line, 0), subject=source.name, why=why, outcome=outcome)


def _leftover_key(name: str, key: str, rule: MergeRule) -> Note:
    return messages.LEFTOVER_RULE.at(rule.origin, subject=name, name=name, key=key)


def _without(folded: Folded, keys: list[str], name: str) -> Output:
    changes = tuple(PatchOperation(operation="remove", path=(key,), node=folded.node.child(key)) for key in keys)
    take = From(source=OutputRef(folded.output.name), layer=folded.output.name)
    begin = Start(directive=Directive(f"the result of {folded.output.name}"), take=take, forwards=True)
    directive = Directive("the merge rule is removed", first_origin(folded.node.child(keys[-1])))
    return Output(name=name, steps=(begin, Patch(directive=directive, changes=changes)), hidden=True)


def _stop(finding: Diagnostic) -> Fail:
    return Fail(directive=Directive("refused", finding.at), finding=finding, subject=finding.subject)


def _needed(name: str, finding: Diagnostic) -> Diagnostic:
    message = f"the system configuration needs {name}, which could not be merged"
    return replace(
        finding,
        code="dependency-failed",
        message=message,
        hint="fix that error first (reported above)",
        subject="the system configuration",
        cause=finding.cause or finding,
    )


def _not_mapping(name: str, folded: Folded) -> Note:
    return messages.LAYER_NOT_A_MAPPING.at(first_origin(folded.node), subject=name, name=name)


def _configuration(arranged: Arrangement, variables: Mapping[str, Any] | None, name: str, run: Run) -> Folding:
    """Fold the directory, then `cloud.cfg` below it."""
    base = SystemLayers(run)
    config = base.file(arranged.config, variables) if arranged.config else LiteralNode({}, ())
    directory = SystemLayers(run)
    found, notes = arranged.directory(config)
    directory.notes.extend(notes)
    for source in found:
        directory.file(source, variables)
    results = yield directory.stage("cloud.cfg.d", "cloud.cfg.d", hidden=True)
    if results["cloud.cfg.d"].failed:
        return results
    both = SystemLayers(run)
    both.result("cloud.cfg.d", results)
    both.steps.extend(base.steps)
    both.notes.extend(base.notes)
    results = yield both.stage("cloud.cfg", name, hidden=name != OUTPUT)
    return results


def _system(arranged: Arrangement, variables: Mapping[str, Any] | None, run: Run, *, built_in: bool) -> Folding:
    results = yield from _configuration(arranged, variables, "cloud.cfg", run)
    layers = SystemLayers(run)
    for source in (arranged.command_line, arranged.runtime):
        if source is not None:
            layers.file(source)
    layers.result("cloud.cfg", results)
    if built_in:
        layers.value(BUILT_IN, "built-in configuration")
    for name in ("cloud.cfg.d", "cloud.cfg"):
        if name in results and results[name].failed:
            finding = results[name].faults[0]
            layers.steps.append(_stop(_needed(name, finding)))
    return (yield layers.stage("system configuration", "system", hidden=True))


def _user_data(arranged: Arrangement, user_data_files: UserDataFiles, results: Results, index: int | None) -> Folding:
    allowed = results["system"].value.get("allow_userdata", True)
    data = arranged.user_data if _is_true(allowed) else []
    output, notes = user_data_files.output(data, "user-data", index=index, hidden=True)
    if arranged.user_data and not data:
        at = first_origin(results["system"].node.child("allow_userdata"))
        notes = [messages.USER_DATA_NOT_ALLOWED.at(at, subject="user-data")]
    return (yield Stage(title="user-data", outputs=(output,), notes=tuple(notes)))


def _vendor_data(name: str, arranged: Arrangement, user_data_files: UserDataFiles, results: Results) -> Folding:
    data = arranged.vendor_data.get(name)
    if data is None or not data.data:
        return results
    setting = name.replace("-", "_")
    node = results["settings"].node.child(setting)
    value = node.value if isinstance(node.value, dict) else {}
    if not _is_true(value.get("enabled")):
        note = messages.VENDOR_DATA_DISABLED.at(first_origin(node), subject=name, setting=setting)
        return (yield Stage(title=name, outputs=(), notes=(note,)))
    excluded = value.get("disabled_handlers") or ()
    excluded = excluded if isinstance(excluded, (list, tuple, dict, str)) else ()
    output, notes = user_data_files.output([data], name, excluded=excluded, hidden=True)
    return (yield Stage(title=name, outputs=(output,), notes=tuple(notes)))


def _is_true(value: Any) -> bool:
    return value is True or (not isinstance(value, bool) and str(value).lower().strip() in _TRUE)
