"""A target: one named result of a project, with its dialect, its inputs in order and its options.

`target_patterns` has the entries of a project that declare many.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, InputError, Severity
from lamina.sources.inputs import Inputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.engine.fold import Reuse
    from lamina.origins import Origin
    from lamina.project.declared import DeclaredTargets, GivenInputs
    from lamina.project.file_view import FileView
    from lamina.protocol.dialect import Dialect
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

    def render(self, view: FileView, reuse: Reuse | None = None) -> Result | None:
        """The result, with notes; None if the view has none of its inputs.

        What `reuse` knows already is not folded again.
        """
        from lamina.views.render import render_explained

        inputs = self.gathered(view)
        return None if inputs is None else render_explained(self.system, inputs, self.dialect_options(), reuse)

    def dialect_options(self) -> Any:
        """The dialect's options."""
        return dialects.make_options(self.system, self.options)

    @property
    def system(self) -> Dialect[Any]:
        """The dialect that its name stands for."""
        return self.passed or dialects.find(self.dialect)


def declared_target(declared: DeclaredTargets, view: FileView) -> Target:
    """The target of an entry that is no pattern."""
    if declared.given is not None:
        return _of_given(declared, declared.given, view)
    return target_named(declared, declared.key, declared.inputs)


def _of_given(declared: DeclaredTargets, given: GivenInputs, view: FileView) -> Target:
    """The target of inputs that a caller named; its dialect is what they look like, if it is not named."""
    if declared.dialect is not None or declared.passed is not None:
        return replace(target_named(declared, declared.key, declared.inputs), given=given)
    inputs = view.given(given, declared.inputs)
    chosen = dialects.detect(inputs or Inputs(()), given.owners)
    return replace(target_named(declared, declared.key, declared.inputs), dialect=chosen.name, given=given)


def target_named(declared: DeclaredTargets, name: str, inputs: tuple[str, ...]) -> Target:
    """The target of an entry, or one of many, with a name and its inputs."""
    places = tuple(declared.place("inputs", at) for at in range(len(declared.inputs)))
    return Target(
        name=name,
        dialect=declared.dialect or "",
        passed=declared.passed,
        inputs=inputs,
        options=declared.options,
        at=declared.place(),
        input_origins=places,
        guess=guess_of(declared, name),
    )


def guess_of(declared: DeclaredTargets, name: str) -> Diagnostic | None:
    """The note that nobody has confirmed what a target is made of."""
    if not declared.guessed:
        return None
    return Diagnostic(
        code="guessed-order",
        message=f"which files {name} is made of, and in which order, is a guess of lamina init",
        at=declared.place("guessed"),
        hint="correct inputs if they are wrong, then remove guessed = true; until then lint fixes nothing that follows "
        "from them",
        severity=Severity.INFO,
        subject=name,
    )
