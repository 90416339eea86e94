"""Common options of the commands that serve pages, and how they serve."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from lamina.cli.output import print_error

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from ssl import SSLContext

    from fastapi import FastAPI

    from lamina.service.settings import ServerSettings

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

_listen = click.option(
    "--listen", default="127.0.0.1:9000", show_default=True, metavar="HOST:PORT", help="Where to listen."
)
_proxy = click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="The address of a trusted proxy; the local host if not given; repeatable.",
)
_insecure = click.option("--insecure", is_flag=True, help="Allow --auth none on other addresses than the local host.")
_max_body = click.option(
    "--max-body", default=64, show_default=True, type=click.IntRange(1), metavar="MIB", help="Largest request body."
)
_timeout = click.option(
    "--timeout",
    default=300.0,
    show_default=True,
    type=click.FloatRange(1),
    metavar="SECONDS",
    help="Time limit for a request.",
)
_rate = click.option(
    "--rate",
    default=100.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="NUMBER",
    help="Requests per second for each caller, on average; 0 is no limit.",
)
_open = click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
_quiet = click.option("-q", "--quiet", is_flag=True, help="Write no log of requests.")


def serve_options(function: Decorated) -> Decorated:
    """The options of every command that serves pages."""
    for option in (_quiet, _open, _rate, _timeout, _max_body, _insecure, _proxy, _listen):
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """How to serve, as the command line says; the explorer of files has fewer options than a store."""

    listen: str
    auth: Literal["none", "token", "keystone", "proxy"]
    proxies: tuple[str, ...]
    insecure: bool
    max_body: int
    timeout: float
    rate: float
    opens: bool
    quiet: bool
    embedded: bool = False
    keystone_file: Path | None = None
    redact: bool = False
    workers: int = 0
    tls_certificate: Path | None = None
    tls_key: Path | None = None

    def check(self, *, for_store: bool) -> None:
        """Reject what would let everybody in, or cannot be."""
        host, _ = _address(self.listen)
        if self.auth == "none" and not self.insecure and not _is_loopback(host):
            may, access = ("write", "token") if for_store else ("read", "proxy")
            raise click.UsageError(
                f"--auth none lets anybody who reaches {host} {may}; use --auth {access}, or --insecure to allow it."
            )
        if (self.auth == "keystone") != (self.keystone_file is not None):
            raise click.UsageError("--auth keystone and --keystone-file go together.")
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise click.UsageError("--tls-certificate and --tls-key go together.")
        for proxy in self.proxies:
            _check_proxy(proxy)

    def tls(self) -> SSLContext | None:
        from lamina.service.http_server import certificate

        if self.tls_certificate is None or self.tls_key is None:
            return None
        return certificate(self.tls_certificate, self.tls_key)

    def settings(self) -> ServerSettings:
        from lamina.service.settings import LOCAL_HOST, LOCAL_NAMES, MIB, ServerSettings

        host, _ = _address(self.listen)
        return ServerSettings(
            auth=self.auth,
            keystone_file=self.keystone_file,
            proxies=tuple(str(ip_address(proxy)) for proxy in self.proxies) or LOCAL_HOST,
            hosts=(*LOCAL_NAMES, host) if self.auth == "none" and not self.insecure else (),
            embedded=self.embedded,
            cleartext=not self.redact,
            body_size=self.max_body * MIB,
            seconds=self.timeout,
            rate=self.rate,
            workers=self.workers,
        )


def run_server(served: FastAPI, request: ServeRequest) -> int:
    """Serve until it is stopped."""
    from lamina.service.garbage import collect_rarely
    from lamina.service.http_server import listen, run, set_up_log

    host, port = _address(request.listen)
    tls = request.tls()
    if not request.quiet:
        set_up_log()
    listening = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    page = f"http{'s' * (tls is not None)}://{shown}:{listening.getsockname()[1]}"

    def started() -> None:
        print_error(f"lamina: serving on {page}")
        if request.opens:
            click.launch(page)

    collect_rarely()
    run(served, listening, started, tls)
    return 0


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise click.UsageError(f"{listen!r} is not an address; write HOST:PORT, such as 127.0.0.1:9000.")
    return host.strip("[]"), int(port)


def _check_proxy(address: str) -> None:
    """A connection comes from an address, never from a name."""
    try:
        ip_address(address)
    except ValueError:
        raise click.UsageError(f"--proxy {address!r} is not an IP address, such as 10.0.0.5.") from None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
