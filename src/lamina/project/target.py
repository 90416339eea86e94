"""A target: one named result of a project, with its dialect, its inputs in order and its options."""

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
    from lamina.project.declared import GivenInputs
    from lamina.project.file_view import FileView
    from lamina.protocol.dialect import Dialect
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One target of a project.

    `inputs` are paths from the root of the project, in the order they are merged. `options` are those of the dialect,
    by name; paths in them are absolute. A view provides the files: the same target can be rendered from disk, from a
    commit, or with files replaced in memory.
    """

    name: str
    dialect: str
    inputs: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    common: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """If the options select one of several nodes in the same inputs: the options without the selection."""
    at: Origin | None = field(default=None, compare=False)
    """Where the target is declared."""
    input_origins: tuple[Origin | None, ...] = field(default=(), compare=False, repr=False)
    """Where each of the inputs is declared."""
    guess: Diagnostic | None = field(default=None, compare=False, repr=False)
    """The note that its inputs were guessed, if nobody has confirmed them."""
    given: GivenInputs | None = field(default=None, repr=False)
    """The inputs as a caller named them, if they are not those of a project file."""
    passed: Dialect[Any] | None = field(default=None, compare=False, repr=False)
    """The dialect itself, if the caller passed one instead of a name."""
    problem: Diagnostic | None = None
    """Why it cannot be rendered, if that is known before its files are read."""

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """What is to be said about it whatever it renders to."""
        return () if self.guess is None else (self.guess,)

    def gathered(self, view: FileView) -> Inputs | None:
        """Its inputs in a view; None if the view has none of them."""
        if self.problem is not None:
            raise InputError(self.problem)
        if self.given is not None:
            return view.given(self.given, self.inputs)
        return view.inputs(self.inputs, self.input_origins)

    def render(self, view: FileView, earlier: RunRecord | None = None) -> Result | None:
        """The result, with notes; None if the view has none of its inputs.

        Outputs that cannot have changed since an earlier run are reused.
        """
        from lamina.views.render import render_explained

        inputs = self.gathered(view)
        return None if inputs is None else render_explained(self.system, inputs, self.dialect_options(), earlier)

    def dialect_options(self) -> Any:
        """The dialect's options."""
        return dialects.make_options(self.system, self.options)

    @property
    def system(self) -> Dialect[Any]:
        """The dialect that its name stands for."""
        return self.passed or dialects.find(self.dialect)
