"""Saved files: the paths of what is saved below a folder, as it happens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from threading import Event

_PAUSE = 50
"""How many milliseconds without a further change end a save."""
_WAIT = 200
"""How many milliseconds are waited for a save at a time."""


def saved_paths(root: str, stop: Event | None = None) -> Iterator[list[str]]:
    """The paths of what was saved, time after time; an editor that writes another file and renames it saves, too.

    Where nothing was saved for a while, there are none. It ends when `stop` is set.
    """
    try:
        from watchfiles import Change, watch
    except ImportError:
        raise UsageError(
            Diagnostic(
                code="no-watchfiles",
                message="following files needs the package watchfiles",
                hint="pip install lamina[watch]",
            )
        ) from None
    folder = root if os.path.isdir(root) else os.path.dirname(root) or os.curdir
    watched = watch(
        folder, step=_PAUSE, rust_timeout=_WAIT, yield_on_timeout=True, raise_interrupt=stop is None, stop_event=stop
    )
    for changes in watched:
        # Of files that come or go by renaming a folder, only the folder is reported; otherwise the files are.
        yield sorted({path for kind, path in changes if kind is not Change.modified or not os.path.isdir(path)})


def paths_below(root: str, saved: Iterable[str]) -> list[str]:
    """What of it may be a file of a workspace, or a folder with some, as paths from its root."""
    inside = [os.path.relpath(path, root).replace(os.sep, "/") for path in saved]
    return [path for path in inside if not path.startswith("../") and not {".", "..", ".git"} & set(path.split("/"))]
