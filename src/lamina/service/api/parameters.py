"""The open parts of paths, and what is served, by their types."""

import re
from typing import Annotated

from fastapi import Depends, Path
from pydantic import BeforeValidator, WithJsonSchema

from lamina.service.dependencies import Site
from lamina.service.errors import RevisionNotFound
from lamina.service.faults import bad_request, route_not_found
from lamina.service.service import Service, number_of

API = "/api/v1.0"
HOST = f"https://deckhand{API}"
"""What addresses in answers begin with; Deckhand names no other host."""
LONGEST_NAME = 500
"""How many characters the name of a bucket or a tag may have; PostgreSQL cannot index much longer ones."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = WithJsonSchema({"type": "integer", "minimum": 0})


async def _service(site: Site) -> Service:
    assert isinstance(site.served, Service)
    return site.served


def _compared(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise bad_request(f"Failed to process request: {text!r} is not a revision.", "InvalidInputException")
    if int(text) < 0:
        raise RevisionNotFound(text)
    return int(text)


def _target(text: str) -> int:
    if not re.fullmatch(r"\+?[0-9]{1,18}", text):
        raise route_not_found()
    return int(text)


def _entry(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise bad_request("The number of the entry must be a whole number.")
    return int(text)


StoreService = Annotated[Service, Depends(_service)]
RevisionNumber = Annotated[int, BeforeValidator(number_of), _NUMBER, Path()]
"""A revision that there may be."""
ComparedRevision = Annotated[int, BeforeValidator(_compared), _NUMBER, Path()]
"""A revision to compare; 0 has no documents."""
EarlierRevision = Annotated[int, BeforeValidator(_target), _NUMBER, Path()]
"""A revision to go back to; 0 has no documents."""
EntryNumber = Annotated[int, BeforeValidator(_entry), _NUMBER, Path()]
NewName = Annotated[str, Path(min_length=1, max_length=LONGEST_NAME)]
"""The name of a bucket or a tag that may be new."""
KnownName = Annotated[str, Path(min_length=1)]
