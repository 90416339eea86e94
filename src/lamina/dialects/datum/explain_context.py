"""What is behind a looked-up value: every layer of the precedence, those with nothing to say included."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina._support.escapes import text_of
from lamina.dialects.datum.lookup_report import explain_lookup
from lamina.dialects.extensions import Context, Explain
from lamina.paths import MISSING, show
from lamina.views.explain import in_brief, origin_data

if TYPE_CHECKING:
    from lamina.dialects.datum.lookup_report import LayerValue, LookupStory
    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


def context(rendered: Result, inputs: Inputs, path: Path) -> Context | None:
    """The layers behind a path of a lookup, or of a node's resultant set."""
    options = rendered.options
    if options.all_nodes and path:
        options, path = replace(options, node=str(path[0]), all_nodes=False), path[1:]
    if options.lookup is None and path:
        options, path = replace(options, lookup=str(path[0])), path[1:]
    if options.lookup is None or options.node is None or options.layers is not None:
        return None
    story = explain_lookup(inputs, options, path)
    return Context(_text(story, path), _data(story))


def _text(story: LookupStory, path: Path) -> str:
    place = f" at {story.strategy_origin}" if story.strategy_origin else ""
    within = f" at {show(path)}" if path else ""
    lines = [f"layers of {story.lookup}{within}, most specific first, by {story.strategy}{place}"]
    lines.extend(f"  {line}" for layer in story.layers for line in _layer_lines(layer))
    lines.extend(
        f"  {event.verdict}: {in_brief(event.displaced)} becomes {in_brief(event.result)}" for event in story.clean_up
    )
    lines.extend(line for note in story.notes for line in _note_lines(note))
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


def _data(story: LookupStory) -> dict[str, Any]:
    return {
        "lookup": story.lookup,
        "strategy": story.strategy,
        "strategy_origin": origin_data(story.strategy_origin) if story.strategy_origin else None,
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
            for layer in story.layers
        ],
        "notes": [{"code": note.code, "message": note.message} for note in story.notes],
    }


EXPLAIN = Explain(context=context)
