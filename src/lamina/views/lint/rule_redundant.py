"""Values set again to what they already were.

If two layers set the same value, one of them is not needed. The later one is reported if it could be omitted in every
output that uses it; else the earlier one, if that could be omitted. Where the later value replaces the earlier one only
the later one can be omitted; where the later one is a default, only the earlier one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from lamina.engine.delta import NEW, OLD
from lamina.engine.provenance import key_origin, source_nodes_of
from lamina.errors import Diagnostic, Fix
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.node import Node, SourceNode
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.views.lint.context import Survey
    from lamina.views.lint.merge_pairs import MergePair


class _Repeat(NamedTuple):
    """Two values that are the same: the later one repeats the earlier."""

    later: SourceNode
    earlier: SourceNode
    pair: MergePair


def redundant_values(survey: Survey) -> Iterator[Note]:
    """A finding for each value that could be omitted without changing any result."""
    repeats = [repeat for pair in survey.merge_pairs if (repeat := _repeat(pair))]
    outputs: dict[Origin, set[str]] = {}
    for later, earlier, pair in repeats:
        outputs.setdefault(later.origin(), set()).add(pair.output)
        if pair.delta is OLD:
            outputs.setdefault(earlier.origin(), set()).add(pair.output)
    reported: set[Origin] = set()
    for later, earlier, pair in repeats:
        choices = [(later, earlier), (earlier, later)] if pair.delta is OLD else [(later, earlier)]
        choices = choices[1:] if pair.step.brings_defaults and pair.delta is OLD else choices
        for value, other in choices:
            if outputs[value.origin()] >= survey.outputs_of(value):
                if value.origin() not in reported:
                    reported.add(value.origin())
                    wins = (value is later) == (pair.delta is NEW)
                    yield replace(_finding(survey, value, other, pair), fix=_removal(value) if wins else None)
                break


def _repeat(pair: MergePair) -> _Repeat | None:
    if pair.delta not in (OLD, NEW) or not pair.both or _names_an_item(pair):
        return None
    if not same(pair.old.value, pair.new.value):
        return None
    later, earlier = _only_source(pair.new), _only_source(pair.old)
    if later is None or earlier is None or later.origin() == earlier.origin():
        return None
    return _Repeat(later, earlier, pair)


def _names_an_item(pair: MergePair) -> bool:
    """Whether a value is in an item of a list: two items may have been matched because it is the same."""
    return len(pair.path) > 1 and type(pair.path[-2]) is int


def _only_source(node: Node) -> SourceNode | None:
    """The one written value a node is, if it is one."""
    found = list(source_nodes_of(node))
    return found[0] if len(found) == 1 else None


def _finding(survey: Survey, value: SourceNode, other: SourceNode, pair: MergePair) -> Note:
    return Diagnostic(
        code="redundant-value",
        message=f"{survey.name(value, pair)} has the same value as in {other.layer}",
        at=key_origin(value),
        path=survey.full_path(pair.output, pair.path),
        related=(("the same value is here", key_origin(other)),),
        hint="remove it here, unless it is meant to stay when the other one changes",
        subject=value.layer,
    )


def _removal(value: SourceNode) -> Fix | None:
    """What removes an entry of a mapping; items of lists have positions, which others may count on.

    Only the value that wins is removed: the other one may be a default for results that do not exist yet.
    """
    if not value.path or not isinstance(value.path[-1], str):
        return None
    return Fix(title="remove it", action="remove", at=key_origin(value))
