"""Secret keys: which members of a source are not to be shown, and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Union


class Secrecy(IntEnum):
    """How secret a value is; anything but `OPEN` is true."""

    OPEN = 0
    WITHHELD = 1
    """Not to be shown to those who only ask where values come from."""
    ENCRYPTED = 2
    """The same, and stored encrypted."""


SecretKeys = Mapping[Any, Union[Secrecy, "SecretKeys"]]
"""The members of a mapping that are secret, or that hold secret members."""


def inside(keys: SecretKeys | None, key: Any) -> tuple[Secrecy, SecretKeys | None]:
    """Whether a member is secret, and what inside it is."""
    found = keys.get(key, Secrecy.OPEN) if keys else Secrecy.OPEN
    return (found, None) if isinstance(found, Secrecy) else (Secrecy.OPEN, found)
