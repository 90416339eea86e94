"""The context of a looked-up value: every layer of the precedence, including those that do not set it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina._support.escapes import text_of
from lamina.dialects.datum.lookup_report import explain_lookup
from lamina.origins import origin_data
from lamina.paths import MISSING, show
from lamina.protocol.extensions import Context, Explain
from lamina.sources.json.brief import in_brief

if TYPE_CHECKING:
    from lamina.dialects.datum.lookup_report import LayerValue, LookupReport
    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.protocol.rendered import Rendered
    from lamina.sources.inputs import Inputs


def context(rendered: Rendered, inputs: Inputs, path: Path) -> Context | None:
    """The layers behind a path of a lookup, or of a node's resultant set."""
    options = rendered.options
    if options.all_nodes and path:
        options, path = replace(options, node=str(path[0]), all_nodes=False), path[1:]
    if options.lookup is None and path:
        options, path = replace(options, lookup=str(path[0])), path[1:]
    if options.lookup is None or options.node is None or options.layers is not None:
        return None
    report = explain_lookup(inputs, options, path)
    return Context(_text(report, path), _data(report))


def _text(report: LookupReport, path: Path) -> str:
    origin = f" at {report.strategy_origin}" if report.strategy_origin else ""
    within = f" at {show(path)}" if path else ""
    lines = [f"layers of {report.lookup}{within}, most specific first, by {report.strategy}{origin}"]
    lines.extend(f"  {line}" for layer in report.layers for line in _layer_lines(layer))
    lines.extend(
        f"  {event.verdict}: {in_brief(event.displaced)} becomes {in_brief(event.result)}" for event in report.clean_up
    )
    lines.extend(line for note in report.notes for line in _note_lines(note))
    return text_of(lines)


def _note_lines(note: Note) -> list[str]:
    first, *rest = note.lines()
    return [f"note: {first}", *rest]


def _layer_lines(layer: LayerValue) -> list[str]:
    if not layer.exists:
        return [f"{layer.path}: does not exist"]
    if layer.value is MISSING:
        return [f"{layer.path}: not set ({layer.file})"]
    head = f"{layer.path}: {in_brief(layer.value)} ({layer.origin or layer.file})"
    if layer.verdict is None:
        return [head]
    return [head, f"  {layer.verdict}" + (f" by {layer.directive}" if layer.directive else "")]


def _data(report: LookupReport) -> dict[str, Any]:
    return {
        "lookup": report.lookup,
        "strategy": report.strategy,
        "strategy_origin": origin_data(report.strategy_origin) if report.strategy_origin else None,
        "layers": [
            {
                "prefix": layer.prefix,
                "path": layer.path,
                "file": layer.file,
                "says": None if layer.value is MISSING else layer.value,
                "origin": origin_data(layer.origin) if layer.origin else None,
                "verdict": layer.verdict,
                "directive": str(layer.directive) if layer.directive else None,
            }
            for layer in report.layers
        ],
        "notes": [{"code": note.code, "message": note.message} for note in report.notes],
    }


EXPLAIN = Explain(context=context)
