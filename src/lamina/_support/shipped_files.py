"""Files of the project that come with the package: parts of the manual, and small examples.

They are kept where people look for them in a checkout; a built package has copies (see `pyproject.toml`).
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def shipped(name: str) -> Path | None:
    """A file or folder by its path in the repository, such as `docs/reference/codes.md`; None if it is missing."""
    candidates = (_PACKAGE / "shipped" / name, _PACKAGE.parents[1] / name)
    return next((path for path in candidates if path.exists()), None)
