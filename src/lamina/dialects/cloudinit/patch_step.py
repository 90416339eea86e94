"""The step that applies a JSON patch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.budget import BudgetExceeded
from lamina.engine.merge_context import MergeContext
from lamina.engine.plan import Step
from lamina.engine.provenance import first_origin
from lamina.engine.step_context import StepFailure

if TYPE_CHECKING:
    from lamina.dialects.cloudinit.json_patch import InapplicableOperation
    from lamina.engine.node import Node
    from lamina.engine.step_context import StepContext
    from lamina.errors import Diagnostic


@dataclass(slots=True, kw_only=True, eq=False)
class PatchOperation:
    """One operation of a patch; paths are unescaped tokens, read as keys or positions where they are applied.

    `value` is the value of an operation; `node` is the operation itself, the source of a removal. A `problem` (an
    error and a sentence) makes it fail once its turn comes.
    """

    operation: str
    path: tuple[str, ...]
    source: tuple[str, ...] = ()
    value: Node | None = None
    node: Node
    problem: tuple[str, str] | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Patch(Step):
    """Apply operations one after the other, all or nothing."""

    changes: tuple[PatchOperation, ...]

    def apply(self, context: StepContext) -> Node:
        from lamina.dialects.cloudinit.json_patch import InapplicableOperation, patched

        try:
            return patched(context.node, self.changes, context.ref, MergeContext(context.ledger.budget))
        except InapplicableOperation as inapplicable:
            # What only Lamina cannot do stops the run: dropping the patch would give another result than the program.
            raise StepFailure(self._finding(inapplicable), final=inapplicable.fault == "cyclic") from None
        except BudgetExceeded as spent:
            raise context.too_large(spent) from None

    def _finding(self, inapplicable: InapplicableOperation) -> Diagnostic:
        text = self.faults[inapplicable.fault]
        change = self.changes[inapplicable.number - 1]
        there = first_origin(inapplicable.there) if inapplicable.there else None
        return text.at(
            first_origin(change.node) or self.directive.origin,
            inapplicable.path,
            subject=self.subject,
            related=[("the current value is here", there)],
            detail=inapplicable.detail,
            layer=self.subject or "this patch",
            number=inapplicable.number,
        )
