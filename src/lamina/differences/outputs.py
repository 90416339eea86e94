"""Outputs: which output of one result is which of the other, and what changed in each.

Outputs belong together when they have the same name; where there is only one on each side, whatever it is called.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina.differences.cause import Inquiry
from lamina.differences.change import Cause, Change, How, Kind
from lamina.differences.claims import Witness
from lamina.differences.lists import Alignment, match
from lamina.differences.provenance import moved_origins
from lamina.merge.lineage import first_origin, holds_secret, layer_of
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.differences.compare import Comparer
    from lamina.differences.naming import Names
    from lamina.differences.numbering import Numbering
    from lamina.fold import Folded
    from lamina.rendered import Rendered


def matched(before: Rendered, after: Rendered) -> Alignment:
    """The outputs of two results, laid beside one another."""
    if not (before.many or after.many) and len(before.outputs) == len(after.outputs) == 1:
        return Alignment([(0, 0)])
    return match([each.output.name for each in before.outputs], [each.output.name for each in after.outputs])


class Outputs:
    """Two results, compared output by output."""

    def __init__(self, before: Rendered, after: Rendered, names: tuple[Names, Names]) -> None:
        self._before = before
        self._after = after
        self._names = names
        self._hides = not getattr(after.options, "cleartext_secrets", False)

    def changes(self, comparer: Comparer, numbering: Numbering, *, provenance: bool) -> Iterator[Change]:
        """Everything that differs: outputs that went, those that differ, and those that came."""
        alignment = matched(self._before, self._after)
        for one in alignment.removed:
            yield self._whole(self._before.outputs[one], Kind.REMOVED)
        for one, other in sorted([*alignment.kept, *alignment.moved]):
            old, new = self._before.outputs[one], self._after.outputs[other]
            inquiry = Inquiry(self._witness(old, 0, numbering), self._witness(new, 1, numbering))
            name = new.output.name if self._after.many else None
            for change in comparer.changes(_value(old), _value(new)):
                secret = self._secret(change, old, new)
                yield replace(change, output=name, causes=inquiry.causes(change), secret=secret)
            if provenance:
                for change in moved_origins(old.node, new.node, comparer, self._names):
                    yield replace(change, output=name, secret=self._secret(change, old, new))
        for other in alignment.added:
            yield self._whole(self._after.outputs[other], Kind.ADDED)

    def _secret(self, change: Change, old: Folded, new: Folded) -> bool:
        if not self._hides:
            return False
        before = change.before is not MISSING and holds_secret(old.node.at(change.at_before))
        return before or (change.after is not MISSING and holds_secret(new.node.at(change.at_after)))

    def _whole(self, folded: Folded, kind: Kind) -> Change:
        how = How.SET if kind is Kind.ADDED else How.GONE
        origin = first_origin(folded.node)
        causes = (Cause(how, origin, layer_of(folded.node)),) if origin else ()
        whole = Change(kind=kind, path=(), at_before=(), at_after=(), output=folded.output.name, causes=causes)
        side = "after" if kind is Kind.ADDED else "before"
        hidden: dict[str, Any] = {side: _value(folded), "secret": self._hides and holds_secret(folded.node)}
        return replace(whole, **hidden)

    def _witness(self, folded: Folded, side: int, numbering: Numbering) -> Witness:
        return Witness(folded.node, self._names[side], numbering)


def _value(folded: Folded) -> object:
    return None if folded.value is MISSING else folded.value
