"""From environment files to a plan: one output, the merged environment.

Templates are read first, for types, and what is wrong with them stops the run; so does what stops Heat's client, where
the files are sent by it. By Heat's own rules and the client's, a file that is rejected stops the run where
it is: what comes before it is merged, so that the first error is the one Heat gives. The specification collects its
strategies from all files first, so there all files are checked before anything is merged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lamina.dialects.heat import files_section
from lamina.dialects.heat.client_merge import client_steps
from lamina.dialects.heat.client_request import ClientStopsError, client_request
from lamina.dialects.heat.engine_rules import EngineRun, rejection
from lamina.dialects.heat.environment import all_notes, read_environments
from lamina.dialects.heat.plan_facts import Facts
from lamina.dialects.heat.registry import registry_faults
from lamina.dialects.heat.rule_set import rule_set_of
from lamina.dialects.heat.secrets import mark_secrets
from lamina.dialects.heat.sections import known_sections, rejected_section
from lamina.dialects.heat.spec_rules import Spec
from lamina.dialects.heat.spec_strategies import Slots
from lamina.dialects.heat.template import (
    SURELY_FITS,
    BadTemplateError,
    root_node,
    size_faults,
    size_in_json,
    size_of,
    types_from,
)
from lamina.dialects.heat.template_tree import ROOT, is_jinja, tree_of, unrendered
from lamina.plugin import Directive, From, LiteralNode, MergeError, Output, ResultSpec, Stage, Start, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.options import HeatOptions
    from lamina.dialects.heat.template import Attachment, Types
    from lamina.dialects.heat.template_tree import TemplateTree
    from lamina.engine.plan import AnyStep
    from lamina.errors import Note
    from lamina.plugin import Compiler, Inputs, Source, SourceNode

OUTPUT = "environment"


@dataclass(frozen=True, slots=True, eq=False)
class _WrittenFiles:
    """The inputs, and the rule set."""

    inputs: Inputs
    tree: TemplateTree | None
    environments: list[Environment]
    root: Source | None
    rule_set: str
    known: tuple[str, ...]
    """The sections an environment may have."""

    def search(self, *, via_client: bool) -> files_section.FileSearch:
        """Finds what templates and registries name."""
        scope = files_section.SearchScope(self.inputs, self.root, self.tree)
        return files_section.FileSearch(scope, via_client=via_client)


@dataclass(frozen=True, slots=True, eq=False)
class _Received:
    """The environments as they are merged."""

    environments: list[Environment]
    types: Types
    notes: Sequence[Note] = ()


def _with_environments(inputs: Inputs, options: HeatOptions) -> Inputs:
    """The inputs, with the environments before them that the options name."""
    if not options.environments:
        return inputs
    opened = [inputs.opened(name) for name in options.environments]
    own = {**inputs.own, **{source.name: files for source, files in opened}}
    return replace(inputs, items=(*(source for source, _ in opened), *inputs.items), own=own)


def compile_inputs(inputs: Inputs, options: HeatOptions) -> Compiler:
    """The plan for the inputs, by the rule set asked for or detected."""
    yield ResultSpec(secrets="redact" if options.redact else "show" if options.cleartext_secrets else "hide")
    inputs = _with_environments(inputs, options)
    tree = tree_of(inputs, options.templates) if options.templates else None
    template, not_generated = _root_template(inputs, options.template, tree)
    environments = read_environments(inputs)
    rule_set = rule_set_of(environments, options)
    known = known_sections(rule_set, documented=options.compat == "manual")
    root = files_section.root_template(inputs, template) if template and rule_set != "deep-update" else None
    written = _WrittenFiles(inputs, tree, environments, root, rule_set, known)
    try:
        received = _receive(written, options)
    except (BadTemplateError, ClientStopsError) as stopped:
        raise MergeError.of(stopped.findings) from None
    mark_secrets(received.environments, received.types or _all_types(written, received, template))
    has_template = template is not None or tree is not None
    facts = Facts(rule_set, received.environments, received.types, has_template, tree)
    output, facts, own = _STEPS[rule_set](facts, options)
    notes = [*not_generated, *all_notes(environments), *received.notes, *own]
    yield _stage(rule_set, output, notes, facts)


def _root_template(
    inputs: Inputs, template: str | None, tree: TemplateTree | None
) -> tuple[str | None, tuple[Note, ...]]:
    """The name of the root template, by default that of the tree, and a note if that is not generated yet."""
    if template and is_jinja(template):
        raise UsageError(unrendered(inputs.opened(template)[0]))
    if template or tree is None:
        return template, ()
    source = tree.files.read(ROOT)
    missing = tree.generated(ROOT) if source is None else None
    return (source.name if source else None), ((missing,) if missing else ())


def _receive(written: _WrittenFiles, options: HeatOptions) -> _Received:
    if written.rule_set == "deep-update":
        return _Received(
            [_registry_checked(each) for each in _checked(written, written.environments, by_client=True)], {}
        )
    through_client = written.rule_set == "strategies" and options.via == "client"
    return _from_client(written) if through_client else _as_read(written)


def _from_client(written: _WrittenFiles) -> _Received:
    """The files as the client sends them."""
    read = _checked(written, written.environments, by_client=True)
    request = client_request(written.search(via_client=True), written.root, read)
    if written.root is not None:
        sources = zip(written.inputs.sources, request.environments, strict=True)
        _check_sizes((source, size_in_json(each.node, source)) for source, each in sources)
    types = types_from(request.root, request.attached)
    return _Received(_checked(written, request.environments), types, request.notes)


def _as_read(written: _WrittenFiles) -> _Received:
    """The files, as if the server could read them where they are."""
    template = root_node(written.root, written.inputs.run) if written.root is not None else None
    attached, notes = _attached(written, template)
    if written.root is not None:
        _check_sizes((source, size_of(source)) for source in written.inputs.sources if len(source.data) > SURELY_FITS)
    return _Received(_checked(written, written.environments), types_from(template, attached), notes)


def _check_sizes(sizes: Iterable[tuple[Source, int]]) -> None:
    faults = [fault for source, size in sizes for fault in size_faults(source, size)]
    if faults:
        raise BadTemplateError(*faults)


def _attached(written: _WrittenFiles, template: SourceNode | None) -> tuple[list[Attachment], list[Note]]:
    inputs = written.inputs
    if inputs.in_memory and written.tree is None:
        return files_section.attached_in_memory(inputs, written.root), []
    search = written.search(via_client=False)
    if template is not None:
        search.follow(template)
    for environment in written.environments:
        search.register(environment)
    return list(search.found.values()), search.notes()


def _checked(
    written: _WrittenFiles, environments: Iterable[Environment], *, by_client: bool = False
) -> list[Environment]:
    """The environments, those whose sections are rejected marked as such."""

    def checked(each: Environment) -> Environment:
        if each.rejected:
            return each
        rejected = rejected_section(each.node, written.rule_set, written.known, by_client=by_client)
        return each if rejected is None else replace(each, rejected=rejected)

    return [checked(each) for each in environments]


def _registry_checked(environment: Environment) -> Environment:
    if environment.rejected:
        return environment
    return replace(environment, rejected=next(registry_faults(environment.node), None))


def _all_types(written: _WrittenFiles, received: _Received, template: str | None) -> Types:
    """What templates declare, where merging does not ask for it and only secrets matter."""
    if not template:
        return {}
    try:
        root = files_section.root_template(written.inputs, template)
        as_read = replace(written, environments=received.environments, root=root, rule_set="strategies", known=())
        return _as_read(as_read).types
    except BadTemplateError:
        return {}


def _stage(rule_set: str, output: Output, notes: Sequence[Note], facts: Facts) -> Stage:
    return Stage(title=f"environments ({rule_set})", outputs=(output,), notes=tuple(notes), facts=facts)


def _output(steps: Iterable[AnyStep]) -> Output:
    start = Start(directive=Directive("the empty environment"), take=From(source=LiteralNode({}, ())))
    return Output(name=OUTPUT, steps=(start, *steps))


_Compiled = tuple[Output, Facts, "list[Note]"]


def _shipped(facts: Facts, options: HeatOptions) -> _Compiled:
    run = EngineRun(facts.types, options, has_template=facts.has_template)
    steps = run.steps(facts.environments, options)
    return _output(steps), replace(facts, fixed=run.table.fixed), run.notes


def _spec(facts: Facts, options: HeatOptions) -> _Compiled:
    slots = Slots()
    facts = replace(facts, slots=slots)
    rejected = next((each.rejected for each in facts.environments if each.rejected), None)
    rejected = rejected or slots.fill(facts.environments)
    if rejected:
        return _output([rejection(rejected)]), facts, []
    return _output(Spec(slots, facts.types).steps(facts.environments, options)), facts, []


def _client(facts: Facts, options: HeatOptions) -> _Compiled:
    return _output(client_steps(facts.environments, options)), facts, []


_STEPS = {"strategies": _shipped, "spec": _spec, "deep-update": _client}
