"""`lamina serve`: explore a project or a store in the browser; answer Deckhand's API over a store."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from lamina.cli.help_sections import example
from lamina.cli.output import print_error
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from lamina.service.application import Application
    from lamina.service.settings import Settings

_YOUNG = 100_000
"""How many young objects a server lets come together; twenty megabytes of them, about."""
_NEEDED = (
    "sqlalchemy", "alembic", "psycopg", "starlette", "uvicorn", "cryptography", "prometheus_client", "deepdiff",
    "watchfiles",
)  # fmt: skip


def require_service() -> None:
    """Stop with what to install where the libraries of the service are missing."""
    _require(_NEEDED, "service")


def _require(names: tuple[str, ...], extra: str) -> None:
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise UsageError(
            Diagnostic(
                code="service-not-installed",
                message=f"the service needs libraries that are not installed: {', '.join(missing)}",
                hint=f"pip install 'lamina[{extra}]'",
            )
        )


@click.command("serve", epilog=example("lamina serve ."))
@click.argument("root", metavar="[PATH]", required=False, type=click.Path(exists=True))
@click.option(
    "-d", "--dialect", metavar="NAME", help="The dialect of a folder without a project file.  [default: detected]"
)
@click.option("--store", "url", metavar="URL", help="sqlite:///FILE, sqlite:// or postgresql://...")
@click.option("--listen", default="127.0.0.1:9000", show_default=True, metavar="HOST:PORT", help="Where to listen.")
@click.option(
    "--auth",
    type=click.Choice(["none", "token", "keystone", "proxy"]),
    default="none",
    show_default=True,
    help="Who may call: anybody, anybody with a token of this server or of Keystone, or whom a trusted proxy names.",
)
@click.option(
    "--keystone-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="For --auth keystone: a file with the section [keystone_authtoken].",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="The address of a trusted proxy; the local host if not given; repeatable.",
)
@click.option("--insecure", is_flag=True, help="Allow --auth none on other addresses than the local host.")
@click.option("--key-file", metavar="FILE", type=click.Path(path_type=Path), help="The key for encrypted documents.")
@click.option(
    "--old-key-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The key the store has had: its encrypted documents are encrypted again with the other key.",
)
@click.option("--redact", is_flag=True, help="Redact secrets unless a request asks for them with cleartext-secrets.")
@click.option(
    "--max-body", default=64, show_default=True, type=click.IntRange(1), metavar="MIB", help="Largest request body."
)
@click.option(
    "--timeout",
    default=300.0,
    show_default=True,
    type=click.FloatRange(1),
    metavar="SECONDS",
    help="Time limit for a request.",
)
@click.option(
    "--rate",
    default=0.0,
    type=click.FloatRange(0),
    metavar="NUMBER",
    help="Requests per second for each caller; 0 is no limit.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@click.option("-q", "--quiet", is_flag=True, help="Write no log of requests.")
def command(root: str | None, dialect: str | None, url: str | None, **given: Any) -> int:
    """Show a project in the browser, or keep documents in a store and answer Deckhand's API.

    PATH is a project file, a folder of a project, or a tree without a project file: the page at / shows its targets,
    every layer that sets a value, and what another value would change. It follows the files and writes none.

    With --store, Deckhand's API is at /api/v1.0 and the page shows the revisions of the store. Without --auth
    anybody who reaches the address may do everything, so it must be on the local host. The OpenAPI document is at
    /openapi.json, figures for Prometheus at /metrics.
    """
    if (root is None) == (url is None):
        raise click.UsageError("Give either a PATH to explore or --store.")
    request = ServeRequest(**given)
    request.check(for_store=url is not None)
    require_service()
    if request.auth == "keystone":
        _require(("keystonemiddleware",), "keystone")
    if url is not None:
        return _serve_store(url, request)
    assert root is not None
    return _serve_files(root, dialect, request)


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """How to serve, as the command line says."""

    listen: str
    auth: Literal["none", "token", "keystone", "proxy"]
    keystone_file: Path | None
    proxies: tuple[str, ...]
    insecure: bool
    key_file: Path | None
    old_key_file: Path | None
    redact: bool
    max_body: int
    timeout: float
    rate: float
    opens: bool
    quiet: bool

    def check(self, *, for_store: bool) -> None:
        """Reject what would let everybody in, or cannot be."""
        host, _ = _address(self.listen)
        if self.auth == "none" and not self.insecure and not _is_loopback(host):
            may, access = ("write", "token") if for_store else ("read", "proxy")
            raise click.UsageError(
                f"--auth none lets anybody who reaches {host} {may}; use --auth {access}, or --insecure to allow it."
            )
        if self.auth in ("token", "keystone") and not for_store:
            raise click.UsageError(f"--auth {self.auth} needs a store; use --auth proxy.")
        if (self.auth == "keystone") != (self.keystone_file is not None):
            raise click.UsageError("--auth keystone and --keystone-file go together.")
        for proxy in self.proxies:
            _check_proxy(proxy)

    def settings(self) -> Settings:
        from lamina.service.settings import LOCAL_HOST, LOCAL_NAMES, MIB, Settings

        host, _ = _address(self.listen)
        return Settings(
            auth=self.auth,
            keystone_file=self.keystone_file,
            proxies=tuple(str(ip_address(proxy)) for proxy in self.proxies) or LOCAL_HOST,
            hosts=(*LOCAL_NAMES, host) if self.auth == "none" and not self.insecure else (),
            cleartext=not self.redact,
            body_size=self.max_body * MIB,
            seconds=self.timeout,
            rate=self.rate,
        )


def _serve_store(url: str, request: ServeRequest) -> int:
    from lamina.service.server import application, ended_by_sigterm

    with ended_by_sigterm(), application(url, request.settings(), request.key_file, request.old_key_file) as served:
        return _run(served, request)


def _serve_files(root: str, dialect: str | None, request: ServeRequest) -> int:
    from lamina.cli.workspace_request import opened_workspace, show_failures
    from lamina.service.server import ended_by_sigterm, explorer

    workspace = opened_workspace(root, dialect)
    show_failures(workspace.outcomes())
    with ended_by_sigterm(), explorer(workspace, Path(workspace.project.root).name, request.settings()) as served:
        return _run(served, request)


def _run(served: Application, request: ServeRequest) -> int:
    from lamina.service.server import listen, run, set_up_log

    host, port = _address(request.listen)
    if not request.quiet:
        set_up_log()
    listening = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    page = f"http://{shown}:{listening.getsockname()[1]}"
    print_error(f"lamina: serving on {page}")
    if request.opens:
        click.launch(page)
    _reduce_collections()
    run(served, listening)
    return 0


def _reduce_collections() -> None:
    """Exclude the objects of the start from garbage collection, and collect rarely.

    Requests create many objects that stay in caches, and hardly any reference cycles; collecting took as long as the
    work itself. With this setting a request that creates some ten thousand objects, and drops most of them again, ends
    before the youngest generation is collected.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 5, 100)


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
