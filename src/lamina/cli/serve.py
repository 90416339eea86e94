"""`lamina serve`: keep documents in a store and answer Deckhand's API."""

from __future__ import annotations

from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Literal

import click

from lamina.cli.help_sections import example
from lamina.cli.output import complain
from lamina.errors import Diagnostic, UsageError

_NEEDED = ("sqlalchemy", "alembic", "psycopg", "starlette", "uvicorn", "cryptography", "prometheus_client", "deepdiff")


def require_service() -> None:
    """Stop with what to install where the libraries of the service are missing."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            Diagnostic(
                code="service-not-installed",
                message=f"the service needs libraries that are not installed: {', '.join(missing)}",
                hint="pip install 'lamina[service]'",
            )
        )


@click.command("serve", epilog=example("lamina serve --store sqlite:///documents.db"))
@click.option("--store", "url", required=True, metavar="URL", help="sqlite:///FILE, sqlite:// or postgresql://...")
@click.option("--listen", default="127.0.0.1:9000", show_default=True, metavar="HOST:PORT", help="Where to listen.")
@click.option(
    "--auth",
    type=click.Choice(["none", "token", "proxy"]),
    default="none",
    show_default=True,
    help="Who may call: anybody, anybody with a token, or the user that a trusted proxy names.",
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
@click.option("-q", "--quiet", is_flag=True, help="Write no log of requests.")
def command(
    url: str,
    listen: str,
    auth: Literal["none", "token", "proxy"],
    proxies: tuple[str, ...],
    insecure: bool,
    key_file: Path | None,
    redact: bool,
    max_body: int,
    timeout: float,
    rate: float,
    quiet: bool,
) -> int:
    """Keep documents in a store and answer Deckhand's API under /api/v1.0.

    Without --auth anybody who reaches the address may do everything, so it must be on the local host. The OpenAPI
    document is at /openapi.json, figures for Prometheus at /metrics.
    """
    host, port = _address(listen)
    if auth == "none" and not insecure and not _is_loopback(host):
        raise click.UsageError(
            f"--auth none lets anybody who reaches {host} write; use --auth token, or --insecure to allow it."
        )
    require_service()
    from lamina.service.server import application, run, set_up_log
    from lamina.service.server import listen as listen_on
    from lamina.service.settings import LOCAL_HOST, MIB, Settings

    settings = Settings(
        auth=auth,
        proxies=proxies or LOCAL_HOST,
        cleartext=not redact,
        body_size=max_body * MIB,
        seconds=timeout,
        rate=rate,
    )
    served = application(url, settings, key_file)
    if not quiet:
        set_up_log()
    listening = listen_on(host, port)
    shown = f"[{host}]" if ":" in host else host
    complain(f"lamina: serving on http://{shown}:{listening.getsockname()[1]}")
    run(served, listening)
    return 0


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise click.UsageError(f"{listen!r} is not an address; write HOST:PORT, such as 127.0.0.1:9000.")
    return host.strip("[]"), int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
