"""Run `lamina` as on a system without what only POSIX has: `python without_posix.py render a.yaml`.

Windows has none of these names and modules; with them gone, code that needs one fails here, too. Paths, which differ as
well, are those of this system.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
FLAGS = ("ASYNC", "CLOEXEC", "DIRECT", "DIRECTORY", "DSYNC", "NDELAY", "NOATIME", "NOCTTY", "NOFOLLOW", "NONBLOCK")
FUNCTIONS = (
    *(
        "chown",
        "chroot",
        "fchmod",
        "fchown",
        "fork",
        "forkpty",
        "getegid",
        "geteuid",
        "getgid",
        "getgroups",
        "getloadavg",
    ),
    *("getpgid", "getpriority", "getsid", "getuid", "killpg", "lchown", "lockf", "mkfifo", "mknod", "nice", "openpty"),
    *("posix_fadvise", "pread", "preadv", "pwrite", "readv", "sched_getaffinity", "sched_yield", "sendfile", "setpgid"),
    *("setsid", "statvfs", "sync", "sysconf", "uname", "wait", "wait4", "writev"),
)
SIGNALS = ("ALRM", "CHLD", "CONT", "HUP", "KILL", "PIPE", "QUIT", "STOP", "TSTP", "USR1", "USR2", "WINCH")


def remove_posix() -> None:
    """Take away what Windows does not have; what is loaded already stays with the standard library alone."""
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # an import of it fails
    for name in (*(f"O_{flag}" for flag in (*FLAGS, "PATH", "RSYNC", "SYNC")), *FUNCTIONS):
        vars(os).pop(name, None)
    for name in SIGNALS:
        vars(signal).pop(f"SIG{name}", None)
    vars(multiprocessing)["get_all_start_methods"] = lambda: ["spawn"]


if __name__ == "__main__":
    remove_posix()
    from lamina.cli.main import main

    main(sys.argv[1:])
