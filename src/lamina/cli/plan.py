"""`lamina plan`: the steps and the rules, stage by stage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import escaped_json, one_line
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.notes import show_notes
from lamina.cli.output import echo, echo_all, status_of
from lamina.cli.selected_targets import TargetMessages, too_many
from lamina.cli.target_json import target_json, with_frame
from lamina.cli.target_request import selected_targets
from lamina.cli.terminal import fits_width, takes_colour
from lamina.errors import LaminaError, Severity
from lamina.protocol.extensions import boot_view_of, plan_view_of
from lamina.views.plan_text import MANY, as_data, as_text, outputs_of, summary
from lamina.views.render import notes_of, run

if TYPE_CHECKING:
    from lamina.cli.selected_targets import RenderRequest, SelectedTargets
    from lamina.engine.plan import Plan
    from lamina.engine.step_context import Ledger
    from lamina.errors import Note
    from lamina.project.target import Target
    from lamina.protocol.dialect import Dialect
    from lamina.protocol.extensions import PlanView


@click.command("plan", cls=DialectCommand, epilog=example("lamina plan base.yaml site.yaml"))
@format_option(("text", "json", "dot"), about="Output format; dot is for Graphviz, for systems that have a graph.")
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@click.option("--full", is_flag=True, help="Print every step, however many there are.")
@click.option("--boot", is_flag=True, help="Show what a boot does with the result, in order, instead of the steps.")
@inputs_and_options
def command(form: str, quiet: bool, full: bool, boot: bool, **given: Any) -> int:
    """Show which layers are merged in which order, by which rule, and the line that sets the rule.

    A plan with more than 100 outputs is summarised. The plan is shown even if it cannot be rendered; errors go to
    standard error.
    """
    selected = selected_targets(given)
    if boot:
        return _boot(selected, form, quiet)
    targets = selected.targets()
    if form == "dot" and len(targets) > 1:
        raise too_many("--format dot")
    messages = TargetMessages(len(targets))
    plans: list[tuple[Target, str]] = []

    def planned(_: Target, each: RenderRequest) -> tuple[str, list[Note]]:
        options = each.options()
        ledger = run(each.dialect, each.inputs, options)
        view = plan_view_of(each.dialect)
        plan = view.part(ledger.plan, options) if view and view.part else ledger.plan
        return _written(plan, each.dialect, form, full=full), _all_notes(ledger)

    for target, outcome in selected.each("planning", planned):
        if isinstance(outcome, LaminaError):
            messages.fail(target.name, outcome)
            continue
        text, notes = outcome
        plans.append((target, text))
        messages.note(target.name, (*target.notes, *notes))
    if form == "json":
        echo_all(with_frame(target_json(target, [text]) for target, text in plans))
    else:
        heads = len(targets) > 1
        echo_all(one_line(f"target {target.name}") + f"\n{text}" if heads else text for target, text in plans)
    return messages.print_all(quiet=quiet, status_of=status_of)


def _all_notes(ledger: Ledger) -> list[Note]:
    return [*notes_of(ledger), *(fault for folded in ledger.results.values() for fault in folded.faults)]


def _boot(selected: SelectedTargets, form: str, quiet: bool) -> int:
    request = selected.only("--boot")
    view = boot_view_of(request.dialect)
    if view is None or form == "dot":
        problem = "cannot be drawn as a graph" if view else f"is not known for {request.dialect.name}"
        raise click.UsageError(f"What a boot does {problem}.")
    result = request.result()
    if form == "json":
        (target,) = selected.targets()
        echo_all(with_frame([target_json(target, [_members({"boot": view.data(result)})])]))
    else:
        echo(view.text(result))
    if not quiet:
        show_notes(note for note in result.notes if note.severity > Severity.INFO)
    return status_of(result.notes)


def _members(data: dict[str, Any]) -> str:
    """Data as the inside of a JSON object."""
    from lamina.sources.json.writer import dump

    return escaped_json(dump(data)).strip().removeprefix("{").removesuffix("}")


def _written(plan: Plan, dialect: Dialect[Any], form: str, *, full: bool) -> str:
    view = plan_view_of(dialect)
    if form == "dot":
        if view is None or view.dot is None:
            raise click.UsageError(f"{dialect.name} has no graph; use --format text or json.")
        return view.dot(plan)
    if form == "json":
        return _members({"stages": as_data(plan), **({"views": {view.name: view.data(plan)}} if view else {})})
    if not full and len(outputs_of(plan)) > MANY:
        part = f", {view.part_help}" if view and view.part_help else ""
        return _coloured(summary(plan)) + f"--full prints all steps{part}\n"
    steps = _coloured(as_text(plan))
    return steps + (_view_text(view, plan) if view else "")


_HEADINGS = re.compile(r"^(?:stage|  output) .*$", re.MULTILINE)


def _coloured(text: str) -> str:
    """The steps with what they belong to in bold, where a terminal may have it."""
    return _HEADINGS.sub(lambda match: click.style(match[0], bold=True), text) if takes_colour() else text


def _view_text(view: PlanView, plan: Plan) -> str:
    """What the dialect shows beyond the steps: as a table, where there is a terminal with room for it."""
    shown = view.table(plan) if view.table else None
    if shown is None or not shown.sections or not fits_width([_MIN_WIDTH] * len(shown.columns)):
        return view.text(plan)
    from lamina.cli.tables import Column, table, text, written

    columns = [Column(title, _MIN_WIDTH) for title in shown.columns]
    return written("", text(view.name, "bold"), table(columns, shown.sections))


_MIN_WIDTH = 18
"""Characters a column needs to be read with ease."""
