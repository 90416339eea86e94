"""The application over the files of a project; it needs no library of the store."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lamina.service.application import application_of
from lamina.service.explorer.announcements import Announcements
from lamina.service.explorer.files import ExploredFiles, Follower
from lamina.service.site import ServedSite
from lamina.service.workers import threads
from lamina.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI

    from lamina.service.settings import ServerSettings
    from lamina.workspace.workspace import Workspace

_ABOUT = "The results of a project's targets, with every layer that sets each value; read-only."


@contextmanager
def explorer(workspace: Workspace, title: str, settings: ServerSettings) -> Iterator[FastAPI]:
    """The application over the files of a project, which follows them meanwhile."""
    announcements = Announcements()
    explored = ExploredFiles(workspace, title, Session())
    follower = Follower(explored, workspace.project.root, announcements.announce)
    follower.start()
    try:
        with threads(explored, settings) as workers:
            yield application_of(ServedSite(explored, announcements, settings, workers), _ABOUT)
    finally:
        follower.stop()
