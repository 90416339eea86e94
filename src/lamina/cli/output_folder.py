"""The output folder of a command: must be empty unless it may be overwritten; nothing is written outside of it."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from lamina.cli.write_files import unwritable, write_file
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class OutputFolder:
    """A folder to write files into."""

    def __init__(self, path: str, *, force: bool) -> None:
        self._path = path
        self._root = FilePath(path).resolve()
        if self._root.exists() and not self._root.is_dir():
            raise UsageError(_finding(f"{path} is not a folder", "choose another name"))
        if not force and self._root.is_dir() and any(self._root.iterdir()):
            raise UsageError(_finding(f"{path} is not empty", "choose another folder, or overwrite files with --force"))

    def check_separate(self, inputs: Iterable[str]) -> None:
        """Reject a folder that holds one of the inputs: it would be overwritten."""
        for name in inputs:
            path = FilePath(name).resolve()
            if path == self._root or self._root in path.parents:
                hint = "choose a folder that is not among the inputs"
                raise UsageError(_finding(f"{self._path} holds the input {name}", hint))

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write the files; none if one of them would be outside of the folder."""
        paths = {self._path_of(name): data for name, data in files.items()}
        for path, data in paths.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise unwritable(error, str(path)) from None
            write_file(str(path), data)

    def _path_of(self, name: str) -> FilePath:
        path = self._root / name
        parent = path.parent.resolve()
        inside = parent == self._root or self._root in parent.parents
        if not inside or path.is_symlink() or ".." in FilePath(name).parts:
            hint = "remove the link, or choose another folder"
            raise UsageError(_finding(f"{self._path}/{name} leads out of {self._path}", hint))
        return path


def _finding(message: str, hint: str) -> Diagnostic:
    return Diagnostic(code="output-folder", message=message, hint=hint)
