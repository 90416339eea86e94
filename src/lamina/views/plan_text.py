"""Plans as text and as data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lamina._support.escapes import text_of
from lamina.budget import to_show
from lamina.engine.node import Node
from lamina.engine.plan import NOTHING, Fail, Merge, OutputRef, StateRef
from lamina.engine.provenance import first_origin
from lamina.origins import data_or_none
from lamina.paths import show
from lamina.views.explain import directive_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.engine.plan import AnyStep, From, Output, Plan
    from lamina.origins import Origin
    from lamina.views.schemas.explanations import StageData, StepData


def as_text(plan: Plan) -> str:
    """The plan as text: each stage, its outputs, and their steps in order."""
    return text_of(to_show().counted(_lines(plan)))


def _lines(plan: Plan) -> Iterator[str]:
    for stage in plan.stages:
        yield f"stage {stage.title}"
        for output in _with_inner(stage.outputs):
            yield f"  output {output.name}"
            for number, step in enumerate(output.steps):
                yield from (f"    {line}" for line in _step_lines(number, step))


MANY = 100
"""A plan with more outputs than these is summarised unless all of it is asked for."""
_MOST = 5
"""How many of the outputs with most steps are named."""


def outputs_of(plan: Plan) -> list[Output]:
    """All outputs, each behind those that its steps were made by."""
    return [output for stage in plan.stages for output in _with_inner(stage.outputs)]


def summary(plan: Plan) -> str:
    """What a plan with many outputs does: how many of each step, which outputs have most, and what is rejected."""
    return text_of(_summary_lines(plan))


def _summary_lines(plan: Plan) -> Iterator[str]:
    for stage in plan.stages:
        outputs = [*_with_inner(stage.outputs)]
        yield f"stage {stage.title}: {len(outputs):,} output{'s' * (len(outputs) != 1)}"
        kinds = Counter(kind_of(step) for output in outputs for step in output.steps)
        yield from (f"  {count:,} {kind}" for kind, count in kinds.most_common())
        if len(outputs) > _MOST:
            yield "  most steps:"
            most = sorted(outputs, key=lambda output: -len(output.steps))[:_MOST]
            yield from (f"    {len(output.steps):,} {output.name}" for output in most)
        rejected = [step for output in outputs for step in output.steps if isinstance(step, Fail)]
        yield from (f"  rejected: {step.finding.message}" for step in rejected)


def _with_inner(outputs: Iterable[Output]) -> Iterator[Output]:
    """Outputs, each behind those that its steps were made by."""
    for output in outputs:
        for step in output.steps:
            yield from step.inner()
        yield output


def _step_lines(number: int, step: AnyStep) -> list[str]:
    origin = step_origin(step)
    subject = step.subject or source_of(step)
    head = f"{number} {kind_of(step):<7} {subject}".rstrip()
    location = f" ({origin})" if origin else ""
    path = f" at {where}" if (where := location_of(step)) else ""
    why = f"rejected: {step.finding.message}" if isinstance(step, Fail) else f"by {step.directive}"
    return [f"{head}{path}{location}", f"{' ' * (len(str(number)) + 1)}{'':<7} {why}"]


def location_of(step: AnyStep) -> str:
    """Where in the output a step works, if not on all of it."""
    path, select = getattr(step, "path", ()), getattr(step, "select", None)
    return " ".join(text for text in (show(path) if path else "", select.text if select else "") if text)


def kind_of(step: AnyStep) -> str:
    """The name of a step's kind."""
    return "sweep" if isinstance(step, Merge) and step.cleans else type(step).__name__.lower()


def source_of(step: AnyStep) -> str:
    """What a step takes its value from, in words."""
    take: From | None = getattr(step, "take", None)
    if take is None or take is NOTHING:
        return ""
    match take.source:
        case OutputRef(name=name):
            return name
        case StateRef(steps=steps):
            return f"the state after step {steps}"
        case Node() as node:
            from lamina.sources.json.brief import in_brief

            return take.layer or in_brief(node.value)


def step_origin(step: AnyStep) -> Origin | None:
    """Where what a step takes was written."""
    if isinstance(step, Fail):
        return step.finding.at
    take: From | None = getattr(step, "take", None)
    return first_origin(take.source.at(take.path)) if take is not None and isinstance(take.source, Node) else None


def as_data(plan: Plan) -> list[StageData]:
    """The plan as plain data."""
    return [
        {
            "title": stage.title,
            "outputs": [
                {"name": output.name, "hidden": output.hidden, "steps": [_step_data(step) for step in output.steps]}
                for output in _with_inner(stage.outputs)
            ],
        }
        for stage in plan.stages
    ]


def _step_data(step: AnyStep) -> StepData:
    data: StepData = {
        "kind": kind_of(step),
        "subject": step.subject,
        "source": source_of(step),
        "origin": data_or_none(step_origin(step)),
        "directive": directive_data(step.directive),
        "path": location_of(step),
    }
    if isinstance(step, Merge):
        data["policy"] = step.policy.label
    if isinstance(step, Fail):
        data["refused"] = {"code": step.finding.code, "message": step.finding.message}
    return data
