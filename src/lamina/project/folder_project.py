"""The project of a folder, whether it has a project file or not."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.origins import Origin
from lamina.project import project_file
from lamina.project.declared import DeclaredTargets, ProjectFile
from lamina.project.project import Project
from lamina.protocol.extensions import fleet_of
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.protocol.dialect import Dialect
    from lamina.sources.inputs import Inputs


_OF_WHOLE = {"node", "all_nodes"}
"""Options that say which nodes of a folder are rendered together; the folder is one target then."""


def project_at(root: str, dialect: str | Dialect[Any] | None, options: Mapping[str, Any]) -> Project:
    """The project of a folder: as its project file says, else its nodes, else the folder as a whole."""
    if dialect is None and not options and (os.path.isfile(root) or project_file.find(root) is not None):
        return Project.load(root)
    from lamina.sources.inputs import gather

    chosen = dialects.find(dialect) if dialect else dialects.detect(gather(root))
    has_nodes = fleet_of(chosen) is not None and not (options.keys() & _OF_WHOLE)
    return _of_folder(root, chosen, options, nodes="" if has_nodes else None)


def nodes_of_folder(
    root: str, chosen: Dialect[Any], inputs: Inputs, options: Mapping[str, Any], *, always: bool
) -> Project | None:
    """The nodes of a folder as targets of a project; None if the folder is rendered as a whole.

    It is, unless its nodes have files of their own, or their dialect can list them and that is `always` wanted.
    """
    fleet = fleet_of(chosen)
    if fleet is None or options.keys() & _OF_WHOLE:
        return None
    if always:
        return _of_folder(root, chosen, options, nodes="")
    if fleet.of_whole_folder:
        return None
    try:
        first = next(iter(fleet.nodes(inputs, dialects.make_options(chosen, options))), None)
    except LaminaError:
        return None  # rendering the folder reports it
    return _of_folder(root, chosen, options, nodes="") if first is not None and first.inputs else None


def _of_folder(root: str, chosen: Dialect[Any], options: Mapping[str, Any], nodes: str | None) -> Project:
    place = os.path.join(root, project_file.NAME)
    name = os.path.basename(os.path.realpath(root))
    declared = DeclaredTargets(
        key=name,
        dialect=chosen.name,
        passed=chosen,
        inputs=() if nodes is not None else ("",),
        options=dict(options),
        nodes=nodes,
        place=lambda *keys: Origin(root, 1, 1),  # noqa: ARG005 - a folder
    )
    return Project.of_folder(root, ProjectFile(os.path.realpath(place), (declared,)))


def discover(folder: str | os.PathLike[str] = ".") -> list[Project]:
    """The projects of a folder that somebody opened.

    It is in one, or has some below it; otherwise it is one, of what `lamina init` finds there, and nothing is written.
    The list is empty if nothing is found. All files of a project are named by their paths from its root.
    """
    root = os.path.realpath(os.fspath(folder))
    above = project_file.find(root)
    folders = [os.path.dirname(above)] if above is not None else _folders_with_projects(root)
    if folders:
        return [replace(Project.load(each), prefix="") for each in folders]
    from lamina.project.discovery import as_toml, entries_in
    from lamina.project.file_view import disk_view

    entries = entries_in(disk_view(root, ""))
    if not entries:
        return []
    file = project_file.parse(Source.of_text(project_file.NAME, as_toml(entries)), root)
    return [Project(root, "", replace(file, path=os.path.join(root, project_file.NAME)))]


_DEEPEST = 4
"""How many folders below one that was opened are looked into for project files."""


def _folders_with_projects(root: str) -> list[str]:
    """The folders below a root that have a project file; none in another one of them."""
    from lamina.project.discovery import is_skipped_folder

    found: list[str] = []
    for folder, names, files in os.walk(root):
        depth = os.path.relpath(folder, root).count(os.sep)
        names[:] = [] if depth >= _DEEPEST else [name for name in names if not is_skipped_folder(name)]
        if {project_file.NAME, project_file.PYPROJECT}.intersection(files) and project_file.in_folder(folder):
            found.append(folder)
            names[:] = []
    return sorted(found)
