"""Debian's Neovim, installed when it is not there."""

from __future__ import annotations

import shutil
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

from support.installed import cannot_install, failure_of


def neovim() -> str:
    """The program."""
    with (Path(sys.prefix) / "neovim.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        install = ("apt-get", "install", "--quiet", "--yes", "--no-install-recommends", "neovim")
        if shutil.which("nvim") is None and failure_of(*install, folder=Path(sys.prefix)):
            update = ("apt-get", "update", "--quiet")
            failure = failure_of(*update, folder=Path(sys.prefix)) or failure_of(*install, folder=Path(sys.prefix))
            if failure:
                cannot_install("Neovim", failure)
    found = shutil.which("nvim")
    assert found is not None
    return found
