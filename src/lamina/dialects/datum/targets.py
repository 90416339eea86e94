"""Targets of Datum in a repository: the nodes of each folder with a definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.datum.detect import DEFINITION
from lamina.dialects.datum.tree import read_document
from lamina.errors import InputError
from lamina.protocol.extensions import FoundTargets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.run import Run
    from lamina.sources.inputs import Files


def find_targets(files: Files, names: Sequence[str], run: Run) -> Iterator[FoundTargets]:
    """Each folder that has a definition; the nodes in it are the targets."""
    for name in names:
        folder, _, own = name.rpartition("/")
        if own.lower() in DEFINITION and not _is_manifest(name, files, run):
            about = f"a Datum tree: {name}"
            yield FoundTargets(folder.rpartition("/")[2] or "nodes", about, {"nodes": folder or "."}, (folder,))


def _is_manifest(name: str, files: Files, run: Run) -> bool:
    """Whether a file is the manifest of a PowerShell module that is called Datum, which looks like a definition."""
    if not name.lower().endswith(".psd1"):
        return False
    try:
        source = files.read(name)
        value = read_document(source, run).value if source is not None else None
    except InputError:
        return False
    # Every manifest has a version; every definition has a precedence.
    keys = {str(key).lower() for key in value} if isinstance(value, dict) else set()
    return "moduleversion" in keys and "resolutionprecedence" not in keys
