"""The program that started the server: when it is gone, so is the server, however it ended."""

from __future__ import annotations

import os
from threading import Thread
from time import sleep
from typing import Final

_PERIOD: Final = 2.0
"""How many seconds pass between two looks."""


def end_with_parent(process: int | None) -> None:
    """End this process when another one ends, which is the editor's; without one, when the parent does."""
    if process is None and not hasattr(os, "getppid"):
        return
    watched, parent = process, os.getppid()

    def watch() -> None:
        while os.getppid() == parent and (watched is None or _is_there(watched)):
            sleep(_PERIOD)
        os._exit(1)  # nobody reads any more, and threads that work would keep it alive

    Thread(target=watch, name="lamina parent", daemon=True).start()


def _is_there(process: int) -> bool:
    if os.name == "nt":
        return _is_there_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's
    return True


def _is_there_on_windows(process: int) -> bool:
    """On Windows a signal would end the process that is asked about."""
    import ctypes

    windows = ctypes.windll.kernel32  # type: ignore[attr-defined]
    handle = windows.OpenProcess(0x00100000, 0, process)  # to wait for it
    if not handle:
        return False
    ended = windows.WaitForSingleObject(handle, 0) == 0
    windows.CloseHandle(handle)
    return not ended
