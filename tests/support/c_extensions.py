"""The C extensions, for tests: where they can be built they must be there."""

from __future__ import annotations

import importlib
import os
import shutil
import sysconfig
from pathlib import Path
from typing import Any

import pytest

_COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]


def _why_not() -> str | None:
    """Why nothing compiled is to be had here."""
    if os.environ.get("LAMINA_PURE"):
        return "LAMINA_PURE is set"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "there are no headers of Python to compile with"
    return None if shutil.which(_COMPILER) else "there is no compiler"


class _Missing:
    """In place of a module that was not built: whatever is called on it fails."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        def fail(*_: Any, **__: Any) -> Any:
            raise AssertionError(f"{self._name} is missing although it can be built: `make tests` builds it")

        return fail


def extension(name: str) -> tuple[Any, pytest.MarkDecorator]:
    """The compiled module, and the mark for tests of it: they are skipped only where it cannot be built."""
    try:
        wanted = not os.environ.get("LAMINA_PURE")
        return importlib.import_module(name), pytest.mark.skipif(not wanted, reason=str(_why_not()))
    except ImportError:
        return _Missing(name), pytest.mark.skipif(_why_not() is not None, reason=str(_why_not()))
