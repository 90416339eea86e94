"""Values and whole layers that are completely overridden.

A value is dead when no result holds anything of it, and it neither knocked out anything nor gave way to its like. That
a single result overrides a value is what layers are for; so a value is reported only where two results or more use its
layer, and a layer only when all of it is dead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.provenance import key_origin
from lamina.errors import Diagnostic
from lamina.paths import show
from lamina.views.lint.layer_index import members_of
from lamina.views.lint.output_flow import common_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.node import SourceNode
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.views.lint.context import Survey
    from lamina.views.lint.kept_records import KeptRecords
    from lamina.views.lint.layer_index import Layer


def always_overridden(survey: Survey) -> Iterator[Note]:
    """A finding for each value that all results override."""
    overridden = {layer.name for layer in _overridden_layers(survey)}
    reported: set[Origin] = set()
    for layer in survey.layers:
        results = survey.ends_of(layer.node)
        if len(results) < 2 or layer.name in overridden:
            continue
        for node in _dead_members(layer.node, survey.kept)[1]:
            if node.origin() not in reported:
                reported.add(node.origin())
                yield _overridden(survey, node, layer, len(results))


def overridden_layers(survey: Survey) -> Iterator[Note]:
    """A finding for each layer of which no result holds anything."""
    for layer in _overridden_layers(survey):
        yield Diagnostic(
            code="overridden-layer",
            message=f"nothing of {layer.node.layer} is in the result: other layers override all of it",
            at=layer.node.origin(),
            hint="check the order of the layers and the merge rule, or remove this layer",
            subject=layer.node.layer,
        )


def _overridden_layers(survey: Survey) -> list[Layer]:
    """The first appearance of each layer that has something to say and of which nothing is left."""
    first: dict[tuple[str, str], Layer] = {}
    used: set[tuple[str, str]] = set()
    for layer in survey.layers:
        name = layer.name
        if name in used or not survey.ends_of(layer.node):
            continue
        if not layer.node.value or survey.kept.holds_any(layer.node):
            used.add(name)
        else:
            first.setdefault(name, layer)
    return [layer for name, layer in first.items() if name not in used]


def _dead_members(node: SourceNode, kept: KeptRecords) -> tuple[bool, list[SourceNode]]:
    """Whether anything of a value is left, and the largest members of which nothing is."""
    if not node.value or not isinstance(node.value, dict) or kept.holds(node) or kept.holds_all(node):
        return kept.holds_any(node), []
    used = False
    dead: list[SourceNode] = []
    for member in members_of(node):
        left, inside = _dead_members(member, kept)
        used = used or left
        dead.extend(inside if left else [member])
    return used, dead if used else []


def _overridden(survey: Survey, node: SourceNode, layer: Layer, count: int) -> Note:
    path = layer.path_of(node)
    shown = show(common_end(end for _, end in survey.ends_of(node)))
    return Diagnostic(
        code="always-overridden",
        message=f"{shown} of {node.layer} is never used: all {count} results made from it override it",
        at=key_origin(node),
        path=survey.full_path(layer.output, path),
        hint="remove it, or find out why every one of them overrides it",
        subject=node.layer,
    )
