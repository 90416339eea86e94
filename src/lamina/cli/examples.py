"""`lamina init --example`: a small example to try things on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from lamina._support.escapes import one_line
from lamina.cli.output import echo
from lamina.errors import Diagnostic, UsageError

EXAMPLES: Final = {
    "cloud-init": (
        "examples/tutorial",
        "two user-data files for one machine",
        "lamina explain packages image.yaml team.yaml",
    ),
    "heat": (
        "examples/heat/services",
        "environments with merge strategies",
        "lamina plan -t template.yaml one.yaml two.yaml",
    ),
    "deckhand": ("examples/deckhand/site", "a site in three layers", "lamina render ."),
    "hiera": ("examples/hiera", "a tree with facts of two nodes", "lamina targets ."),
    "ansible": ("examples/ansible", "an inventory of three hosts", "lamina targets ."),
    "datum": ("examples/repositories/datum", "a hierarchy with four nodes", "lamina targets"),
    "layers": ("examples/layers", "plain files with merge rules", "lamina render fleet"),
    "fleet": ("examples/fleet", "three nodes in a manifest", "lamina render fleet.yaml"),
}
"""The examples: the folder in the repository, what it is, and a command to start with."""


def write_example(name: str, folder: str | None) -> None:
    """Write an example into a new folder, which has its name unless another one is given."""
    if name not in EXAMPLES:
        raise UsageError(_unknown(name))
    source, _, first = EXAMPLES[name]
    target = Path(folder or name)
    _copy(source, target)
    echo(one_line(f"wrote {target}; try: cd {target} && {first}") + "\n")


def _copy(source: str, target: Path) -> None:
    """Copy an example; a folder that is there is left alone."""
    import shutil

    from lamina._support.shipped_files import shipped

    found = shipped(source)
    if found is None:
        raise UsageError(Diagnostic(code="missing-file", message=f"{source} is not installed", hint="reinstall Lamina"))
    try:
        shutil.copytree(found, target, ignore=shutil.ignore_patterns("__pycache__", "README.md"))
    except FileExistsError:
        raise UsageError(
            Diagnostic(code="folder-exists", message=f"{target} already exists", hint="choose another folder")
        ) from None
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise UsageError(
            Diagnostic(
                code="unwritable-folder",
                message=f"{target} cannot be written: {reason}",
                hint="choose another folder, or check its permissions",
            )
        ) from None


def _unknown(name: str) -> Diagnostic:
    from lamina.protocol.dialect import unknown

    return unknown("example", name, list(EXAMPLES))
