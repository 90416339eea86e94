"""A PostgreSQL of the tests' own, in a folder that is removed afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

from support import installed

HERE = Path(__file__).parent


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


class Postgres:
    """A cluster; it runs as an ordinary user, since PostgreSQL does not run as root."""

    def __init__(self) -> None:
        installed.need("PostgreSQL", HERE / "install", Path(sys.prefix) / ".postgresql.lock")
        self._bin = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        self.folder = Path(tempfile.mkdtemp(prefix="lamina-postgres-"))
        self.port = free_port()
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            found = pwd.getpwnam(self._user)
            os.chown(self.folder, found.pw_uid, found.pw_gid)
        self._run("initdb", "-D", self.data, "-U", "lamina", "--auth", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._bin / program, *arguments],
            check=True,
            user=self._user,
            group=self._user,
            extra_groups=[] if self._user else None,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
            stdout=subprocess.DEVNULL,
        )

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        options += " -c fsync=off"  # processes are killed here, never the machine: what was written is not lost
        self._run("pg_ctl", "-D", self.data, "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self, how: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.data, "-w", "-m", how, "stop")

    def database(self) -> str:
        """The address of a new database."""
        name = f"lamina_{uuid4().hex}"
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "lamina", name)
        return f"postgresql://lamina@127.0.0.1:{self.port}/{name}"

    def remove(self) -> None:
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
