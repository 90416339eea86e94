"""The public API for rendering."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.engine import fold
from lamina.errors import LaminaError, MergeError, Severity
from lamina.protocol.dialect import has_compat
from lamina.run import Run
from lamina.session import Session, default_session
from lamina.sources.inputs import gather
from lamina.values import holds_unknown
from lamina.views.result import Result

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lamina.engine.fold import Reuse
    from lamina.engine.plan import Plan
    from lamina.engine.step_context import Ledger
    from lamina.errors import Diagnostic, Note
    from lamina.protocol.dialect import Dialect
    from lamina.sources.inputs import Folders, Given, Inputs


def render(
    inputs: Iterable[Given] | Given | Inputs,
    dialect: str | Dialect[Any] | None = None,
    compat: str = "program",
    *,
    allow_paths: Folders = (),
    session: Session | None = None,
    **options: Any,
) -> Result:
    """Render layered configuration: the value the real system gives, with the history of every part of it.

    `inputs` are paths, `(name, text)` pairs, mappings, `(name, mapping)` pairs or Sources, in the order they are
    merged; `dialect` is a name or a Dialect. `compat` is `program` for what
    the program does and `manual` for what its manual says; where the two differ on these inputs, notes say so.
    An input may name files in its own folder (includes, nested templates), and in the folders in `allow_paths`.
    What is read is kept in `session`, for further calls with it.
    """
    chosen, gathered = chosen_inputs(inputs, dialect, allow_paths, options, Run(session))
    return render_explained(chosen, gathered, dialects.make_options(chosen, {"compat": compat, **options}))


def chosen_inputs(
    inputs: Iterable[Given] | Given | Inputs,
    dialect: str | Dialect[Any] | None,
    allow_paths: Folders,
    options: Collection[str],
    in_run: Run,
) -> tuple[Dialect[Any], Inputs]:
    """The dialect that the caller chose, else the one that is detected, and what it is to read in a run.

    `options` are the names of those that the caller passed.
    """
    if not dialect:
        gathered = gather(inputs, allow_paths, run=in_run)
        return dialects.detect(gathered, lambda: dialects.with_options(options)), gathered
    chosen = dialects.find(dialect)
    return chosen, gather(inputs, allow_paths, header=chosen.header, run=in_run)


def render_explained(chosen: Dialect[Any], inputs: Inputs, options: Any, reuse: Reuse | None = None) -> Result:
    """Render by a dialect with its options, with notes where its two compatibility modes differ, if it has them.

    What `reuse` knows already is not folded again.
    """
    rendered = render_with(chosen, inputs, options, reuse)
    if not has_compat(options):
        return rendered

    def compared() -> list[Note]:
        from lamina.views.compat_check import compat_notes

        return compat_notes(rendered, inputs, render_with)

    return replace(rendered, compare=compared)


def render_complete(chosen: Dialect[Any], inputs: Inputs, options: Any) -> Result:
    """Render everything in the inputs, unless the options select a part."""
    from lamina.protocol.extensions import complete_scope

    complete_options = complete_scope(chosen, options)
    return render_explained(chosen, inputs, options if complete_options is None else complete_options)


def render_with(chosen: Dialect[Any], inputs: Inputs, options: Any, reuse: Reuse | None = None) -> Result:
    """Render by a dialect with its options, without comparing compatibility modes."""
    ledger = run(chosen, inputs, options, reuse)
    faults = _faults(ledger)
    if faults and not ledger.plan.result.partial:
        raise MergeError.of(faults)
    result = _result(chosen, options, ledger, faults)
    if getattr(options, "strict", False):
        check_strictly(result)
    return result


def check_strictly(result: Result) -> None:
    """Reject a result of which anything was dropped, is unknown, or was assumed."""
    found = [note for note in result.notes if note.severity >= Severity.ERROR or note.error_if_strict]
    if found:
        raise MergeError.of([replace(note, severity=Severity.ERROR) for note in found])


def result_of(chosen: Dialect[Any], options: Any, ledger: Ledger) -> Result:
    """The result of a run, as far as it did not fail; what failed is among the notes."""
    return _result(chosen, options, ledger, _faults(ledger))


def _faults(ledger: Ledger) -> list[Diagnostic]:
    return [fault for folded in ledger.results.values() for fault in folded.faults]


def _result(chosen: Dialect[Any], options: Any, ledger: Ledger, faults: list[Diagnostic]) -> Result:
    given = [folded for folded in ledger.results.values() if not folded.output.hidden and not folded.faults]
    order = ledger.plan.result.order
    outputs = tuple(order(given) if order else given)
    notes = (*notes_of(ledger), *faults)
    if any(holds_unknown(each.value) for each in outputs):
        from lamina.views.unknown import unknown_notes

        notes += tuple(unknown_notes(outputs))
    return Result(chosen, options, ledger.plan, outputs, notes, record=ledger)


def run(
    chosen: Dialect[Any],
    inputs: Inputs,
    options: Any,
    reuse: Reuse | None = None,
) -> Ledger:
    """Compile and fold, with a budget of its own."""
    folding = inputs.run.with_budget()
    try:
        return fold.run(chosen.compile(inputs.in_run(folding), options), folding, reuse)
    except LaminaError:
        raise
    except Exception as error:
        if chosen.name not in dialects.BUILT_IN:
            from lamina._support.plugin_defect import note_dialect

            note_dialect(error, chosen.name)
        raise
    finally:
        folding.end()


def notes_of(ledger: Ledger) -> list[Note]:
    """All notes of a run, in the order of stages and outputs."""
    notes: list[Note] = []
    for stage in ledger.plan.stages:
        notes.extend(stage.notes)
        for output in stage.outputs:
            notes.extend(ledger.results[output.name].notes)
    return notes


def plan(
    inputs: Iterable[Given] | Given | Inputs,
    dialect: str | Dialect[Any] | None = None,
    compat: str = "program",
    *,
    allow_paths: Folders = (),
    session: Session | None = None,
    **options: Any,
) -> Plan:
    """The plan the inputs compile to, stage by stage; it shares nothing with other calls."""
    with Session(limits=(session or default_session()).limits) as own:
        chosen, gathered = chosen_inputs(inputs, dialect, allow_paths, options, Run(own))
        return run(chosen, gathered, dialects.make_options(chosen, {"compat": compat, **options})).plan
