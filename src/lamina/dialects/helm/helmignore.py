"""`.helmignore`: which files of a folder are no part of the chart.

The rules are tried in order, and the first that matches decides. One with `!` matches whatever its pattern does not.
"""

from __future__ import annotations

import re
from posixpath import basename, dirname
from typing import TYPE_CHECKING, Final, NamedTuple

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = ".helmignore"
_FEW_STARS: Final = 2
_TOKEN: Final = re.compile(r"\[\^?(?:\\.|[^\]\\])+\]|\\.|.", re.DOTALL)


class _IgnoreLine(NamedTuple):
    """A line of the file."""

    pattern: re.Pattern[str] | lpf.SafePattern
    is_negated: bool
    for_folders: bool
    by_name: bool
    """The pattern has no slash: it is compared with the last part of a path."""

    def decides(self, path: str, *, is_folder: bool) -> bool:
        """Whether the rule says that a file or folder is ignored."""
        if self.for_folders and not is_folder:
            return self.is_negated
        found = self.pattern.search(basename(path) if self.by_name else path) is not None
        return found != self.is_negated


class IgnoreRules:
    """All rules of a chart."""

    def __init__(self, source: lp.Source | None) -> None:
        self._rules = [] if source is None else list(_rules(source))
        self._known: dict[str, bool] = {"": False}

    def ignore(self, path: str) -> bool:
        """Whether a file is ignored, or a folder that it is in."""
        return self._in_ignored(dirname(path)) or self._decided(path, is_folder=False)

    def _in_ignored(self, folder: str) -> bool:
        if folder not in self._known:
            self._known[folder] = self._in_ignored(dirname(folder)) or self._decided(folder, is_folder=True)
        return self._known[folder]

    def _decided(self, path: str, *, is_folder: bool) -> bool:
        return any(rule.decides(path, is_folder=is_folder) for rule in self._rules)


def _rules(source: lp.Source) -> Iterator[_IgnoreLine]:
    for number, line in enumerate(source.data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").splitlines()):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if "**" in text:
            raise lp.Reject(_bad_rule(source, number, "two asterisks are not supported"))
        is_negated, text = text.startswith("!"), text.removeprefix("!")
        for_folders, text = text.endswith("/"), text.removesuffix("/")
        try:
            pattern = _compiled(text.removeprefix("/"))
        except (lpf.BadPattern, re.error) as error:
            raise lp.Reject(_bad_rule(source, number, str(error))) from None
        yield _IgnoreLine(pattern, is_negated, for_folders, "/" not in text)


def _compiled(glob: str) -> re.Pattern[str] | lpf.SafePattern:
    """The pattern of a rule; one with many stars takes a time limit."""
    expression = rf"(?s)\A(?:{_as_regex(glob)})\Z"
    return re.compile(expression) if glob.count("*") <= _FEW_STARS else lpf.SafePattern(expression)


def _as_regex(glob: str) -> str:
    """A pattern of Go's filepath.Match: `*` and `?` match anything but a slash."""
    out = ""
    for token in _TOKEN.findall(glob):
        if token == "*":
            out += "[^/]*"
        elif token == "?":
            out += "[^/]"
        elif token.startswith("[") and len(token) > 1:
            out += token.replace("[[", r"[\[")
        elif token == "[":
            raise lpf.BadPattern("a bracket is not closed")
        else:
            out += re.escape(token.removeprefix("\\") if len(token) > 1 else token)
    return out


def _bad_rule(source: lp.Source, number: int, why: str) -> lp.Diagnostic:
    return messages.BAD_IGNORE_RULE.at(source.locate(number, 0), file=NAME, why=why)
