"""The two sides of `lamina diff`: the targets of each, the files they are read from, and what is compared."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from lamina.cli.dialect_options import dialects_with, named_paths
from lamina.cli.selected_targets import RenderRequest, no_targets
from lamina.cli.target_request import of_inputs, selection
from lamina.errors import Diagnostic, InputError, LaminaError, Severity, UsageError
from lamina.project.option_files import check_option_files
from lamina.project.target_differences import TargetChanges, TargetDifferences
from lamina.views.diff.api import Differences, compare, dialect_of
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.edited_lines import EditedLines, rendered_on_record
from lamina.views.diff.match_sources import names_between
from lamina.workspace.idle_edits import edit_effects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.cli.selected_targets import SelectedTargets, TargetMessages
    from lamina.cli.target_request import TargetRequest
    from lamina.errors import Note
    from lamina.project.file_view import FileView
    from lamina.project.project import Project
    from lamina.project.target import Target
    from lamina.sources.git_inputs import Repository
    from lamina.sources.inputs import Inputs
    from lamina.views.diff.edited_lines import ReadSources
    from lamina.views.result import Result

    Labels = tuple[str, str]

    Outcome = TargetChanges | Differences | ChangeKind | Literal["absent"] | None
    """The outcome for a target: its changes, none, added or removed as a whole, or on neither side."""


ABSENT: Literal["absent"] = "absent"
_ON_DISK = "disk"
"""What the files that are not of a commit are called."""
_LINES = 2_000
"""Edited lines of all targets that are looked at for whether they have an effect."""
_FEWEST_LINES = 5
"""The least of one target."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison: the targets there, the files they are read from, and what it is called in errors."""

    selected: SelectedTargets
    view: FileView
    label: str = ""

    @cached_property
    def targets(self) -> dict[str, Target]:
        """The targets by their names."""
        with _labelled(self.label):
            return {target.name: target for target in self.selected.targets(self.view, check=False)}

    @property
    def given(self) -> bool:
        """Whether it is inputs that are named on the command line."""
        return any(declared.given is not None for declared in self.selected.project.file.declared)


class Sides(NamedTuple):
    """Both sides, what they are called, and their commits; a side without a commit is on the disk."""

    before: Side
    after: Side
    labels: Labels
    commits: Labels = ("", "")
    notes: Sequence[Note] = ()

    @property
    def pairs(self) -> dict[str, tuple[Target | None, Target | None]]:
        """The targets of both sides that are compared: those of one name, and inputs whatever they are called."""
        old, new = self.before.targets, self.after.targets
        if self.before.given and self.after.given:
            return {name: (before, after) for before, (name, after) in zip(old.values(), new.items(), strict=True)}
        return {name: (old.get(name), new.get(name)) for name in (*new, *(name for name in old if name not in new))}


def of_inputs_sides(request: TargetRequest, old: Sequence[str], new: Sequence[str]) -> Sides:
    """Two sets of inputs, or the targets of two projects, manifests or folders."""
    if [*old, *new].count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    requests = [request._replace(inputs=tuple(side)) for side in (old, new)]
    before, after = (Side(each, each.project.view) for each in map(selection, requests))
    if before.given != after.given:  # only one of them has targets of its own, so both are compared as they are
        before, after = (Side(each, each.project.view) for each in map(of_inputs, requests))
    if before.given:
        before, after = _of_one_dialect(before, after)
        return Sides(before, after, (" + ".join(old), " + ".join(new)))
    return Sides(before, after, (_name_of(before.selected.project), _name_of(after.selected.project)))


