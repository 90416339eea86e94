"""Secret keys: which members of a source are hidden, and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Union


class Secrecy(IntEnum):
    """How secret a value is; anything but `OPEN` is true."""

    OPEN = 0
    WITHHELD = 1
    """Hidden wherever values are explained."""
    ENCRYPTED = 2
    """Hidden, and stored encrypted."""


SecretKeys = Mapping[Any, Union[Secrecy, "SecretKeys"]]
"""The members of a mapping that are secret, or that contain secret members."""


def inside(keys: SecretKeys | None, key: Any) -> tuple[Secrecy, SecretKeys | None]:
    """Whether a member is secret, and which members inside it are."""
    found = keys.get(key, Secrecy.OPEN) if keys else Secrecy.OPEN
    return (found, None) if isinstance(found, Secrecy) else (Secrecy.OPEN, found)
