"""Strings with `%{...}` as strings with references: lookups and aliases of keys that every node has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.interpolation import method_of
from lamina.dialects.hiera.keys import split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.hiera.level_files import DataFile

_EXPRESSION: Final = re.compile(r"%\{([^}]*)\}")


class StringConversion:
    """Converts the strings of all files in the same way."""

    def __init__(self, files: Iterable[DataFile], known: set[str]) -> None:
        self._files = list(files)
        self._known = known
        self.remarks: list[lp.ConversionRemark] = []
        self.has_references = False
        self.has_references = any(self._contains_reference(file.value) for file in self._files)
        """Whether there will be references, so that everything else that looks like one is escaped."""
        self._done: dict[str, lp.ConvertedFile] = {}

    def _contains_reference(self, value: Any) -> bool:
        if isinstance(value, dict):
            return any(self._contains_reference(each) for each in value.values())
        if isinstance(value, list):
            return any(map(self._contains_reference, value))
        return isinstance(value, str) and "%{" in value and "${" in self._replaced(value)[0]

    def converted(self, file: lp.ConvertedFile, data: DataFile) -> lp.ConvertedFile:
        """A file with its strings converted; remarks are made for those that cannot be."""
        if file.name not in self._done:
            value = {key: self._value(each, (key,), data) for key, each in file.value.items()}
            changes = value != file.value
            self._done[file.name] = lp.ConvertedFile(file.name, value, file.source, self._text if changes else None)
        return self._done[file.name]

    def _value(self, value: Any, path: lp.Path, data: DataFile) -> Any:
        if isinstance(value, dict):
            interpolated_key = next((key for key in value if isinstance(key, str) and "%{" in key), None)
            if interpolated_key is not None:
                self._remark(path, f"the key {interpolated_key} is filled in for each node", data)
            return {key: self._value(each, (*path, key), data) for key, each in value.items()}
        if isinstance(value, list):
            return [self._value(each, (*path, at), data) for at, each in enumerate(value)]
        if not isinstance(value, str):
            return value
        if "%{" not in value:
            return self._escaped(value)
        replaced, left = self._replaced(value)
        if left is not None:
            self._remark(path, f"{left} is a variable of the node, or a key that not every node has as a string", data)
        return replaced

    def _remark(self, path: lp.Path, why: str, data: DataFile) -> None:
        at = data.root.at(path).origin()
        self.remarks.append(lp.ConversionRemark(what=lp.show(path), why=why, at=at, path=path))

    def _escaped(self, text: str) -> str:
        return text.replace("${", "$${") if self.has_references else text

    def _replaced(self, text: str) -> tuple[str, str | None]:
        """A string with references, and the first expression that has no counterpart, which stays as it is."""
        left: list[str] = []

        def reference(match: re.Match[str]) -> str:
            found = self._reference(match, is_whole_string=match[0] == text)
            if found is None:
                left.append(match[0])
            return match[0] if found is None else found

        return _EXPRESSION.sub(reference, self._escaped(text)), left[0] if left else None

    def _reference(self, match: re.Match[str], *, is_whole_string: bool) -> str | None:
        try:
            method, name = method_of(match[1].strip())
        except lp.Reject:
            return None
        if method == "literal":
            return name
        segments = split(name)
        if method not in ("lookup", "alias") or segments is None or segments[0] not in self._known:
            return None
        if any(not re.fullmatch(r"[\w:-]+", str(segment)) for segment in segments):
            return None
        if method == "lookup" and is_whole_string and not self._is_string(segments):
            return None
        return "${" + ".".join(map(str, segments)) + "}"

    def _is_string(self, segments: tuple[str | int, ...]) -> bool:
        """Whether a key is a string in every file that has it: a lookup makes one of what it finds."""
        found = [lp.walk(file.value, segments) for file in self._files]
        return all(isinstance(value, str) for value in found if value is not lp.MISSING)

    def _text(self, text: str) -> str:
        """The text of a file with its expressions replaced, as far as they can be."""

        def reference(match: re.Match[str]) -> str:
            found = self._reference(match, is_whole_string=False)
            return match[0] if found is None else found

        return _EXPRESSION.sub(reference, self._escaped(text))