@contextmanager
def sides_at(request: TargetRequest, revisions: str) -> Iterator[Sides]:
    """The same targets at both ends of a range; the repository stays open."""
    from lamina.sources.git_inputs import is_inside

    if "-" in request.inputs:
        raise click.UsageError("--git needs files: standard input has no revisions.")
    option_paths = named_paths(request.flags)
    # What is in no repository is said before a folder is listed, which may be a whole disk.
    with _commits(revisions, *(request.inputs or (request.project or os.curdir,)), *option_paths) as found:
        repository, commits, labels = found
        selected = selection(request, by_node=False, default=".")
        project = selected.project
        views = (project.at_commit(repository, each) if each else project.view for each in commits)
        before, after = (Side(selected, view, label) for view, label in zip(views, labels, strict=True))
        notes = [_from_disk(path) for path in dict.fromkeys(option_paths) if not is_inside(repository, path)]
        if before.given:
            before, after = _of_one_dialect(before, after)
        yield Sides(before, after, labels, (commits[0] or "", commits[1] or ""), notes)


def _of_one_dialect(before: Side, after: Side) -> tuple[Side, Side]:
    """Both sides with the dialect they look like; a side that looks like none follows the other."""
    request = after.selected.request
    if request.dialect is not None:
        return before, after
    inputs = []
    for side in (before, after):
        (declared,) = side.selected.project.file.declared
        assert declared.given is not None
        with _labelled(side.label):
            found = side.view.given(declared.given, declared.inputs)
            assert found is not None
            inputs.append(found)
    dialect = dialect_of(inputs[0], inputs[1], lambda: dialects_with(request.flags))
    return _with_dialect(before, dialect), _with_dialect(after, dialect)


def _with_dialect(side: Side, dialect: str) -> Side:
    project = side.selected.project
    (declared,) = project.file.declared
    named = replace(project, file=replace(project.file, declared=(replace(declared, dialect=dialect),)))
    return replace(side, selected=replace(side.selected, project=named))


class Compared(NamedTuple):
    """What changes in which target; of the only target there is, the differences themselves."""

    targets: TargetDifferences
    only: Differences | None


