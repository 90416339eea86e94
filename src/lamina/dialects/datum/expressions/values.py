"""The values of expressions, and PowerShell's conversions: to strings, booleans and numbers.

Plain values are those of data files. Besides them there are: values with their position in the tree, so that it is
known which lines were read (`LocatedValue`); tables that scripts create (`Hashtable`); the file of a value (`FileItem`,
`FolderItem`); and script blocks (`Block` of the syntax tree).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina.dialects.datum import equality
from lamina.dialects.datum.expressions.errors import OutsideSubset, ScriptFailed
from lamina.sources.caseless_keys import caseless
from lamina.sources.decimals import WrittenDecimal

if TYPE_CHECKING:
    from collections.abc import Iterable

HASHTABLE_TEXT: Final = "System.Collections.Hashtable"


class LocatedValue(Protocol):
    """A value with its position in the tree."""

    def plain(self) -> Any:
        """The value itself; recorded as read."""
        ...

    def member(self, name: str) -> Any:
        """The member of a table, as a LocatedValue; NO_MEMBER if there is none, or the value is not a table."""
        ...

    def items(self) -> list[Any] | None:
        """The items of a list, as LocatedValues; None if the value is not a list."""
        ...

    def text(self) -> str | None:
        """The value as part of a string, if that is not the text of the plain value."""
        ...

    @property
    def is_located(self) -> bool:
        """Always true; marks such values."""
        ...


class _NoMember:
    def __repr__(self) -> str:
        return "NO_MEMBER"


NO_MEMBER: Final[Any] = _NoMember()


class Hashtable(dict[Any, Any]):
    """A table that a script wrote."""


@dataclass(frozen=True, slots=True)
class FolderItem:
    """A folder below the data folder."""

    path: tuple[str, ...]

    def member(self, name: str) -> Any:
        match name.lower():
            case "name" | "basename":
                if not self.path:
                    raise OutsideSubset("the name of the folder that contains the data is unknown")
                return self.path[-1]
            case "parent":
                if not self.path:
                    raise OutsideSubset("the parent folders of the data are unknown")
                return FolderItem(self.path[:-1])
        raise OutsideSubset(f"the property {name} of a folder is not supported")


@dataclass(frozen=True, slots=True)
class FileItem:
    """A file below the data folder."""

    path: tuple[str, ...]

    def member(self, name: str) -> Any:
        stem, dot, ending = self.path[-1].rpartition(".")
        match name.lower():
            case "name":
                return self.path[-1]
            case "basename":
                return stem if dot else self.path[-1]
            case "extension":
                return dot + ending if dot else ""
            case "directory":
                return FolderItem(self.path[:-1])
        raise OutsideSubset(f"the property {name} of a file is not supported: it depends on where the data is stored")

    def source_name(self) -> str:
        """The path below the data folder without the ending, as Get-DatumSourceFile gives it."""
        return "\\".join((*self.path[:-1], self.member("basename")))


def is_located(value: Any) -> bool:
    """Whether a value is a LocatedValue."""
    return getattr(value, "is_located", False) is True


def is_null(value: Any) -> bool:
    """Whether a value is null, wherever it is."""
    if is_located(value):
        return items_of(value) is None and value.plain() is None
    return value is None


def plain(value: Any) -> Any:
    """The value with all LocatedValues in it replaced by plain ones; rejects what is not data."""
    if is_located(value):
        value = value.plain()
    if isinstance(value, str):
        return str(value)  # without the marks of a script that was read
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {caseless(str(key)): plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float)):
        return value
    raise OutsideSubset("a file, folder or script block as a value is not supported")


def items_of(value: Any) -> list[Any] | None:
    """The items of a list; None if the value is not one."""
    if is_located(value):
        found: list[Any] | None = value.items()
        return found
    return value if isinstance(value, list) else None


def enumerated(value: Any) -> list[Any]:
    """A value as a pipeline passes it on: the items of a list one by one."""
    items = items_of(value)
    return [value] if items is None else list(items)


def collected(outputs: list[Any]) -> Any:
    """The output of statements as a value: null, the only item, or a list."""
    if len(outputs) == 1:
        return outputs[0]
    return outputs or None


def text(value: Any) -> str:
    """The string that PowerShell converts a value to."""
    if is_located(value):
        own: str | None = value.text()
        return equality.text_form(value.plain()) if own is None else own
    if isinstance(value, Hashtable):
        return HASHTABLE_TEXT
    if isinstance(value, list):
        return " ".join(_item_text(item) for item in value)
    if isinstance(value, (FileItem, FolderItem)):
        raise OutsideSubset("the full path of a file is not supported: it depends on where the data is stored")
    if value is None or isinstance(value, (str, bool, int, float, dict)):
        return equality.text_form(value)
    raise OutsideSubset("a script block as a string is not supported")


def _item_text(item: Any) -> str:
    return equality.LIST_TEXT if items_of(item) is not None else text(item)


def truth(value: Any) -> bool:
    """Whether PowerShell considers a value true."""
    if isinstance(value, (FileItem, FolderItem)):
        return True
    if is_located(value) or value is None or isinstance(value, (str, bool, int, float, list, dict)):
        items = items_of(value)
        if items is not None:
            return truth(items[0]) if len(items) == 1 else bool(items)
        return equality.truth(value.plain() if is_located(value) else value)
    return True


def scalar(value: Any) -> Any:
    """The plain value of a LocatedValue; other values unchanged."""
    return value.plain() if is_located(value) else value


def number(value: Any) -> int | float:
    """A value as a number, as the right side of arithmetic is read; fails where it is none."""
    value = scalar(value)
    if value is None:
        return 0
    found = equality.number_of(value)
    if found is None or isinstance(value, list):
        raise ScriptFailed(f"{_shown(value)} is not a number")
    return found


def integer(value: Any) -> int:
    """A value as an integer; halves go to the even neighbour."""
    found = number(value)
    try:
        return round(found)
    except (ValueError, OverflowError):
        raise ScriptFailed(f"{_shown(value)} is not a whole number") from None


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return repr(value[:40])
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, dict) else str(value)[:40]


def exact(value: int | float) -> Decimal | None:
    """A number as a decimal, where it takes part in decimal arithmetic."""
    if isinstance(value, WrittenDecimal):
        return value.exact
    return Decimal(value) if isinstance(value, int) else None


def weight(values: Iterable[str]) -> int:
    """The maximum size of strings, in bytes."""
    return sum(4 * len(value) for value in values)
