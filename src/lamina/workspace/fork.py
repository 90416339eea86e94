"""A fork of a workspace: some files are other ones in it, and only the results that somebody asks for are made.

It serves questions such as "would this edit do": the workspace stays as it is, and one result may be enough to know
that it would not. What the workspace has cached is not used, since it is about other files, except for documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.errors import LaminaError
from lamina.workspace.dependencies import Recorder
from lamina.workspace.live_view import LiveView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.project.target import Target
    from lamina.session import Session
    from lamina.views.result import Result
    from lamina.workspace.live_view import LiveContents


class Fork:
    """The results of targets with other contents of files."""

    def __init__(
        self, contents: LiveContents, ignore: Iterable[str], session: Session, targets: Mapping[str, Target]
    ) -> None:
        self._view = LiveView(contents, Recorder(), ignore, session)
        self._targets = targets
        self._results: dict[str, Result | None] = {}
        self.errors: dict[str, str] = {}
        """The first line of what is wrong with the targets that cannot be rendered."""

    def result(self, name: str) -> Result | None:
        """The result of a target; None if it cannot be rendered with these files."""
        if name not in self._results:
            with self._view.recorder.making():
                try:
                    self._results[name] = self._targets[name].render(self._view)
                except LaminaError as error:
                    self._results[name] = None
                    self.errors[name] = str(error.diagnostics[0]).splitlines()[0]
        return self._results[name]
