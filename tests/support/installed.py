"""What tests install for themselves: a browser, Node, Puppet.

Where that is not possible (no apt, no network, no rights) the tests that need it are skipped with one line; in CI they
fail, with all that the tool printed.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def need(what: str, script: Path, *arguments: str | Path) -> None:
    """Run an install script, once; skip the test, or in CI fail, when it fails."""
    failure = _failure_once(str(script), *map(str, arguments))
    if failure is not None:
        cannot_install(what, failure)


def cannot_install(what: str, failure: str) -> NoReturn:
    """Skip the test, or in CI fail; `failure` is what the tool printed."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} cannot be installed:\n{failure}", pytrace=False)
    pytest.skip(f"{what} cannot be installed here: {_last_line(failure)}", allow_module_level=True)


def _last_line(text: str) -> str:
    """The line that usually says why."""
    return next((line.strip() for line in reversed(text.split("\n")) if line.strip()), "the script printed nothing")


def failure_of(*command: str, folder: Path | None = None) -> str | None:
    """What a command printed, if it failed."""
    try:
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    except OSError as error:
        return str(error)
    return done.stdout if done.returncode else None


_failure_once = cache(failure_of)
