"""A target: one thing that is rendered, by name, with its dialect, its inputs in order and its options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.engine.run_record import RunRecord
    from lamina.errors import Diagnostic
    from lamina.origins import Origin
    from lamina.project.file_view import FileView
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One target of a project.

    `inputs` are paths from the root of the project, in the order they are merged. `options` are those of the dialect,
    by name; paths in them are absolute. Which files the paths lead to is said by a view: the same target can be
    rendered from disk, from a commit, or with files replaced in memory.
    """

    name: str
    dialect: str
    inputs: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    common: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """Where the options select one of several nodes in the same inputs: the options without what selects it."""
    at: Origin | None = field(default=None, compare=False)
    """Where the project says that there is this target."""
    places: tuple[Origin | None, ...] = field(default=(), compare=False, repr=False)
    """Where each of the inputs is written."""
    problem: Diagnostic | None = None
    """Why it cannot be rendered, if that is known before its files are read."""

    def gathered(self, view: FileView) -> Inputs | None:
        """What it is rendered from, in a view; None where the view has none of its inputs."""
        if self.problem is not None:
            raise InputError(self.problem)
        return view.inputs(self.inputs, self.places)

    def render(self, view: FileView, earlier: RunRecord | None = None) -> Result | None:
        """The result, with notes; None where the view has none of its inputs.

        What would come out as it did in an earlier run is taken over from that.
        """
        from lamina.views.render import render_explained

        inputs = self.gathered(view)
        chosen = dialects.find(self.dialect)
        return None if inputs is None else render_explained(chosen, inputs, self.settled(), earlier)

    def settled(self) -> Any:
        """The dialect's options."""
        return dialects.make_options(dialects.find(self.dialect), self.options)
