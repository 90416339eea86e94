"""Regular files, read at once: what most inputs are.

A link, a special file, an empty one and one that is being written take a closer look by whoever asks; see `inputs`.
"""

from __future__ import annotations

import os
import stat

_FLAGS = ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC")
_NO_LINK = sum(getattr(os, flag) for flag in _FLAGS) if all(hasattr(os, flag) for flag in _FLAGS) else None
"""How a file is opened that must not be a link and must not be waited for, where the system can do that."""


def whole_file(path: str, most: int) -> bytes | None:
    """What is in a regular file of known size, which is not a link; None for anything else, or beyond `most` bytes."""
    if _NO_LINK is None:
        return None
    try:
        opened = os.open(path, _NO_LINK)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode) or not 0 < status.st_size <= most:
            return None
        data = os.read(opened, status.st_size + 1)
        return data if len(data) == status.st_size else None
    except OSError:
        return None
    finally:
        os.close(opened)