def compared(sides: Sides, messages: TargetMessages, *, provenance: bool) -> Compared:
    """What changes in which target; one that fails does not stop the others."""
    found, only = TargetDifferences(), None
    pairs = sides.pairs
    selected = sides.after.selected
    selected.project.check_selection(pairs)
    if not pairs:
        raise InputError(no_targets(selected.project))
    lines = max(_FEWEST_LINES, _LINES // len(pairs)) if len(pairs) > 1 else None
    absent = 0

    def outcome(name: str) -> Outcome:
        return _outcome(sides, *pairs[name], provenance, lines)

    for name, each in zip(pairs, selected.spread("comparing", outcome, list(pairs)), strict=True):
        if isinstance(each, LaminaError):
            if len(pairs) == 1:
                raise each
            messages.fail(name, each)
            found.add_failed(name, each.diagnostics)
        elif isinstance(each, ChangeKind):
            found.add_target(name, each)
        elif each == ABSENT:
            absent += 1
        else:
            only = each if isinstance(each, Differences) else None
            changes = (
                TargetChanges.of(each, new_notes(each), edit_effects(each)) if isinstance(each, Differences) else each
            )
            found.add(name, changes)
            target = next(filter(None, reversed(pairs[name])))
            messages.note(name, (*target.notes, *(changes.notes if changes is not None else ())))
    if absent == len(pairs):
        raise UsageError(_nothing_to_compare())
    return Compared(found, only)


def _nothing_to_compare() -> Diagnostic:
    return Diagnostic(
        code="no-targets",
        message="neither side of the comparison has targets",
        hint="commit the files of the targets; without a second revision, the files on disk are compared",
    )


def _outcome(sides: Sides, old: Target | None, new: Target | None, provenance: bool, lines: int | None) -> Outcome:
    there = [
        target is not None and _has_inputs(side, target) for side, target in ((sides.before, old), (sides.after, new))
    ]
    if not any(there):
        return ABSENT
    if not all(there):
        return ChangeKind.REMOVED if there[0] else ChangeKind.ADDED
    assert old is not None and new is not None  # they have inputs
    differences = _differences(sides, old, new, provenance)
    if lines is None or differences is None:
        return differences
    return TargetChanges.of(differences, new_notes(differences), edit_effects(differences, lines))


def _has_inputs(side: Side, target: Target) -> bool:
    with _labelled(side.label):
        return target.gathered(side.view) is not None


def _differences(sides: Sides, old: Target, new: Target, provenance: bool) -> Differences | None:
    """What changes in a target; None if everything that was read is the same on both sides."""
    before_side, after_side = sides.before, sides.after
    before = _rendered(before_side, old)
    same = new == old and new.given is None and before_side.selected.project is after_side.selected.project
    if same and before_side.view.record(new.inputs).holds_in(after_side.view):
        return None
    after = _rendered(after_side, new)
    if not any(
        note.severity >= Severity.ERROR for note in (*before[0].notes, *after[0].notes)
    ):  # else they are compared
        RenderRequest.of(new, after[1]).check_nodes(before[0], after[0])
    names = names_between(before[1], after[1])
    return compare(before[0], after[0], names, EditedLines(before[2], after[2], names), provenance=provenance)


def _rendered(side: Side, target: Target) -> tuple[Result, Inputs, ReadSources]:
    with _labelled(side.label):
        inputs = target.gathered(side.view)
        assert inputs is not None  # it was looked for
        request = RenderRequest.of(target, inputs)
        result, sources = rendered_on_record(
            inputs, lambda tracked: replace(request, inputs=tracked).result(whole=True)
        )
        if target.given is not None:
            return result, inputs, sources
        record = side.view.record(target.inputs)
        check_option_files(target, side.view, side.selected.project.view, record.seen)
        return result, inputs, sources._replace(more=lambda: filter(None, record.read.values()))


def new_notes(found: Differences) -> list[Note]:
    """The notes on what is new, and what could not be used on either side, each once."""
    known = {str(note) for note in found.before.notes}
    errors = [note for note in found.before.notes if note.severity >= Severity.ERROR]
    return [*errors, *(note for note in found.after.notes if str(note) not in known)]


def _name_of(project: Project) -> str:
    """What a side is called: the manifest or project file, or the folder that has none."""
    path = FilePath(project.file.path)
    return project.prefix + path.name if path.exists() else project.prefix.rstrip("/") or "."


def _from_disk(path: str) -> Note:
    return Diagnostic(
        code="read-from-disk",
        message=f"{path} is not in the repository, so both sides use the file on disk",
        hint="put it under version control to compare its revisions",
        severity=Severity.INFO,
        subject=path,
    )


def _repository(paths: Sequence[str]) -> Repository:
    """The repository of the first path that is in one."""
    from lamina.sources.git_inputs import Repository

    for path in paths[:-1]:
        with suppress(UsageError):
            return Repository(FilePath(path))
    return Repository(FilePath(paths[-1]))


@contextmanager
def _commits(revisions: str, *inside: str) -> Iterator[tuple[Repository, tuple[str | None, str | None], Labels]]:
    """The commits at both ends of a range, none for the disk, and what the ends are called."""
    first, dots, second = re.fullmatch(r"(.*?)(?:(\.\.\.?)(.*))?", revisions, re.DOTALL).groups()  # type: ignore[union-attr]  # it matches anything
    with _repository(inside) as repository:
        old = repository.commit(first)
        new = repository.commit(second) if dots else None
        if dots == "..." and new:
            old = repository.common(old, new)
        yield repository, (old, new), (first or "HEAD", (second or "HEAD") if new else _ON_DISK)


@contextmanager
def _labelled(label: str) -> Iterator[None]:
    """Errors inside say which revision they are about."""
    try:
        yield
    except LaminaError as error:
        if not label:
            raise
        where = f"on {label}" if label == _ON_DISK else f"at {label}"
        labelled = [replace(each, message=f"{each.message} ({where})") for each in error.diagnostics]
        raise type(error)(*labelled) from None
