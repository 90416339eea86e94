"""Whether the libraries of the service are installed; they come with extras."""

from __future__ import annotations

from importlib.util import find_spec

from lamina.errors import Diagnostic, UsageError

_EXPLORER = ("fastapi", "limits", "uvicorn", "watchfiles")
_STORE = ("sqlalchemy", "alembic", "psycopg", "cryptography", "prometheus_client", "deepdiff", *_EXPLORER)


def require_explorer() -> None:
    """Stop with what to install where the libraries of the explorer are missing."""
    require(_EXPLORER, "explore")


def require_service() -> None:
    """Stop with what to install where the libraries of the store are missing."""
    require(_STORE, "service")


def require(names: tuple[str, ...], extra: str) -> None:
    """Stop with what to install where libraries are missing."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise UsageError(
            Diagnostic(
                code="service-not-installed",
                message=f"the service needs libraries that are not installed: {', '.join(missing)}",
                hint=f"pip install 'lamina[{extra}]'",
            )
        )
