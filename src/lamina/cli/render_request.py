"""Rendering for a command: the request as given, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.cli.click_options import request
from lamina.cli.dialect_options import dialects_with, options_for
from lamina.cli.spinner import spinner
from lamina.dialects import registry as dialects
from lamina.dialects.extensions import fleet_of
from lamina.errors import Diagnostic, InputError, Severity, UsageError
from lamina.sources.inputs import gather
from lamina.views.render import render_complete, render_explained

if TYPE_CHECKING:
    from lamina.dialects.base import Dialect
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """The request of a command: the dialect, the inputs, and the options as given."""

    dialect: Dialect[Any]
    inputs: Inputs
    compat: str
    given: dict[str, Any]

    def options(self) -> Any:
        """The dialect's options."""
        return dialects.make_options(self.dialect, {"compat": self.compat, **self.given})

    def rendered(self, *, whole: bool = False) -> Result:
        """The result; with `whole` that of everything, unless the options select a part."""
        with spinner("reading and merging"):
            return self.result(whole=whole)

    def result(self, *, whole: bool = False) -> Result:
        """The same, if the caller shows the progress."""
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
    fleet = fleet_of(dialect)
    message = f"there are no nodes in {where}" if where else "there are no nodes"
    return Diagnostic(code="no-nodes", message=message, hint=fleet.without_nodes if fleet else None)


NO_INPUT = Diagnostic(
    code="no-input",
    message="no input given",
    hint="pass files or folders; - reads standard input; lamina init writes a project file for a repository",
)


def render_request_of(given: dict[str, Any], no_input: Diagnostic = NO_INPUT) -> RenderRequest:
    """The request of a command, with its inputs read; the command's own arguments are left in `given`.

    In a project it is the one target that is named.
    """
    from lamina.cli.target_request import selected_targets_of

    targets = selected_targets_of(given)
    if targets is not None:
        return targets.only()
    values = request(given)
    if not values["inputs"] and not values["flags"]:
        raise UsageError(no_input)
    return resolved(gather(values["inputs"], values["allowed"]), values)


def resolved(inputs: Inputs, values: dict[str, Any]) -> RenderRequest:
    """A request on these inputs, with the dialect found."""
    named, flags = values["dialect"], values["flags"]
    chosen = dialects.find(named) if named else dialects.detect(inputs, lambda: dialects_with(flags))
    return RenderRequest(chosen, inputs, values["compat"], options_for(chosen, flags))
