"""What an assistant may ask about a project: questions only, over the files as they are now, with bounded answers.

Answers are plain data. A list that is cut says how many entries are missing, so that nobody takes a part for the whole.
Secrets are withheld as `lamina explain` withholds them, and no question reads a file outside of the project.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from lamina.errors import UsageError
from lamina.origins import data_or_none
from lamina.paths import show
from lamina.project.shared_entries import shared
from lamina.views import explain
from lamina.views.lint.formats import data as lint_data
from lamina.workspace import line_use_data
from lamina.workspace.find_value import values_found
from lamina.workspace.requested_text import RequestedText
from lamina.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.project.project import Project
    from lamina.workspace.proposals.search import Proposal

MOST: Final = 50
"""How many entries of one kind an answer has."""
_DIFF_SECONDS: Final = 120
_SKIPPED: Final = frozenset({"node_modules", "__pycache__"})


class NoAnswerError(Exception):
    """A question that is not answered, and why."""


class ProjectAnswers:
    """The answers about one project; several threads may ask."""

    def __init__(self, project: Project) -> None:
        self._root = project.root
        self._lock = Lock()
        self._saved = dict(self._files())
        self._workspace = Workspace(project)

    def targets(self) -> dict[str, Any]:
        """All targets, with what each is made from."""
        workspace = self._current()
        found = [
            {
                "name": each.target.name,
                "dialect": each.target.dialect,
                "inputs": _cut(list(each.target.inputs)),
                "error": None if each.error is None else str(each.error.diagnostic),
            }
            for each in workspace.outcomes()
        ]
        return {"root": os.path.basename(self._root), "count": len(found), "targets": _cut(found)}

    def explain(self, path: str, targets: Sequence[str] = ()) -> dict[str, Any]:
        """The value at a path and every layer that set it, once for the targets in which it is alike."""
        workspace = self._current()
        found, missing = [], []
        for name in _matching(workspace, targets):
            result = workspace.result(name)
            try:
                found.append((name, explain.as_data(result.history_at(path), result)))
            except UsageError as error:
                missing.append((name, error.diagnostic))
        groups = [{**group.entry, "targets": _cut(group.targets)} for group in shared(found, repr)]
        absent = shared(missing, lambda each: each.message)
        return {
            "explained": _cut(groups),
            "absent": [{"reason": str(each.entry), "targets": _cut(each.targets)} for each in absent[:MOST]],
        }

    def where(self, file: str, line: int, column: int | None = None) -> dict[str, Any]:
        """What a line of a file decides, and in which targets."""
        workspace = self._current()
        path = self._inside(file)
        uses = workspace.where(path, line, column)
        answer: dict[str, Any] = dict(line_use_data.as_data(path, line, column, uses, workspace.chosen_by(path)))
        return {**answer, "uses": _cut(answer["uses"])}

    def find(self, text: str) -> dict[str, Any]:
        """Where a value or a key is set, over all targets."""
        workspace = self._current()
        wanted = RequestedText(text)
        found = [
            (each.target.name, place)
            for each in workspace.outcomes()
            if each.result is not None
            for place in values_found(each.result, wanted)
        ]
        places = [
            {
                "output": group.entry.output,
                "path": show(group.entry.path),
                "value": group.entry.value,
                "at": data_or_none(group.entry.origin),
                "verdict": group.entry.verdict,
                "targets": _cut(group.targets),
            }
            for group in shared(found)
        ]
        failed = [each.target.name for each in workspace.outcomes() if each.result is None]
        return {"text": text, "places": _cut(places), "not_searched": _cut(failed)}

    def lint(self, files: Sequence[str] = ()) -> dict[str, Any]:
        """Likely mistakes, in these files or in all."""
        linted = self._current().lint([self._inside(each) for each in files] or None)
        data = lint_data.as_data(linted)
        return {"counts": data["counts"], "findings": _cut(data["findings"])}

    def diff(self, revision: str) -> dict[str, Any]:
        """What differs in the results between a revision of git and the files as they are."""
        command = [sys.executable, "-m", "lamina", "diff", f"--git={revision}", "--format", "json"]
        try:
            done = subprocess.run(
                command,
                cwd=self._root,
                capture_output=True,
                check=False,
                timeout=_DIFF_SECONDS,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            seconds = f"{_DIFF_SECONDS} seconds"
            raise NoAnswerError(
                f"comparing with {revision} took longer than {seconds}; ask for a nearer revision"
            ) from None
        if not done.stdout:
            raise NoAnswerError(done.stderr.decode(errors="replace").strip())
        data: dict[str, Any] = json.loads(done.stdout)
        return {**data, "changes": _cut(data["changes"])}

    def what_if(self, file: str, text: str) -> dict[str, Any]:
        """What would change in all targets if a file had this text; nothing is written."""
        workspace = self._current()
        data: dict[str, Any] = dict(workspace.what_if({self._inside(file): text}).as_data())
        return {
            **data,
            **{name: _cut(data[name]) for name in ("targets", "changes", "findings", "resolved")},
        }

    def propose(self, path: str, value: Any, targets: Sequence[str] = ()) -> dict[str, Any]:
        """The edit that makes the value at a path what is wanted in these targets, and changes nothing else."""
        found = self._current().propose(path, value, targets)
        return {
            "done": found.done,
            "why": found.why,
            "proposals": [_proposal(each) for each in found.exact],
            "closest": [_proposal(each) for each in found.closest],
            "refused": _cut([{"place": place, "reason": reason} for place, reason in found.refused.items()]),
        }

    def _current(self) -> Workspace:
        """The workspace, with what was saved since the last question."""
        with self._lock:
            now = dict(self._files())
            changed = [path for path in {**self._saved, **now} if self._saved.get(path) != now.get(path)]
            if changed:
                self._workspace.refresh(changed)
                self._saved = now
        return self._workspace

    def _files(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Every file of the project, as a path from the root, with what tells whether it was saved again."""
        for folder, folders, files in os.walk(self._root):
            folders[:] = [name for name in folders if not name.startswith(".") and name not in _SKIPPED]
            for name in files:
                file = os.path.join(folder, name)
                try:
                    found = os.stat(file)
                except OSError:
                    continue
                yield os.path.relpath(file, self._root).replace(os.sep, "/"), (found.st_mtime_ns, found.st_size)

    def _inside(self, file: str) -> str:
        """A file of the project as a path from its root; anything else is refused."""
        path = PurePosixPath(file.replace(os.sep, "/"))
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise NoAnswerError(f"{file} is no path from the root of the project, such as the tool targets lists")
        return str(path)


def _matching(workspace: Workspace, patterns: Sequence[str]) -> list[str]:
    return [name for name in workspace.targets if not patterns or any(fnmatchcase(name, each) for each in patterns)]


def _cut(entries: Sequence[Any]) -> list[Any]:
    """The first entries, and where there are more, how many."""
    left = len(entries) - MOST
    return [*entries[:MOST], *([f"… and {left:,} more"] if left > 0 else ())]


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        "edits": [f"{each.action} at {each.place}" for each in proposal.edits],
        "reason": proposal.reason,
        "reached": _cut(sorted(proposal.reached)),
        "missed": _cut(sorted(proposal.missed)),
        "others": _cut(sorted(proposal.others)),
        "changes": _cut(proposal.impact.as_data()["changes"]),
    }
