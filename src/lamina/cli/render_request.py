"""Rendering for a command: one target with its dialect, its inputs and its options, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, InputError, Severity
from lamina.views.render import render_complete, render_explained

if TYPE_CHECKING:
    from lamina.project.target import Target
    from lamina.protocol.dialect import Dialect
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """A target as a command renders it."""

    dialect: Dialect[Any]
    inputs: Inputs
    given: dict[str, Any]

    @classmethod
    def of(cls, target: Target, inputs: Inputs) -> RenderRequest:
        """The request for a target, with its inputs read."""
        return cls(target.system, inputs, dict(target.options))

    def options(self) -> Any:
        """The dialect's options."""
        return dialects.make_options(self.dialect, self.given)

    def result(self, *, whole: bool = False) -> Result:
        """The result; with `whole` that of everything, unless the options select a part."""
        result = (render_complete if whole else render_explained)(self.dialect, self.inputs, self.options())
        if not whole:
            self.check_nodes(result)
        return result

    def check_nodes(self, *results: Result) -> None:
        """Reject results that are tables of nodes without a single one: there is nothing to show or to compare."""
        if all(result.spec.shape == "table" and not result.documents() for result in results):
            reasons = [note for note in results[0].notes if note.severity >= Severity.WARNING]
            raise InputError.of(reasons or [no_nodes(self.dialect, ", ".join(item.name for item in self.inputs.items))])


def no_nodes(dialect: Dialect[Any], where: str) -> Diagnostic:
    """The finding that inputs have no nodes, so that there is nothing to render."""
    from lamina.protocol.extensions import fleet_of

    fleet = fleet_of(dialect)
    message = f"there are no nodes in {where}" if where else "there are no nodes"
    return Diagnostic(code="no-nodes", message=message, hint=fleet.without_nodes if fleet else None)
