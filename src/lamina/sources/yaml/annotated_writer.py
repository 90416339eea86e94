"""YAML with a comment after each value; what it reads as stays the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina.sources.yaml.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.paths import Path, Step


class _Annotating(Writer):
    """A writer that follows the path and puts a comment after each scalar and each empty collection."""

    def __init__(
        self, comment: Callable[[Path], str | None], sort_keys: bool, allow_unicode: bool, guarded: bool
    ) -> None:
        super().__init__(sort_keys=sort_keys, allow_unicode=allow_unicode, guarded=guarded)
        self._comment = comment
        self._path: list[Step] = []
        self._write = None

    def _document(self, value: Any, follows: bool) -> str:
        text = super()._document(value, follows)
        if _is_full(value):
            return text
        body, dots, _ = text.partition("\n...\n")
        return self._commented(body.removesuffix("\n"), ()) + (dots or "\n")

    def _entry(self, key: Any, child: Any, indent: int) -> str:
        return self._with(key, child, super()._entry, key, child, indent)

    def _item(self, at: int, item: Any, indent: int) -> str:
        return self._with(at, item, super()._item, at, item, indent)

    def _with(self, step: Step, child: Any, write: Callable[..., str], *arguments: Any) -> str:
        self._path.append(step)
        text = write(*arguments)
        if not _is_full(child):
            text = self._commented(text, tuple(self._path))
        self._path.pop()
        return text

    def _commented(self, text: str, path: Path) -> str:
        comment = self._comment(path)
        if not comment:
            return text
        comment = self._counted("  # " + " ".join(comment.split()))
        # A literal block takes everything below its first line as its own.
        literal = re.search(r"!!(?:binary \||set)(?=\n)", text)
        if literal:
            return text[: literal.end()] + comment + text[literal.end() :]
        return text + comment

    def _plain(self) -> Writer:
        return Writer(sort_keys=self._sort_keys, allow_unicode=self._allow_unicode, guarded=self._guarded)


def _is_full(value: Any) -> bool:
    return isinstance(value, (dict, list, tuple)) and bool(value)


def annotated(
    value: Any,
    comment: Callable[[Path], str | None],
    *,
    sort_keys: bool = False,
    header: str = "",
    allow_unicode: bool = False,
    guarded: bool = False,
) -> str:
    """The value as YAML, with a comment after each scalar and empty collection; it reads back as the same value."""
    return _Annotating(comment, sort_keys, allow_unicode, guarded).dump(value, header)
