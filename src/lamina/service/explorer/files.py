"""The files of a project, explored: a workspace that follows what is saved."""

from __future__ import annotations

from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Any, Literal

from lamina._support.escapes import visible
from lamina.errors import LaminaError
from lamina.service.explorer.change_data import changes_data, note_data
from lamina.service.explorer.listed_output import listed_output
from lamina.service.explorer.scalar_edit import with_psd1_value, with_value
from lamina.service.faults import ApiFault, bad_request
from lamina.service.submission import one_value
from lamina.views.report.views import views_aside, views_of
from lamina.workspace.line_use_data import as_data
from lamina.workspace.saved_files import paths_below, saved_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lamina.session import Session
    from lamina.views.result import Result
    from lamina.views.schemas.explorer import ExploreChangesData, ExploredTargetData, ListedOutputData
    from lamina.views.schemas.places import WhereData
    from lamina.workspace.impact import Impact
    from lamina.workspace.workspace import Workspace


class ExploredFiles:
    """A workspace to look at; one request at a time. `session` reads the values that are typed."""

    kind: Literal["files", "store"] = "files"
    noun = "target"

    def __init__(self, workspace: Workspace, title: str, session: Session) -> None:
        self.title = title
        self.generation = 0
        self._workspace = workspace
        self.session = session
        self._lock = RLock()

    def explored(self) -> ExploredFiles:
        return self

    def check(self) -> None:
        """There is nothing that could be gone."""

    def targets(self) -> list[ExploredTargetData]:
        with self._lock:
            return [
                {
                    "name": visible(outcome.target.name),
                    "about": outcome.target.dialect,
                    "error": visible(outcome.error.diagnostic.message) if outcome.error else None,
                }
                for outcome in self._workspace.outcomes()
            ]

    def result(self, target: str) -> Result:
        with self._lock:
            name = next((name for name in self._workspace.targets if visible(name) == target), None)
            if name is None:
                raise ApiFault(404, "TargetNotFound", f"There is no target {visible(target)!r}.")
            return self._workspace.result(name)

    def outputs(self, target: str) -> list[ListedOutputData]:
        result = self.result(target)
        views = (*views_of(result), *views_aside(result))
        return [listed_output(view) for view in views]

    def searched(self, target: str | None) -> Iterator[tuple[str, Result]]:
        if target is not None:
            yield target, self.result(target)
            return
        for outcome in self._workspace.outcomes():
            if outcome.result is not None:
                yield outcome.target.name, outcome.result

    def where(self, _target: str | None, source: str, line: int, column: int | None) -> WhereData:
        path = self._path(source)
        uses = self._workspace.where(path, line, column)
        return as_data(path, line, column, uses, self._workspace.chosen_by(path))

    def what_if(self, _target: str | None, place: tuple[str, int, int], value: str) -> ExploreChangesData:
        source, line, column = place
        path = self._path(source)
        new = one_value(value.encode(), self.session)
        with self._lock:
            changed = with_psd1_value if path.lower().endswith(".psd1") else with_value
            text = changed(self._workspace.source(path), line, column, new)
            return _impact_data(self._workspace.what_if({path: text}))

    def refresh(self, paths: Sequence[str]) -> list[str] | None:
        """Take over what is on disk now; the targets that change, None if nothing was rendered again."""
        with self._lock:
            impact = self._workspace.refresh(paths)
            if not impact.rendered and not impact:
                return None
            self.generation += 1
            return impact.targets

    def _path(self, source: str) -> str:
        """A file that a target was made from, as a path from the root of the project."""
        prefix = self._workspace.project.prefix
        known = {path for outcome in self._workspace.outcomes() for path in outcome.needs.files}
        for path in (source, source.removeprefix(prefix)):
            if path in known:
                return path
        raise ApiFault(404, "FileNotFound", f"No target reads a file {visible(source)!r}.")


def _impact_data(impact: Impact) -> ExploreChangesData:
    return {
        "version": 1,
        "targets": [visible(name) for name in impact.targets],
        **changes_data(impact.differences.groups),
        "findings": [note_data(each.entry, each.targets) for each in impact.findings],
        "resolved": [note_data(each.entry, each.targets) for each in impact.resolved],
    }


class Follower:
    """Follows the files of a project in a thread, and reports every change."""

    def __init__(self, explored: ExploredFiles, root: str, report: Callable[[dict[str, Any]], None]) -> None:
        self._explored = explored
        self._report = report
        self._root = root
        self._stop = Event()
        saves = saved_paths(root, self._stop)
        next(saves)  # from now on, nothing that is saved is missed
        self._thread = Thread(target=self._follow, args=(saves,), name="lamina-follower", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _follow(self, saves: Iterable[list[str]]) -> None:
        for saved in saves:
            paths = paths_below(self._root, saved)
            if not paths:
                continue
            try:
                targets = self._explored.refresh(paths)
            except LaminaError as error:
                self._report({"generation": self._explored.generation, "error": visible(error.diagnostic.message)})
                continue
            if targets is not None:
                shown = [visible(name) for name in targets]
                self._report({"generation": self._explored.generation, "targets": shown})


def rejected(error: LaminaError) -> ApiFault:
    """An error of the engine as an answer."""
    found = error.diagnostic
    at = f"{found.at}: " if found.at else ""
    return bad_request(visible(f"{at}{found.message}"), "".join(word.capitalize() for word in found.code.split("-")))
