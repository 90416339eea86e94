"""Types that several outputs have."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from lamina.errors import Severity


def words(known: Iterable[str]) -> dict[str, Any]:
    """What an annotated string may be."""
    return {"enum": list(known)}


Version = Annotated[Literal[1], {"description": "The version of this format."}]
Natural = Annotated[int, {"minimum": 0}]
Counted = Annotated[int, {"minimum": 1}]
Name = Annotated[str, {"minLength": 1}]
SeverityWord = Annotated[str, words(each.word for each in Severity)]
PlainValue = Annotated[Any, {"description": "Any value; null also means no value."}]
