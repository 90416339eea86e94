"""The project of a folder, whether it has a project file or not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.origins import Origin
from lamina.project import project_file
from lamina.project.declared import DeclaredTargets, ProjectFile
from lamina.project.project import Project
from lamina.protocol.extensions import fleet_of

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
