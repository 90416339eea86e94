"""Targets of Datum in a repository: the nodes of each folder with a definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.datum.detect import DEFINITION
from lamina.dialects.extensions import FoundTargets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.sources.inputs import Files


def find_targets(files: Files, names: Sequence[str]) -> Iterator[FoundTargets]:  # noqa: ARG001 - the hook's signature
    """Each folder that has a definition; the nodes in it are the targets."""
    for name in names:
        folder, _, own = name.rpartition("/")
        if own.lower() in DEFINITION:
            about = f"a Datum tree: {name}"
            yield FoundTargets(folder.rpartition("/")[2] or "nodes", about, {"nodes": folder or "."}, (folder,))
