"""The selected targets of a command, and the messages about them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lamina._support.escapes import one_line
from lamina.cli.output import UNREADABLE, print_error
from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, InputError, LaminaError, Severity
from lamina.views.render import render_complete, render_explained

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from lamina.cli.target_request import TargetRequest
    from lamina.errors import Note
    from lamina.project.declared import DeclaredTargets
    from lamina.project.file_view import FileView
    from lamina.project.project import Project
    from lamina.project.shared_entries import SharedEntry
    from lamina.project.target import Target
    from lamina.protocol.dialect import Dialect
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class SelectedTargets:
    """A project of which the targets of a command are selected, and what its command line said."""

    project: Project
    request: TargetRequest

    def targets(self, view: FileView | None = None, *, check: bool = True) -> tuple[Target, ...]:
        """The targets, on disk or in another view of the files; none at all is an error, unless that is not checked."""
        if check:
            self.project.check_selection(self.project.targets if self.project.patterns else ())
        found = self.project.selected(view)
        if check and not found:
            raise InputError(no_targets(self.project))
        return found

    @property
    def is_one(self) -> bool:
        """Whether there is one target, so that what is said of it is all there is to say."""
        return len(self.targets()) == 1

    def targets_to_lint(self) -> tuple[Target, ...]:
        """The targets wanted; folders of nodes without any by themselves, since their files can be checked."""
        found = self.targets(check=False)
        if found or self.project.patterns:
            return self.targets()
        from lamina.project.target_patterns import folder_of_nodes

        folders = filter(None, map(folder_of_nodes, self.project.file.declared))
        dialect = self.project.dialect
        adapted = map(self.request.changed, folders)
        return tuple(each for each in adapted if dialect in (None, each.dialect)) or self.targets()

    def only(self, what: str = "This command") -> RenderRequest:
        """The only target there is."""
        targets = self.targets()
        if len(targets) != 1:
            raise too_many(what)
        return self.of(targets[0])

    def of(self, target: Target) -> RenderRequest:
        """The request for a target."""
        inputs = target.gathered(self.project.view)
        assert inputs is not None  # what is on disk is complete, or an error
        return RenderRequest.of(target, inputs)

    def lint_request_of(self, target: Target) -> tuple[Dialect[Any], Inputs, Any]:
        """What `lint` takes for a target: its dialect, its inputs and its options."""
        request = self.of(target)
        return request.dialect, request.inputs, request.options()

    def each(
        self, activity: str, work: Callable[[Target, RenderRequest], Outcome]
    ) -> Iterator[tuple[Target, Outcome | LaminaError]]:
        """Every selected target with the result of `work`, or the error; of the only target there is, it is raised."""

        def outcome(target: Target) -> Outcome:
            return work(target, self.of(target))

        targets = self.targets()
        for target, found in zip(targets, self.spread(activity, outcome, targets), strict=True):
            if len(targets) == 1 and isinstance(found, LaminaError):
                raise found
            yield target, found

    def spread(
        self, activity: str, work: Callable[[Item], Outcome], items: Sequence[Item]
    ) -> Iterator[Outcome | LaminaError]:
        """The result of `work` for each item, or the error it raises, in order; in as many processes as requested."""

        def outcome(item: Item) -> Outcome | LaminaError:
            try:
                return work(item)
            except LaminaError as error:
                return error

        if len(items) == 1 and not sys.stderr.isatty():
            return map(outcome, items)
        from lamina.cli.spinner import spinner
        from lamina.cli.target_workers import spread

        return spread(outcome, items, self.request.jobs, partial(spinner, activity, "target"))


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


def too_many(what: str) -> click.UsageError:
    """The error that something is for one target only."""
    return click.UsageError(f"{what} works on one target; name it with --target NAME.")


def no_targets(project: Project) -> Diagnostic:
    """The finding that a project has no targets, at all or of a dialect."""
    declared, dialect = project.file.declared, project.dialect
    if len(declared) == 1 and declared[0].nodes == "" and not os.path.isfile(project.file.path):  # noqa: PTH113 - cheap
        return no_nodes(dialects.find(declared[0].dialect or ""), project.prefix.rstrip("/") or os.curdir)
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
    from lamina.protocol.extensions import fleet_of

    fleet = fleet_of(dialects.find(declared[0].dialect))
    return fleet.without_nodes if fleet else None


class TargetMessages:
    """The notes and failures of targets; equal ones of several targets are printed once.

    What is said of the only target there is names no target, but the nodes or documents that it is about.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._notes: list[tuple[str, Note]] = []
        self._failures: list[tuple[str, Note]] = []

    def note(self, target: str, notes: Iterable[Note]) -> None:
        one = self._total == 1
        self._notes += [((note.subject or "") if one else target, note) for note in notes]

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
    ) -> int:
        """Print them to standard error, with `quiet` only failures; returns the exit status."""
        if self._notes or self._failures:
            self._print(quiet=quiet, kinds=kinds)
        return UNREADABLE if self._failures else status_of(note for _, note in self._notes)

    def _print(self, *, quiet: bool, kinds: Collection[str] | None) -> None:
        from lamina.cli.notes import print_counts, summarised
        from lamina.project.shared_entries import causes, same_note, shared

        if not quiet:
            groups, counts = summarised(shared(self._notes, same_note), kinds)
            self._print_each(groups)
            print_counts(counts)
        self._print_each(causes(shared(self._failures, same_note)))

    def _print_each(self, groups: Iterable[SharedEntry[Note]]) -> None:
        from lamina.cli.notes import print_note
        from lamina.project.shared_entries import in_targets

        total = 0 if self._total == 1 else self._total
        for group in groups:
            print_note(group.entry)
            if total or len(group.targets) > 1:
                print_error(one_line(f"  in {in_targets(group.targets, total)}"))
