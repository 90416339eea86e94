"""Targets for a command: whether the command line asks for those of a project, or for the nodes of a manifest.

A command that is given inputs pays next to nothing for it: all that knows of projects is imported when it is needed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from lamina.cli.click_options import request
from lamina.cli.dialect_options import given_flags, names_inputs
from lamina.errors import InputError

if TYPE_CHECKING:
    from lamina.cli.selected_targets import SelectedTargets


def selected_targets_of(given: dict[str, Any]) -> SelectedTargets | None:
    """The targets a command is to work on; None if it was given inputs, or there is no project.

    What belongs to the request is then taken out of the arguments of the command.
    """
    inputs = (*given["environments"], *given["inputs"])
    wanted, named = given["targets"], given["project"]
    if inputs and not (wanted or named) and not (len(inputs) == 1 and is_manifest(inputs[0])):
        return None
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.project import project_file
    from lamina.project.project import Project

    if len(inputs) == 1 and named is None and is_manifest(inputs[0]):
        project = Project.of_manifest(inputs[0])
    elif inputs or (not (wanted or named) and names_inputs(given_flags(dict(given)))):
        if wanted or named:
            raise click.UsageError("Inputs cannot be combined with --target or --project.")
        return None
    elif wanted or named or project_file.find(os.curdir):
        project = Project.load(named)
    else:
        return None
    return SelectedTargets(project, wanted, request(given), given.get("jobs", 1))


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

    return is_fleet(source)
