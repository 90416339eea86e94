"""Tokens of Keystone: who they belong to, by Keystone's own middleware.

The middleware is made for WSGI. It is given an application that does nothing, and requests that have nothing but the
token; what it says about the caller is read from the headers it adds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.errors import Diagnostic, InputError
from lamina.service.access import caller_of_headers
from lamina.service.faults import ApiFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from lamina.service.access import Caller


class KeystoneTokens:
    """Asks Keystone about tokens, as the section [keystone_authtoken] of a file says; answers are kept for a while."""

    def __init__(self, config: Path) -> None:
        from keystonemiddleware import auth_token
        from oslo_config import cfg

        settings = cfg.ConfigOpts()
        try:
            settings([], default_config_files=[str(config)])
        except cfg.Error:  # whose words may quote a password
            raise InputError(
                Diagnostic(
                    code="unusable-keystone-file",
                    message=f"the file {config} is not a configuration file that oslo.config can read",
                    hint="write a section [keystone_authtoken] as keystonemiddleware documents it",
                )
            ) from None
        self._middleware = auth_token.AuthProtocol(
            _no_application, {"oslo_config_config": settings, "delay_auth_decision": True}
        )

    def caller(self, token: str) -> Caller | None:
        """Who a token belongs to; None if Keystone does not know it."""
        environment: dict[str, Any] = {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": "/",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "wsgi.url_scheme": "http",
            "HTTP_X_AUTH_TOKEN": token,
        }
        if not self._authenticate(environment):
            message = "Keystone does not answer."
            raise ApiFault(503, "ServiceUnavailable", message, headers={"Retry-After": "5"})
        start = "HTTP_X_"
        headers = {
            name.removeprefix("HTTP_").replace("_", "-").lower(): value
            for name, value in environment.items()
            if name.startswith(start)
        }
        return caller_of_headers(headers)

    def _authenticate(self, environment: dict[str, Any]) -> bool:
        """Have the middleware add what it knows; whether it could."""
        from keystoneauth1.exceptions import ClientException

        statuses: list[str] = []
        try:
            self._middleware(environment, lambda status, *_: statuses.append(status))
        except ClientException:
            return False
        return bool(statuses) and statuses[0].startswith("200")


def _no_application(_environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("200 OK", [])
    return []
