"""`lamina explain`: which path is asked for, in which targets, and whether its values are counted over them.

With `--all`, the first argument is a key whose values are counted, or an input of which everything is explained.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lamina._support.escapes import one_line
from lamina.cli.notes import head_of
from lamina.cli.output import print_error
from lamina.cli.target_request import NO_INPUT, is_manifest, request_of, selection
from lamina.errors import Diagnostic, InputError, Severity
from lamina.sources.inputs import nearest

if TYPE_CHECKING:
    from lamina.cli.selected_targets import RenderRequest, SelectedTargets
    from lamina.cli.target_request import TargetRequest
    from lamina.project.target import Target


class KeyRequest(NamedTuple):
    """What `explain` was asked for: a path, or everything if there is none, in these targets."""

    path: str | None
    targets: SelectedTargets
    is_counted: bool = False
    """Whether the values of the path are counted over the targets."""


def key_request(
    path: str | None, key: str | None, given: dict[str, Any], *, everything: bool, quiet: bool
) -> KeyRequest:
    """What the arguments mean."""
    request = request_of(given)
    if key is not None:
        request = _with_input(path, request)
        return KeyRequest(key, _counted_in(key, request), True) if everything else KeyRequest(key, selection(request))
    if not everything:
        if path is None:
            raise click.UsageError("PATH is missing; --all explains everything.")
        return KeyRequest(path, selection(request, _only_path(path)))
    counted = _targets_of_key(path, request, quiet=quiet) if path is not None else None
    if counted is not None:
        return KeyRequest(path, counted, True)
    _check_input(path, request)
    return KeyRequest(None, selection(_with_input(path, request), NO_INPUT))


def _only_path(path: str) -> Diagnostic:
    hint = "PATH comes first: lamina explain PATH INPUT...; --all explains every value"
    return Diagnostic(code="no-input", message=f"no input given: {path} is read as PATH", hint=hint)


def _with_input(path: str | None, request: TargetRequest) -> TargetRequest:
    return request if path is None else request._replace(inputs=(path, *request.inputs))


def _check_input(path: str | None, request: TargetRequest) -> None:
    """Reject the only input if there is no such file: a key is more likely what was meant."""
    if path is None or path == "-" or request.inputs or os.path.lexists(path):
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


def _counted_in(key: str, request: TargetRequest) -> SelectedTargets:
    """The targets that a key is counted in; without an input or a project, those of the current folder."""
    targets = _many_targets(request)
    if targets is None and request.inputs:
        raise click.UsageError(
            f"--all counts the values of {key} in the targets of a project, a manifest, or one folder."
        )
    return targets or selection(request._replace(inputs=(os.curdir,)), by_node=True)


def _targets_of_key(path: str, request: TargetRequest, *, quiet: bool) -> SelectedTargets | None:
    """The targets that an argument is a key for; None if it is an input.

    If there is a file or folder of that name, it is a key only without inputs, and if any target has it.
    """
    exists = os.path.lexists(path)
    if path == "-" or (exists and request.inputs):
        return None
    targets = _many_targets(request)
    if targets is None or not exists:
        return targets
    is_key = _is_key(path, targets)
    if not quiet:
        print_error(head_of(Severity.INFO) + one_line(_what_was_taken(path, is_key=is_key)))
    return targets if is_key else None


def _many_targets(request: TargetRequest) -> SelectedTargets | None:
    """The targets of a project, a manifest, or the only input if it is a folder; None for other inputs."""
    if request.inputs:
        (first, *others) = request.inputs
        if others or not (os.path.isdir(first) or is_manifest(first)):  # noqa: PTH112 - as typed
            return None
        return selection(request, by_node=True)
    from lamina.project import project_file

    in_project = request.wanted or request.project or project_file.find(os.curdir)
    return selection(request) if in_project else None


def _is_key(path: str, targets: SelectedTargets) -> bool:
    """Whether any target has a value at a path; one that cannot be rendered is reported by what is done then."""

    def has(target: Target) -> bool:
        each: RenderRequest = targets.of(target)
        each.result().history_at(path)
        return True

    return any(found is True for found in targets.spread("reading", has, targets.targets()))


def _what_was_taken(path: str, *, is_key: bool) -> str:
    if is_key:
        return f"{path} is taken as a key, although there is a file or folder of that name; ./{path} is that one"
    return f"{path} is taken as an input: there is a file or folder of that name, and no target has such a key"
