"""Settings of a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1024 * 1024
LOCAL_HOST = ("127.0.0.1", "::1")
LOCAL_NAMES = (*LOCAL_HOST, "localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """How a server answers, and how much it takes."""

    auth: Literal["none", "token", "keystone", "proxy"] = "none"
    keystone_file: Path | None = None
    """Where the settings for Keystone are."""
    proxies: tuple[str, ...] = LOCAL_HOST
    """The addresses of proxies whose headers say who calls."""
    hosts: tuple[str, ...] = ()
    """The names the server answers by; any, if there are none."""
    embedded: bool = False
    """Whether editors on this machine may show the page inside of theirs."""
    cleartext: bool = True
    """Whether secrets are shown to those who may see them and do not say whether they want to."""
    body_size: int = 64 * MIB
    """How many bytes the body of a request may have."""
    seconds: float = 300.0
    """How long a request may take."""
    rate: float = 100.0
    """How many requests a second one caller may send on average; 0 for any number."""
    threads: int = 8
    """How many requests are worked on at a time in the process of the server."""
    workers: int = 2
    """How many processes answer requests that may take long; 0 for none."""
    waiting: int = 1000
    """How many requests may wait for either."""
