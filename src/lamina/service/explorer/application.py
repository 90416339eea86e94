"""The application over the files of a project; it needs no library of the store."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lamina.service.application import Application
from lamina.service.explorer.announcements import Announcements
from lamina.service.explorer.files import ExploredFiles, Follower
from lamina.service.explorer.routes import ROUTES
from lamina.service.site import ServedSite
from lamina.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.service.settings import Settings
    from lamina.workspace.workspace import Workspace

_ABOUT = "The results of a project's targets, with every layer that sets each value; read-only."


@contextmanager
def explorer(workspace: Workspace, title: str, settings: Settings) -> Iterator[Application]:
    """The application over the files of a project, which follows them meanwhile."""
    announcements = Announcements()
    explored = ExploredFiles(workspace, title, Session())
    follower = Follower(explored, workspace.project.root, announcements.announce)
    follower.start()
    try:
        yield Application(ServedSite(explored, ROUTES, _ABOUT, announcements), None, settings)
    finally:
        follower.stop()
