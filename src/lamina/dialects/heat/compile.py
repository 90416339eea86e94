"""From environment files to a plan: one output, the merged environment.

Templates are read first, for types. On Heat's own surface and the client's, a file that is refused stops the run where
it stands: what comes before it is merged, so that the first error is the one Heat gives. The specification collects its
strategies from all files first, so there all files are checked before anything is merged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lamina.dialects.heat import files_section
from lamina.dialects.heat.client_merge import client_steps
from lamina.dialects.heat.engine_rules import Shipped, refusal
from lamina.dialects.heat.environment import all_notes, read_environments
from lamina.dialects.heat.plan_facts import Facts
from lamina.dialects.heat.rule_set import surface_of
from lamina.dialects.heat.sections import known_sections, refused_section
from lamina.dialects.heat.spec_rules import Spec
from lamina.dialects.heat.spec_strategies import Slots
from lamina.dialects.heat.template import BadTemplateError, check_size, types_from
from lamina.engine.node import LiteralNode
from lamina.engine.plan import Directive, From, Output, Stage, Start

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.options import HeatOptions
    from lamina.dialects.heat.template import Types
    from lamina.engine.plan import AnyStep, Compiler
    from lamina.errors import Note
    from lamina.sources.inputs import Inputs

OUTPUT = "environment"


def compile_inputs(inputs: Inputs, options: HeatOptions) -> Compiler:
    """The plan for the inputs, on the surface asked for or found."""
    environments = read_environments(inputs)
    surface = surface_of(environments, options)
    known = known_sections(surface, documented=options.compat == "documented")
    environments = [_checked(environment, surface, known) for environment in environments]
    notes = all_notes(environments)
    facts = Facts(surface, environments, {}, options.template is not None)
    try:
        types, more = ({}, []) if surface == "client" else _types(inputs, options, environments)
    except BadTemplateError as bad:
        yield _stage(surface, [refusal(bad.finding)], notes, facts)
        return
    facts = replace(facts, types=types)
    steps, facts, own = _STEPS[surface](facts, options)
    yield _stage(surface, steps, [*notes, *more, *own], facts)


def _checked(environment: Environment, surface: str, known: Sequence[str]) -> Environment:
    if environment.refused:
        return environment
    return replace(environment, refused=refused_section(environment.node, surface, known))


def _types(inputs: Inputs, options: HeatOptions, environments: Sequence[Environment]) -> tuple[Types, list[Note]]:
    root = files_section.root_template(inputs, options.template) if options.template else None
    attached, notes = files_section.attached(inputs, root, environments)
    if root is not None:
        for source in inputs.sources:
            check_size(source)
    return types_from(root, attached), notes


def _stage(surface: str, steps: Sequence[AnyStep], notes: Sequence[Note], facts: Facts) -> Stage:
    start = Start(directive=Directive("the empty environment"), take=From(source=LiteralNode({}, ())))
    output = Output(name=OUTPUT, steps=(start, *steps))
    return Stage(title=f"environments ({surface})", outputs=(output,), notes=tuple(notes), facts=facts)


_Compiled = tuple["list[AnyStep]", Facts, "list[Note]"]


def _shipped(facts: Facts, options: HeatOptions) -> _Compiled:
    run = Shipped(facts.types, options, has_template=facts.has_template)
    steps = run.steps(facts.environments, options)
    return steps, replace(facts, fixed=run.table.fixed), run.notes


def _spec(facts: Facts, options: HeatOptions) -> _Compiled:
    slots = Slots()
    facts = replace(facts, slots=slots)
    refused = next((each.refused for each in facts.environments if each.refused), None)
    refused = refused or slots.fill(facts.environments)
    if refused:
        return [refusal(refused)], facts, []
    return Spec(slots, facts.types).steps(facts.environments, options), facts, []


def _client(facts: Facts, options: HeatOptions) -> _Compiled:
    return client_steps(facts.environments, options), facts, []


_STEPS = {"shipped": _shipped, "spec": _spec, "client": _client}
