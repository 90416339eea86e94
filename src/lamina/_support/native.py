"""C extensions: modules that do what a Python function here does, faster.

They are built during installation if there is a C compiler; without them everything works the same, only slower.
`LAMINA_PURE=1` in the environment skips them.
"""

from __future__ import annotations

import os
import sys
from typing import Any

EXTENSIONS = ("lamina.sources.yaml._yaml",)


def missing() -> list[str]:
    """The extensions that were not built."""
    return [name for name in EXTENSIONS if compiled(name) is None]


def compiled(name: str) -> Any:
    """The compiled module of that name; None if it was not built or is disabled."""
    if os.environ.get("LAMINA_PURE"):
        return None
    try:
        __import__(name)
    except ImportError:
        return None
    return sys.modules[name]
