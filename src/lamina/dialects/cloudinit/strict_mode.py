"""Strict mode: everything that the program drops with a line in its log becomes an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.plan import Directive, Fail, Output, Stage
from lamina.errors import Severity

if TYPE_CHECKING:
    from lamina.engine.plan import Compiler
    from lamina.errors import Note


def strictly(compiler: Compiler) -> Compiler:
    """The same stages, and one more that rejects everything that was dropped or ignored."""
    dropped: list[Note] = []
    stage = next(compiler)
    while True:
        results = yield stage
        if isinstance(stage, Stage):
            dropped.extend(stage.notes)
            for output in stage.outputs:
                dropped.extend(results[output.name].notes)
        try:
            stage = compiler.send(results)
        except StopIteration:
            break
    rejected = [note for note in dropped if note.severity >= Severity.ERROR]
    if rejected:
        yield Stage(title="strict", outputs=tuple(_rejection(number, note) for number, note in enumerate(rejected, 1)))


def _rejection(number: int, note: Note) -> Output:
    step = Fail(directive=Directive("strict", note.at), finding=note, subject=note.subject)
    return Output(name=f"strict-{number}", steps=(step,), hidden=True)
