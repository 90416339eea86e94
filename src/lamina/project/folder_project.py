"""The project of a folder, whether it has a project file or not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.dialects.base import Dialect
from lamina.dialects.extensions import fleet_of
from lamina.origins import Origin
from lamina.project import project_file
from lamina.project.project import Project
from lamina.project.project_file import DeclaredTargets, ProjectFile

if TYPE_CHECKING:
    from collections.abc import Mapping


def project_at(root: str, dialect: str | Dialect[Any] | None, options: Mapping[str, Any]) -> Project:
    """The project of a folder: as its project file says, else its nodes, else the folder as a whole."""
    if dialect is None and not options and (os.path.isfile(root) or project_file.find(root) is not None):
        return Project.load(root)
    from lamina.sources.inputs import gather

    chosen = dialects.find(dialect) if dialect else dialects.detect(gather(root))
    place = os.path.join(root, project_file.NAME)
    nodes = "" if fleet_of(chosen) is not None and not (options.keys() & {"node"}) else None
    name = os.path.basename(os.path.realpath(root))
    declared = DeclaredTargets(
        key=name,
        dialect=chosen.name,
        passed=chosen if isinstance(dialect, Dialect) else None,
        inputs=() if nodes is not None else ("",),
        options=dict(options),
        nodes=nodes,
        place=lambda *keys: Origin(root, 1, 1),  # noqa: ARG005 - a folder
    )
    return Project.of_folder(root, ProjectFile(os.path.realpath(place), (declared,)))
