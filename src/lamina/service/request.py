"""Requests, once their route is known, and their parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lamina.service.author import LOCAL, Author
from lamina.service.faults import bad_request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.service.access import Caller


@dataclass(frozen=True, slots=True)
class Request:
    """A request, once its route is known."""

    caller: Caller
    parts: Sequence[str] = ()
    """The parts of the path that the route leaves open, decoded."""
    query: Mapping[str, list[str]] = field(default_factory=dict)
    body: bytes = b""
    author: Author = LOCAL
    """What is noted of who writes."""


def single(request: Request, name: str) -> str:
    """A parameter that must be there, once."""
    given = request.query.get(name)
    if given is None or len(given) != 1 or not given[0]:
        raise bad_request(f'The "{name}" parameter is needed, once.', "HTTPInvalidParam")
    return given[0]


LONGEST_MESSAGE = 1000
"""How many characters may be said about a change."""


def message_in(query: Mapping[str, list[str]]) -> str | None:
    """What a caller says about what is written."""
    given = query.get("message")
    if given is None:
        return None
    if len(given) > 1 or len(given[0]) > LONGEST_MESSAGE or "\0" in given[0]:
        why = f"It must be there once, with {LONGEST_MESSAGE} characters at most."
        raise bad_request(f'The "message" parameter is invalid. {why}', "HTTPInvalidParam")
    return given[0].strip() or None


def whole_number(request: Request, name: str) -> int:
    """A parameter that must be there and a whole number."""
    text = single(request, name)
    if not re.fullmatch("[0-9]{1,9}", text):
        raise bad_request(f'The "{name}" parameter must be a whole number.', "HTTPInvalidParam")
    return int(text)
