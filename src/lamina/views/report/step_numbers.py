"""Steps by number: two steps have the same one if the page shows the same of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.step_context import StepRef
from lamina.views.report.outline_parts import UnknownPart, is_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from lamina.engine.merged_node import MergedNode
    from lamina.engine.policy import Policy


class StepNumbers:
    """The numbers of steps; `through` says what the page shows of the name of an output."""

    def __init__(self, through: Callable[[str], Hashable]) -> None:
        self._through = through
        self._numbers: dict[Hashable, int] = {}
        """Small numbers for steps: what is compared is short."""
        self._steps: dict[tuple[str | None, int, int], int] = {}
        """The numbers of steps, by the identity of the policy; the deltas keep it alive."""
        self._own: dict[int, Policy | None] = {}
        """The policy of each step."""

    def _number(self, entry: Hashable) -> int:
        return self._numbers.setdefault(entry, len(self._numbers) + 1)

    def of(self, verdict: str | None, policy: Policy | None, cause: int) -> int:
        """A step with what is shown of the policy in force: its entry, unless that is the policy of the step itself."""
        if not cause:
            return 0
        known = verdict, id(policy), cause
        number = self._steps.get(known)
        if number is None:
            entry: Hashable = (verdict, None, cause)
            if policy is not None and policy is not self._own[cause] and policy.label:
                entry = verdict, policy.label, policy.origin, cause
            number = self._steps[known] = self._number(entry)
        return number

    def plain_cause(self, node: MergedNode, table: str | None) -> int:
        """The cause of a step that took one side whole, or merged plain collections."""
        if not is_plain(node.delta) or node.marker is not None:
            raise UnknownPart
        return self.cause(node, table)

    def cause(self, node: MergedNode, table: str | None) -> int:
        """All that the page shows of the step that merged two nodes, but for what may differ from key to key."""
        cause = node.cause
        if not isinstance(cause, StepRef):
            raise UnknownPart
        if cause.output == table:
            return 0
        step = cause.step
        if getattr(step, "directives", None):
            raise UnknownPart
        own, said = getattr(step, "policy", None), step.directive
        number = self._number((id(own), said.text, said.origin, step.verb, step.forwards, self._through(cause.output)))
        self._own[number] = own
        return number
