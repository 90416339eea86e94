"""The selected targets of a command, and the messages about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lamina._support.escapes import one_line
from lamina.cli.dialect_options import command_line_defaults, given_options
from lamina.cli.notes import print_counts, print_note, summarised
from lamina.cli.output import UNREADABLE, print_error
from lamina.cli.render_request import RenderRequest
from lamina.cli.spinner import spinner
from lamina.cli.target_workers import spread
from lamina.dialects import registry as dialects
from lamina.dialects.extensions import fleet_of
from lamina.errors import Diagnostic, InputError, LaminaError
from lamina.project.shared_entries import in_targets, same_note, shared
from lamina.project.target_patterns import folder_of_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from lamina.dialects.base import Dialect
    from lamina.errors import Note
    from lamina.project.file_view import FileView
    from lamina.project.project import Project
    from lamina.project.project_file import DeclaredTargets
    from lamina.project.shared_entries import SharedEntry
    from lamina.project.target import Target
    from lamina.sources.inputs import Inputs

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class SelectedTargets:
    """The selected targets of a project, and the arguments of the command line."""

    project: Project
    wanted: tuple[str, ...]
    request: dict[str, Any]
    jobs: int = 1

    @property
    def is_one(self) -> bool:
        """Whether one target was named, so that its result is all there is."""
        return len(self.wanted) == 1 and not _GLOB.search(self.wanted[0])

    def targets(self, view: FileView | None = None, *, check: bool = True) -> tuple[Target, ...]:
        """The targets wanted, of the dialect named if there is one."""
        if check:
            names = self.project.targets if self.wanted else ()
            self.project.check_selection(self.wanted, names)
        found = self.project.select(self.wanted, view, dialect=self.request["dialect"])
        if check and not found:
            raise InputError(no_targets(self.project, self.request["dialect"]))
        return found

    def targets_to_lint(self) -> tuple[Target, ...]:
        """The targets wanted; folders of nodes without any by themselves, since their files can be checked."""
        found = self.targets(check=False)
        if found or self.wanted:
            return self.targets()
        folders = map(folder_of_nodes, self.project.file.declared)
        dialect = self.request["dialect"]
        return tuple(each for each in folders if each and dialect in (None, each.dialect)) or self.targets()

    def only(self) -> RenderRequest:
        """The one target that is named."""
        if not self.is_one:
            raise click.UsageError("This command works on one target; name it with --target NAME.")
        (target,) = self.targets()
        request = self.of(target, self.project.view)
        assert request is not None  # what is on disk is complete, or an error
        return request

    def of(self, target: Target, view: FileView) -> RenderRequest | None:
        """The request for a target: its own options, overridden by those of the command line."""
        inputs = target.gathered(view)
        if inputs is None:
            return None
        chosen = target.system
        options = {**command_line_defaults(chosen), **target.options, **given_options(chosen, self.request["flags"])}
        compat = options.pop("compat", "program")
        return RenderRequest(
            chosen, inputs, self.request["compat"] if self.request["compat"] != "program" else compat, options
        )

    def lint_request_of(self, target: Target) -> tuple[Dialect[Any], Inputs, Any]:
        """What `lint` takes for a target: its dialect, its inputs and its options."""
        request = self.of(target, self.project.view)
        assert request is not None  # what is on disk is complete, or an error
        return request.dialect, request.inputs, request.options()

    def each(
        self, activity: str, work: Callable[[Target, RenderRequest], Outcome]
    ) -> Iterator[tuple[Target, Outcome | LaminaError]]:
        """Every selected target with the result of `work`, or the error."""

        def outcome(target: Target) -> Outcome:
            request = self.of(target, self.project.view)
            assert request is not None  # likewise
            return work(target, request)

        targets = self.targets()
        yield from zip(targets, self.spread(activity, outcome, targets), strict=True)

    def spread(
        self, activity: str, work: Callable[[Item], Outcome], items: Sequence[Item]
    ) -> Iterator[Outcome | LaminaError]:
        """The result of `work` for each item, or the error it raises, in order; in as many processes as requested."""

        def outcome(item: Item) -> Outcome | LaminaError:
            try:
                return work(item)
            except LaminaError as error:
                return error

        return spread(outcome, items, self.jobs, partial(spinner, activity, "target"))


def no_targets(project: Project, dialect: str | None = None) -> Diagnostic:
    """The finding that a project has no targets, at all or of a dialect."""
    declared = project.file.declared
    return Diagnostic(
        code="no-targets",
        message="the project has no targets" + (f" of the dialect {dialect}" if dialect else ""),
        at=declared[0].place() if declared else None,
        hint=_without_nodes(declared)
        or "check the folders that the patterns of the project file name, or add [targets.NAME]",
    )


def _without_nodes(declared: Sequence[DeclaredTargets]) -> str | None:
    """What to do where the only entry of the project file is a folder whose nodes are its targets."""
    if len(declared) != 1 or declared[0].nodes is None or declared[0].dialect is None:
        return None
    fleet = fleet_of(dialects.find(declared[0].dialect))
    return fleet.without_nodes if fleet else None


class TargetMessages:
    """The notes and failures of many targets; equal ones of several targets are printed once."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._notes: list[tuple[str, Note]] = []
        self._failures: list[tuple[str, Note]] = []

    def note(self, target: str, notes: Iterable[Note]) -> None:
        self._notes += [(target, note) for note in notes]

    def fail(self, target: str, error: LaminaError) -> None:
        self._failures += [(target, finding) for finding in error.diagnostics]

    def print_missing(self, missing: LaminaError) -> int:
        """Report that no target has what was asked for; a target that failed may have it, so failures come first."""
        if not self._failures:
            raise missing
        status = self.print_all(quiet=True, status_of=lambda notes: 0)  # noqa: ARG005 - it is that of failures
        print_error(str(missing))
        return status

    def print_all(
        self,
        *,
        quiet: bool,
        status_of: Callable[[Iterable[Note]], int],
        kinds: Collection[str] | None = None,
        differences: bool = False,
    ) -> int:
        """Print them to standard error, with `quiet` only failures; returns the exit status."""
        if not quiet:
            self._print_notes(kinds, differences=differences)
        self._print(shared(self._failures, same_note))
        return UNREADABLE if self._failures else status_of(note for _, note in self._notes)

    def _print_notes(self, kinds: Collection[str] | None, *, differences: bool) -> None:
        groups, counts = summarised(shared(self._notes, same_note), kinds, differences=differences)
        self._print(groups)
        print_counts(counts)

    def _print(self, groups: Iterable[SharedEntry[Note]]) -> None:
        for group in groups:
            print_note(group.entry)
            if self._total > 1:
                print_error(one_line(f"  in {in_targets(group.targets, self._total)}"))
