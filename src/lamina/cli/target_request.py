"""Targets for a command: whether the command line asks for those of a project, a manifest, or a folder.

A command that is given inputs pays next to nothing for it: all that knows of projects is imported when it is needed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from lamina.cli.click_options import request
from lamina.cli.dialect_options import given_flags, names_inputs
from lamina.errors import InputError, LaminaError
from lamina.run import Run

if TYPE_CHECKING:
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.project.project import Project


def selected_targets_of(given: dict[str, Any]) -> SelectedTargets | None:
    """The targets a command is to work on; None if it was given inputs, or there is no project.

    What belongs to the request is then taken out of the arguments of the command.
    """
    inputs = (*given["environments"], *given["inputs"])
    wanted, named = given["targets"], given["project"]
    project = _project_of(inputs[0], given) if len(inputs) == 1 and named is None else None
    if project is None:
        if inputs and (wanted or named):
            raise click.UsageError("Inputs cannot be combined with --target or --project.")
        if inputs or not (wanted or named or _is_in_project(given)):
            return None
        from lamina.project.project import Project

        project = Project.load(named)
    from lamina.cli.selected_targets import SelectedTargets

    return SelectedTargets(project, wanted, request(given), given.get("jobs", 1))


def _is_in_project(given: dict[str, Any]) -> bool:
    """Whether the current folder is in a project, and no option names other inputs."""
    from lamina.project import project_file

    return not names_inputs(given_flags(dict(given))) and project_file.find(os.curdir) is not None


def _project_of(path: str, given: dict[str, Any]) -> Project | None:
    """The project that the only input is: a manifest, a folder with a project file, or one with separate targets.

    Options of a dialect say how to read a folder itself, so they do not ask for the targets of its project file.
    """
    if not os.path.isdir(path):  # noqa: PTH112 - as typed
        if not is_manifest(path):
            return None
        from lamina.project.project import Project

        return Project.of_manifest(path)
    flags = given_flags(dict(given))
    if names_inputs(flags):
        return None
    from lamina.project import project_file

    if not flags and project_file.in_folder(path):
        from lamina.project.project import Project

        return Project.load(path)
    return _separate_targets(path, given, flags)


def _separate_targets(path: str, given: dict[str, Any], flags: dict[str, Any]) -> Project | None:
    from lamina.cli.render_request import resolved
    from lamina.project.folder_project import separate_targets
    from lamina.sources.inputs import gather

    inputs = gather([path], given["allow_path"])
    try:
        chosen = resolved(inputs, {"dialect": given["dialect"], "compat": given["compat"], "flags": flags})
    except LaminaError:
        return None  # reading the folder reports it
    return separate_targets(path, chosen.dialect, inputs, chosen.given)


def is_in_project(given: dict[str, Any]) -> bool:
    """Whether a command without inputs works on the targets of a project."""
    from lamina.project import project_file

    return bool(given["targets"] or given["project"] or project_file.find(os.curdir))


def is_manifest(path: str) -> bool:
    """Whether a path is a fleet manifest."""
    if not path.endswith((".yaml", ".yml", ".json")) or not os.path.isfile(path):  # noqa: PTH113 - likewise
        return False
    from lamina.sources.inputs import read_file

    try:
        source = read_file(path, path)
    except InputError:
        return False
    if b"nodes" not in source.data:
        return False
    from lamina.project.manifest import is_manifest as is_fleet

    return is_fleet(source, Run())
