"""The graph of documents: who is layered on whom, who replaces whom, and who substitutes from whom."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support.escapes import visible
from lamina.dialects.deckhand.parent_report import site_of
from lamina.dialects.deckhand.select_documents import documents_called
from lamina.plugin.extensions import PlanView
from lamina.plugin.formats import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.deckhand.compile import Site
    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.dialects.deckhand.options import DeckhandOptions
    from lamina.plugin import Plan

_STYLES = {"parent": "solid", "replaces": "bold", "substitutes": "dashed"}
_WORDS = {"parent": "is layered on", "replaces": "replaces", "substitutes": "substitutes from"}


class Edge(NamedTuple):
    """One document needs another, in a certain way; `label` says what of it."""

    start: str
    end: str
    kind: str
    label: str = ""


def edges(plan: Plan) -> list[Edge]:
    """All relations between the documents of a plan, in the order the documents are rendered."""
    site = site_of(plan)
    return list(dict.fromkeys(edge for document in site.order for edge in _edges(site, document)))


def _edges(site: Site, document: SiteDocument) -> Iterator[Edge]:
    parent = site.parent(document)
    if parent is not None:
        kind = "replaces" if document.replacement else "parent"
        actions = [action for action in document.actions if isinstance(action, dict)]
        label = ", ".join(f"{action.get('method')} {action.get('path')}" for action in actions)
        yield Edge(start=document.title, end=parent.title, kind=kind, label=label)
    for substitution in document.substitutions:
        source = site.source(substitution)
        if source is not None:
            label = str(substitution["src"].get("path", ""))
            yield Edge(start=document.title, end=source.title, kind="substitutes", label=label)


def as_data(plan: Plan) -> dict[str, Any]:
    """The graph as plain data."""
    return {
        "documents": [
            {"name": one.title, "layer": one.layer, "abstract": one.abstract, "control": one.control}
            for one in site_of(plan).order
        ],
        "edges": [{"from": edge.start, "to": edge.end, "kind": edge.kind, "label": edge.label} for edge in edges(plan)],
    }


def as_text(plan: Plan) -> str:
    """The graph as text: each document in the order of rendering, and what it needs."""
    needs: dict[str, list[Edge]] = {}
    for edge in edges(plan):
        needs.setdefault(edge.start, []).append(edge)
    lines: list[str] = []
    for document in site_of(plan).order:
        lines.append(document.title + (" abstract" if document.abstract else ""))
        lines.extend(
            f"  {_WORDS[edge.kind]} {edge.end}" + (f" ({edge.label})" if edge.label else "")
            for edge in needs.get(document.title, [])
        )
    return text_of(lines)


def as_dot(plan: Plan) -> str:
    """The graph for Graphviz: documents by layer, abstract ones dashed, substitutions as dashed arrows."""
    site = site_of(plan)
    lines = ["digraph documents {", "  rankdir=BT;", "  node [shape=box];"]
    for number, layer in enumerate(dict.fromkeys(["", *site.layers.order])):
        inside = [document for document in site.order if document.layer == layer]
        if inside:
            lines.append(f"  subgraph cluster_{number} {{")
            lines.append(f"    label={_quoted(layer or 'no layer')};")
            lines.extend(f"    {_node(document)};" for document in inside)
            lines.append("  }")
    for edge in edges(plan):
        style = f"style={_STYLES[edge.kind]}, label={_quoted(edge.label)}"
        lines.append(f"  {_quoted(edge.start)} -> {_quoted(edge.end)} [{style}];")
    return text_of([*lines, "}"])


def _node(document: SiteDocument) -> str:
    style = ", style=dashed" if document.abstract else ""
    return f"{_quoted(document.title)} [label={_quoted(document.name)}{style}]"


def _quoted(text: str) -> str:
    # Escaped before the backslashes are doubled, so that Graphviz shows the escapes.
    return '"' + visible(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def part_of(plan: Plan, options: DeckhandOptions) -> Plan:
    """What is left of a plan for the document that is asked for: it, and all that it needs."""
    if options.document is None:
        return plan
    site = site_of(plan)
    names = _needed(plan, [one.title for one in documents_called(options.document, site.documents)])
    facts = replace(site, order=[one for one in site.order if one.title in names])
    stages = [
        replace(stage, outputs=tuple(one for one in stage.outputs if one.name in names), facts=stage.facts and facts)
        for stage in plan.stages
    ]
    return replace(plan, stages=stages)


def _needed(plan: Plan, names: list[str]) -> set[str]:
    """The names of outputs, with those of all that these take from."""
    outputs = {output.name: output for stage in plan.stages for output in stage.outputs}
    found: set[str] = set()
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            names += outputs[name].sources() if name in outputs else ()
    return found


PLAN = PlanView(
    "graph",
    as_text,
    as_data,
    as_dot,
    part=part_of,
    part_help="--document NAME those of one document and of what it needs",
)
