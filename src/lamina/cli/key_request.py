"""`lamina explain --all`: whether its first argument is a key to be counted over targets, or an input."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import request
from lamina.cli.notes import head_of
from lamina.cli.output import print_error
from lamina.cli.target_request import is_in_project, is_manifest, selected_targets_of
from lamina.errors import Diagnostic, InputError, Severity
from lamina.sources.inputs import nearest

if TYPE_CHECKING:
    from lamina.cli.render_request import RenderRequest
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.project.target import Target


class KeyRequest(NamedTuple):
    """What `explain` was asked for: a path, or everything if there is none; with `--all`, in these targets."""

    path: str | None
    targets: SelectedTargets | None = None


def wanted(path: str | None, key: str | None, given: dict[str, Any], *, everything: bool, quiet: bool) -> KeyRequest:
    """What the arguments mean; those that are inputs are added to the inputs given."""
    if key is not None:
        _take_as_input(path, given)
        return KeyRequest(key, _targets_for(key, given) if everything else None)
    if not everything:
        if path is None:
            raise click.UsageError("PATH is missing; --all explains everything.")
        return KeyRequest(path)
    targets = _targets_of_key(path, given, quiet=quiet) if path is not None else None
    if targets is not None:
        return KeyRequest(path, targets)
    _check_input(path, given)
    _take_as_input(path, given)
    return KeyRequest(None)


def _check_input(path: str | None, given: dict[str, Any]) -> None:
    """Reject the only input if there is no such file: a key is more likely what was meant."""
    if path is None or path == "-" or given["environments"] or given["inputs"] or os.path.lexists(path):
        return
    if nearest(path, path):  # a file was mistyped
        return
    raise InputError(
        Diagnostic(
            code="missing-file",
            message=f"there is no file {path}, and no project here in which it could be a key",
            hint=f"for a key in all targets of a folder, name the folder: lamina explain {path} . --all",
        )
    )


def _take_as_input(path: str | None, given: dict[str, Any]) -> None:
    given["inputs"] = (path, *given["inputs"]) if path is not None else given["inputs"]


def _targets_for(key: str, given: dict[str, Any]) -> SelectedTargets:
    """The targets that a key is counted in; without an input or a project, those of the current folder."""
    if not (given["environments"] or given["inputs"] or is_in_project(given)):
        given["inputs"] = (os.curdir,)
    targets = _targets(given)
    if targets is None:
        raise click.UsageError(
            f"--all counts the values of {key} in the targets of a project, a manifest, or one folder."
        )
    return targets


def _targets_of_key(path: str, given: dict[str, Any], *, quiet: bool) -> SelectedTargets | None:
    """The targets that an argument is a key for; None if it is an input.

    If there is a file or folder of that name, it is a key only without inputs, and if any target has it.
    """
    exists = os.path.lexists(path)
    if path == "-" or (exists and (given["environments"] or given["inputs"])):
        return None
    taken = dict(given)
    targets = _targets(taken)
    if targets is None:
        return None
    if exists:
        is_key = _is_key(path, targets)
        if not quiet:
            print_error(head_of(Severity.INFO) + one_line(_what_was_taken(path, is_key=is_key)))
        if not is_key:
            return None
    given.clear()
    given.update(taken)
    return targets


def _targets(given: dict[str, Any]) -> SelectedTargets | None:
    """The targets of a project, a manifest, or the only input if it is a folder; None for other inputs."""
    inputs = (*given["environments"], *given["inputs"])
    named = given["targets"] or given["project"]
    if len(inputs) == 1 and not named and os.path.isdir(inputs[0]):  # noqa: PTH112 - as typed
        from lamina.cli.selected_targets import SelectedTargets
        from lamina.project.folder_project import project_at

        project = project_at(inputs[0], given["dialect"], {})
        return SelectedTargets(project, (), request(given), given.get("jobs", 1))
    if is_manifest(inputs[0]) if len(inputs) == 1 else not inputs and is_in_project(given):
        return selected_targets_of(given)
    return None


def _is_key(path: str, targets: SelectedTargets) -> bool:
    """Whether any target has a value at a path; one that cannot be rendered is reported by what is done then."""

    def has(_: Target, each: RenderRequest) -> bool:
        each.result().history_at(path)
        return True

    return any(found is True for _, found in targets.each("reading", has))


def _what_was_taken(path: str, *, is_key: bool) -> str:
    if is_key:
        return f"{path} is taken as a key, although there is a file or folder of that name; ./{path} is that one"
    return f"{path} is taken as an input: there is a file or folder of that name, and no target has such a key"
