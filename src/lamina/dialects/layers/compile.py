"""From plain files to a plan: each layer merged into those below it, references resolved, the result checked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lamina import plugin as lp
from lamina.dialects.layers import documents, messages, tags
from lamina.dialects.layers.assignments import assignments_of
from lamina.dialects.layers.checks import check_step
from lamina.dialects.layers.hierarchy import LayerHierarchy, hierarchy_file
from lamina.dialects.layers.path_patterns import exact_pattern
from lamina.dialects.layers.rule_policy import FAULTS, PathRules
from lamina.dialects.layers.rule_tables import RuleMerge
from lamina.dialects.layers.settings import LayerSettings, Rule, settings_of
from lamina.plugin import extensions as lpx
from lamina.plugin import hierarchy as lph
from lamina.plugin import references as lpr

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.dialects.layers.options import LayersOptions
    from lamina.plugin import operators as lpo

BY = "the later layer wins"
REFERENCES = lpr.References("${", "}", escape="$", off="turn references off")
OWN_REFERENCES = replace(REFERENCES, missing="remark", unclosed="plain")
"""Where nobody turned references on, `${...}` that names nothing here may be another program's."""


class Setup:
    """What all outputs of a run have in common: the rules, and what is set beside the files."""

    def __init__(self, inputs: lp.Inputs, options: LayersOptions) -> None:
        self.file = hierarchy_file(inputs)
        self.run = inputs.run
        self.settings: LayerSettings = settings_of(inputs, options, self.file)
        self._lists = self.settings.lists or "replace"
        self.rules_by_path = PathRules(self.settings.rules, nulls=self.settings.nulls, lists=self._lists)
        self.policy = self.rules_by_path.root()
        self._defaults_policy: lp.Policy | None = None
        if self.settings.nulls == "delete-defaults":
            rules = PathRules(self.settings.rules, nulls="delete", lists=self._lists, only_present=True)
            self._defaults_policy = rules.root()
        self.assignments = assignments_of(inputs, options)
        self._check = check_step(self.settings, inputs.run)
        self._known: dict[lp.Source, lp.Merge | None] = {}
        """The step of each file, the same for all nodes."""
        self.notes: dict[str, Sequence[lp.Diagnostic]] = {}
        self._checks_references = self.settings.references or options.strict
        self.has_secrets = False
        """Whether anything in the files is encrypted."""

    def outputs(self, name: str, sources: Iterable[lp.Source]) -> Iterator[lp.Output]:
        """The output that is made of some files; before it the hidden one of all but the lowest, where nulls delete
        only what that one has."""
        sources = list(sources)
        steps: list[lpo.Step] = [lp.start(), *self._layers(sources), *self._assigned()]
        if self._defaults_policy is not None and len(steps) > 2:
            others = f"{name}: over the lowest layer"
            yield lp.Output(name=others, steps=(lp.start(), *steps[2:]), hidden=True)
            take = lp.From(source=lp.OutputRef(others))
            steps[2:] = [
                lp.Merge(
                    directive=lp.Directive(BY), take=take, policy=self._defaults_policy, faults=FAULTS, forwards=True
                )
            ]
        if self.settings.references is not False and self._may_have_references(sources):
            steps.append(lpr.interpolate(REFERENCES if self._checks_references else OWN_REFERENCES))
        if self._check is not None:
            steps.append(self._check)
        yield lp.Output(name=name, steps=tuple(steps))

    def _layers(self, sources: Iterable[lp.Source]) -> Iterator[lp.Merge]:
        for source in sources:
            if source not in self._known:
                self._known[source] = self._layer(source)
            step = self._known[source]
            if step is not None:
                yield step

    def _layer(self, source: lp.Source) -> lp.Merge | None:
        document = documents.read_mapping(source, self.run, self.settings.preset)
        if document is None:
            return None
        self.notes[source.name] = document.notes
        root = document.root(source.name)
        if b"!vault" in source.data:
            root = lpx.secret_where(root, documents.is_encrypted)
            self.has_secrets = self.has_secrets or root.holds_secret
        return replace(lp.merge(root, self._policy_for(source), BY), faults=FAULTS)

    def _policy_for(self, source: lp.Source) -> lp.Policy:
        """The policy for a layer: its tags come before all rules."""
        tagged = tags.tagged_paths(source) if self.settings.preset in tags.PRESETS else ()
        if not tagged:
            return self.policy
        own = [Rule(lp.show(path), exact_pattern(path), RuleMerge(word), origin) for path, word, origin in tagged]
        return PathRules((*own, *self.settings.rules), nulls=self.settings.nulls, lists=self._lists).root()

    def _assigned(self) -> Iterator[lp.Merge]:
        for each in self.assignments:
            step = lp.merge(each.node, self.rules_by_path.at(each.path), BY, path=each.path)
            yield replace(step, faults=FAULTS, subject=each.node.layer)

    def _may_have_references(self, sources: Iterable[lp.Source]) -> bool:
        """Whether any string may contain a reference."""
        # An escape can be any character.
        if any(b"$" in source.data or b"\\" in source.data for source in sources):
            return True
        return any("$" in str(each.node.value) for each in self.assignments)


def compile_inputs(inputs: lp.Inputs, options: LayersOptions) -> lp.Compiler:
    """The plan: one output for files, one for each node of a folder."""
    setup = Setup(inputs, options)
    if setup.file is not None:
        yield from _nodes(setup, options)
        return
    _check_files(inputs, options)
    outputs = tuple(setup.outputs("result", inputs.sources))
    if setup.has_secrets:
        yield lp.ResultSpec(secrets="hide")
    by_name = setup.settings.by_name
    guess = () if by_name is None else (_preset_by_name(by_name, inputs.sources[0]),)
    yield lp.Stage(title="layers", outputs=outputs, notes=(*guess, *_notes(setup)), facts=setup)


def _nodes(setup: Setup, options: LayersOptions) -> lp.Compiler:
    hierarchy = LayerHierarchy(setup.settings, setup.run)
    names = list(hierarchy.nodes) if options.node is None else [lph.node_named(options.node, hierarchy.nodes).name]
    outputs: list[lp.Output] = []
    for name in names:
        try:
            layers = hierarchy.resolve(name)
            outputs += setup.outputs(name, [layer.source for layer in layers if layer.source is not None])
        except (lp.Reject, lp.InputError) as error:
            outputs.append(lph.failed_output(name, error.diagnostics, "layers"))
    yield lp.ResultSpec(
        shape="one" if options.node is not None else "list",
        noun="node",
        partial=len(names) > 1,
        secrets="hide" if setup.has_secrets else "none",
    )
    yield lp.Stage(title="nodes", outputs=tuple(outputs), notes=_notes(setup), facts=setup)


def _notes(setup: Setup) -> tuple[lp.Diagnostic, ...]:
    return tuple(note for notes in setup.notes.values() for note in notes)


def _preset_by_name(preset: str, first: lp.Source) -> lp.Diagnostic:
    return messages.PRESET_BY_NAME.at(first.locate(0, 0), preset=preset)


def _check_files(inputs: lp.Inputs, options: LayersOptions) -> None:
    """Inputs without a hierarchy must be files, and have no nodes."""
    for item in inputs.items:
        if not isinstance(item, lp.Source):
            finding = messages.NO_HIERARCHY.at(item=item.name)
            raise lp.InputError(finding)
    if options.node is not None:
        why = ": only a folder with a layers.yaml has nodes"
        raise lph.no_such_node(options.node, (), why, hint="omit --node")
