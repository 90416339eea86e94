"""Authors: who writes, from where, and what they say about it."""

from __future__ import annotations

from dataclasses import dataclass
from getpass import getuser

ANYBODY = "anybody"
"""What the audit calls who writes where access is not restricted, or was not yet noted."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes."""

    name: str | None = None
    """The name of a token or a user; None where access is not restricted, so that nobody is known."""
    address: str | None = None
    """The address of the client."""
    request: str | None = None
    """The number of the request, as the log has it."""
    message: str | None = None


LOCAL = Author()
"""A program on the machine of the store."""


def local_user() -> Author:
    """The user of this machine who runs a command on a store."""
    try:
        return Author(getuser())
    except (OSError, KeyError):  # a container may have no name for its user
        return LOCAL
