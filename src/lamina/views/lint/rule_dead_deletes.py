"""Deletions that hit nothing: values that delete what they meet, and markers that knock out others.

A marker is what is cleaned up at the end. It has hit something when anything in any output was lost to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.delta import MapDelta
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.whole import DELETE
from lamina.engine.plan import Merge
from lamina.engine.provenance import key_origin, source_nodes_of
from lamina.errors import Diagnostic
from lamina.views.lint.merge_pairs import markers_of, removing_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.node import Node, SourceNode
    from lamina.engine.policy import Policy
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.views.lint.context import Survey
    from lamina.views.lint.merge_pairs import MergePair

_ANY_VALUE = 1
"""A placeholder for a value that would have been there."""


def ineffective_deletes(survey: Survey) -> Iterator[Note]:
    """A finding for each deletion or marker that in no output hits anything."""
    missed: dict[Origin, tuple[MergePair, Path, SourceNode]] = {}
    hit: set[Origin] = set()
    for pair in survey.merge_pairs:
        hit.update(node.origin() for removing in removing_nodes(pair.node) for node in source_nodes_of(removing))
        for path, node, found in (*_deletions(pair), *((*marker, False) for marker in markers_of(pair))):
            for written in list(source_nodes_of(node))[:1]:
                if found:
                    hit.add(written.origin())
                else:
                    missed.setdefault(written.origin(), (pair, path, written))
    for origin, (pair, path, written) in missed.items():
        if origin not in hit:
            yield _finding(survey, pair, path, written)


def _deletions(pair: MergePair) -> Iterator[tuple[Path, Node, bool]]:
    """Members of a merged mapping whose new value says "delete", and whether there was anything to delete."""
    step, old, new = pair.step, pair.old.value, pair.new.value
    if not (isinstance(step, Merge) and isinstance(pair.delta, MapDelta) and isinstance(old, dict)):
        return
    operator = _policy_at(step, pair).table.pick(old, new) if isinstance(new, dict) else None
    if isinstance(operator, Union):
        for key, value in new.items():
            if key in pair.delta.entries and operator.cases.pick(_ANY_VALUE, value) is DELETE:
                yield (*pair.path, key), pair.new.child(key), key in old


def _policy_at(step: Merge, pair: MergePair) -> Policy:
    policy = step.policy
    for name in pair.path[len(step.path) :]:
        if not isinstance(name, int):
            policy = policy.enter(name)
    return policy


def _finding(survey: Survey, pair: MergePair, path: Path, written: SourceNode) -> Note:
    shown = survey.name(written, pair)
    marker = isinstance(pair.step, Merge) and pair.step.cleans
    return Diagnostic(
        code="deletes-nothing",
        message=f"the knockout marker {shown} matches nothing"
        if marker
        else f"{shown} is deleted here, but no layer sets it",
        at=key_origin(written),
        path=survey.full_path(pair.output, path),
        hint="remove it, or check how the name is written",
        subject=written.layer,
    )
