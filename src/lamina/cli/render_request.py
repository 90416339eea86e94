"""Rendering for a command: the request as given, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.cli.click_options import request
from lamina.cli.dialect_options import dialects_with, options_for
from lamina.cli.spinner import spinner
from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, UsageError
from lamina.sources.inputs import gather
from lamina.views.render import render_complete, render_explained

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
        return (render_complete if whole else render_explained)(self.dialect, self.inputs, self.options())


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
    chosen = dialects.find(values["dialect"]) if values["dialect"] else _detected(inputs, values["flags"])
    return RenderRequest(chosen, inputs, values["compat"], options_for(chosen, values["flags"]))


def _detected(inputs: Inputs, flags: Mapping[str, Any]) -> Dialect[Any]:
    return dialects.find(detected_name(lambda: dialects.detect(inputs).name, flags))


def detected_name(detect: Callable[[], str], flags: Mapping[str, Any]) -> str:
    """The dialect that is detected; where inputs look like none, the only one that has the flags given."""
    try:
        return detect()
    except UsageError as error:
        owners = dialects_with(flags) if error.diagnostic.code == "unknown-dialect" else []
        if len(owners) != 1:
            raise
        return owners[0]
