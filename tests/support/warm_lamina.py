"""`lamina` without the time it takes to start: each command runs in a fork of a process that has imported all of it.

The process has run no command itself, so a fork knows what a new process knows. A program named `lamina`, in a folder
that goes to the front of PATH, passes its arguments, folder, environment and streams to that process, and ends as the
fork does. It runs the installed `lamina` instead if a variable that a starting interpreter reads has another value.
"""

from __future__ import annotations

import contextlib
import gc
import marshal
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

AVAILABLE = hasattr(os, "pidfd_open")
STARTING = ("LANG", "LC_", "PYTHON", "LAMINA_PURE")
"""How the names of variables begin that an interpreter reads when it starts, or Lamina when it is imported."""
_LENGTH = 4

_CLIENT = """\
#!{python} -IS
import _socket, marshal, os, sys
environment = dict(os.environb)
starting = {{name: value for name, value in environment.items() if name.startswith({starting})}}
if starting != {known}:
    os.execv({installed!r}, [{installed!r}, *sys.argv[1:]])
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect({address!r})
request = marshal.dumps((sys.argv[1:], os.getcwdb(), environment))
streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))
server.sendmsg([len(request).to_bytes({length}, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(request)
status = int(server.recv(16))
if status < 0:
    os.kill(os.getpid(), -status)
os._exit(status)
"""


class WarmLamina:
    """The process that is forked, until `stop`; `folder` holds the program that asks it."""

    def __init__(self, below: Path, environment: dict[str, str]) -> None:
        self.folder = below / "bin"
        self.folder.mkdir()
        address = below / "socket"
        self._process = subprocess.Popen(
            [sys.executable, __file__, address], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert _stream(self._process.stdout).readline() == b"ready\n"
        program = self.folder / "lamina"
        starting = tuple(map(str.encode, STARTING))
        program.write_text(
            _CLIENT.format(
                python=sys.executable,
                starting=starting,
                known={n.encode(): v.encode() for n, v in environment.items() if n.startswith(STARTING)},
                installed=str(Path(sys.executable).parent / "lamina"),
                address=str(address),
                length=_LENGTH,
            )
        )
        program.chmod(0o755)

    def stop(self) -> None:
        _stream(self._process.stdin).close()
        _stream(self._process.stdout).close()
        self._process.wait()


def _stream(found: IO[bytes] | None) -> IO[bytes]:
    assert found is not None
    return found


@dataclass(frozen=True)
class _Request:
    """A command to run in a fork."""

    arguments: list[str]
    folder: bytes
    environment: dict[bytes, bytes]
    streams: list[int]

    @classmethod
    def receive(cls, connection: socket.socket) -> _Request:
        length, streams, _, _ = socket.recv_fds(connection, _LENGTH, 3)
        left = int.from_bytes(length, "big")
        parts = []
        while left:
            parts.append(connection.recv(left))
            left -= len(parts[-1])
        arguments, folder, environment = marshal.loads(b"".join(parts))
        return cls(arguments, folder, environment, streams)

    def become(self) -> None:
        """Make this process what a new one would be."""
        for number, stream in enumerate(self.streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(self.folder)
        for name in os.environb.keys() - self.environment.keys():
            del os.environb[name]
        os.environb.update(self.environment)
        sys.argv[1:] = self.arguments


def serve(address: str) -> _Request:
    """Fork for every request; returns in the fork. Ends when standard input is closed."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        selector.register(0, selectors.EVENT_READ, sys.exit)
        os.write(1, b"ready\n")
        while True:
            for key, _ in selector.select():
                if key.fileobj is listener:
                    if request := _fork(listener, selector):
                        return request
                else:
                    key.data()


def _fork(listener: socket.socket, selector: selectors.BaseSelector) -> _Request | None:
    """The request, in the fork; in the process that is forked, see to it that the client hears how the fork ended."""
    connection, _ = listener.accept()
    request = _Request.receive(connection)
    process = os.fork()
    if not process:
        connection.close()
        listener.close()
        return request
    for stream in request.streams:
        os.close(stream)
    ended = os.pidfd_open(process)

    def kill() -> None:
        selector.unregister(connection)
        os.kill(process, signal.SIGKILL)

    def answer() -> None:
        _, status = os.waitpid(process, 0)
        with contextlib.suppress(KeyError):
            selector.unregister(connection)
        with contextlib.suppress(BrokenPipeError), connection:
            connection.send(str(os.waitstatus_to_exitcode(status)).encode())
        selector.unregister(ended)
        os.close(ended)

    selector.register(ended, selectors.EVENT_READ, answer)
    selector.register(connection, selectors.EVENT_READ, kill)  # the client says no more, so it has been killed
    return None


def _import_all() -> Any:
    """All modules of Lamina, as far as their libraries are installed; and the function that runs a command."""
    import lamina

    for module in pkgutil.walk_packages(lamina.__path__, "lamina."):
        with contextlib.suppress(ImportError):
            import_module(module.name)
    gc.collect()
    gc.freeze()
    return import_module("lamina.cli.main").main


if __name__ == "__main__":
    sys.path[0] = str(Path(sys.executable).parent)  # as in the installed program
    main = _import_all()
    serve(sys.argv[1]).become()
    try:
        main()
    except SystemExit as ended:
        # Taking the interpreter apart would copy every page that the fork shares.
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 1)
