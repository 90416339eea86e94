"""Moves: a value is written in other files instead, and no result changes.

Up: what layers below set alike goes into a layer that they share. Down: what a shared layer sets goes into those above
it. In both cases the value is added to the files that are named and removed from all others that set it; then all
targets that read any of them are rendered, and every result must be what it was.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.engine.provenance import source_nodes_of
from lamina.errors import Diagnostic, UsageError
from lamina.values import same
from lamina.views.redaction import has_secret_history
from lamina.workspace.proposals.candidates import added_at
from lamina.workspace.proposals.editable import editable
from lamina.workspace.proposals.goal import Goal, real_value
from lamina.workspace.proposals.reasons import difference_between
from lamina.workspace.proposals.text_nodes import NotEditableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.views.result import Result
    from lamina.workspace.proposals.candidates import Candidate
    from lamina.workspace.proposals.editable import Editable
    from lamina.workspace.workspace import Workspace

_MOST_TRIED: Final = 4
"""How many places of the value in a file are tried."""
_HINT: Final = "lamina explain KEY shows who sets it in each target"


class Move(NamedTuple):
    """A value with the files in which it is written from now on, and the places from which it goes."""

    removed: tuple[Origin, ...]
    added: tuple[str, ...]
    texts: Mapping[str, bytes]
    checked: int
    """How many targets read one of the files; the result of each is what it was."""


def propose_move(workspace: Workspace, key: str, files: Sequence[str]) -> Move:
    """The edits that write the value at a path into these files only, as paths from the root."""
    return _MoveSearch(workspace, key, files).found()


class _MoveSearch:
    def __init__(self, workspace: Workspace, key: str, files: Sequence[str]) -> None:
        self._workspace, self._key, self._files = workspace, key, tuple(dict.fromkeys(files))
        self._goal = Goal(key, None, frozenset(workspace.targets))
        self._before = {each.target.name: each.result for each in workspace.outcomes() if each.result is not None}
        self._problem = "there is no place for it there"

    def found(self) -> Move:
        places, value, paths = self._places()
        removed = tuple(sorted(origin for origin in places if self._path(origin.source) not in self._files))
        kept = {self._path(origin.source) for origin in places}
        missing = [file for file in self._files if file not in kept]
        if not removed:
            raise UsageError(self._rejected(f"{self._key} is set in no other file"))
        options = [self._places_in(file, paths, value) for file in missing]
        for tried in range(max((len(each) for each in options), default=1)):
            chosen = [each[min(tried, len(each) - 1)] for each in options]
            for with_empty in (True, False):
                texts = self._edited(removed, chosen, value, with_empty=with_empty)
                checked = self._unchanged(texts) if texts is not None else None
                if texts is not None and checked is not None:
                    return Move(removed, tuple(missing), texts, checked)
        raise UsageError(self._rejected(f"{self._key} cannot be moved there: {self._problem}"))

    def _places(self) -> tuple[set[Origin], Any, dict[str, Path]]:
        """Where layers set the value, the value, and its path in each target; all must set it alike."""
        places: set[Origin] = set()
        values: list[tuple[Any, Origin]] = []
        paths: dict[str, Path] = {}
        for name, result in self._before.items():
            path = self._path_in(result)
            if path is None:
                continue
            paths[name] = path
            if result.hides_secrets and has_secret_history(result.node_at(path)):
                message = f"{self._key} is or was secret in {name}, and would be printed"
                raise UsageError(
                    Diagnostic(
                        code="secret-value",
                        message=message,
                        hint="add --cleartext-secrets to show it, or edit the file by hand",
                    )
                )
            for node in source_nodes_of(result.node_at(path)):
                origin = node.origin()
                if origin.part is None and origin not in places:
                    places.add(origin)
                    values.append((node.value, origin))
        if not values:
            raise UsageError(self._rejected(f"no file sets {self._key} as a whole"))
        other = next(((value, at) for value, at in values if not same(value, values[0][0])), None)
        if other is not None:
            message = f"{self._key} is not set alike: {values[0][1]} and {other[1]} differ"
            raise UsageError(self._rejected(message))
        return places, values[0][0], paths

    def _path_in(self, result: Result) -> Path | None:
        try:
            result.history_at(self._key)
        except UsageError:
            return None
        return self._goal.steps_in(result)

    def _places_in(self, file: str, paths: Mapping[str, Path], value: Any) -> list[Candidate]:
        """The mappings of a file that can have the value, the innermost first."""
        readers = sorted(self._workspace.readers_of(file) & paths.keys())
        if self._workspace.file(file) is None or not readers:
            why = "it does not exist" if self._workspace.file(file) is None else "no target that has the value reads it"
            raise UsageError(self._rejected(f"{file} cannot have {self._key}: {why}"))
        found: dict[Candidate, None] = {}
        for name in readers[:3]:
            result = self._before[name]
            for each in added_at(result, paths[name], self._workspace.project.prefix + file):
                found.setdefault(each)
        able = [each for each in found if self._edited((), [each], value) is not None][:_MOST_TRIED]
        if not able:
            raise UsageError(self._rejected(f"{file} cannot have {self._key}: {self._problem}"))
        return able

    def _edited(
        self, removed: Sequence[Origin], added: Sequence[Candidate], value: Any, *, with_empty: bool = False
    ) -> dict[str, bytes] | None:
        nodes: dict[str, Editable] = {}
        edits: dict[str, list[Any]] = {}

        def of(path: str) -> Editable:
            if path not in nodes:
                source = self._workspace.file(path)
                nodes[path] = editable(path, b"" if source is None else source.data)
            return nodes[path]

        try:
            for origin in removed:
                path = self._path(origin.source)
                edits.setdefault(path, []).append(of(path).remove(origin.line, origin.column, with_empty=with_empty))
            for each in added:
                path = self._path(each.source)
                edit = (
                    of(path).add(each.line, each.column, each.inner, value)
                    if each.line
                    else of(path).add_to_document(each.inner, value)
                )
                edits.setdefault(path, []).append(edit)
        except NotEditableError as error:
            self._problem = str(error)
            return None
        return {path: of(path).edited(of_file) for path, of_file in edits.items()}

    def _unchanged(self, texts: Mapping[str, bytes]) -> int | None:
        """How many targets read the files, if all results are what they were."""
        fork, touched = self._workspace.fork(texts)
        names = sorted(touched if touched is not None else self._before)
        for name in names:
            before, after = self._before.get(name), fork.result(name)
            if (before is None) != (after is None):
                self._problem = f"{name} could not be rendered any more: {fork.errors.get(name, '')}"
                return None
            if before is not None and after is not None and not same(real_value(before), real_value(after)):
                self._problem = f"in {name}, {difference_between(before, after)}"
                return None
        return len(names)

    def _path(self, source: str) -> str:
        return source.removeprefix(self._workspace.project.prefix)

    def _rejected(self, message: str) -> Diagnostic:
        return Diagnostic(code="no-move", message=message, hint=_HINT.replace("KEY", shlex.quote(self._key)))
