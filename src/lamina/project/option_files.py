"""Files that options name, at a revision: a dialect may read them from disk, whatever view it is rendered from.

That is fine as long as they are the same there. If not, a comparison would be silently wrong, so it is an error.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lamina.dialects.data_options import paths_in
from lamina.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from collections.abc import Collection

    from lamina.project.file_view import FileView
    from lamina.project.target import Target


def check_option_files(target: Target, view: FileView, disk: FileView, seen: Collection[str]) -> None:
    """Reject a target if an option names a file that differs on disk and was not read from the view (`seen`)."""
    if view is disk:
        return
    for path in paths_in(target.system, target.options):
        inside = os.path.relpath(path, view.root).replace(os.sep, "/")
        if inside not in seen and _content(inside, view) != _content(inside, disk):
            raise InputError(
                Diagnostic(
                    code="read-from-disk",
                    message=f"{inside}, which an option of {target.name} names, is read from disk and differs there",
                    at=target.at,
                    hint="give it as an input instead, or check out the revision",
                )
            )


def _content(path: str, view: FileView) -> object:
    """The content of a path: the bytes of a file, or those of all files of a folder."""
    if view.type_of(path) != "folder":
        source = view.read(path)
        return source and source.data
    files = view.below(path)
    return {name: source.data for name in files.names() if (source := files.read(name)) is not None}
