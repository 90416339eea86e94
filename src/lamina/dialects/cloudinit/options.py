"""What can be asked of the cloud-init dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lamina.dialect import option

MODES = ("user-data", "merge", "parse-merge", "fold")


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudInitOptions:
    """How cloud-init's inputs are read and merged."""

    compat: str = option(
        "shipped", about="what the program does, or what its manual says", choices=("shipped", "documented")
    )
    document: str = option(
        "001",
        flag="--manual",
        choices=("000", "001"),
        about="which manual `--compat documented` follows: 000 is the one of 2013, 001 the current one",
    )
    mode: str = option(
        "user-data",
        flag="--mode",
        choices=MODES,
        about="user-data: parts, oldest first; merge: plain values folded with --merge; "
        "fold: metadata, the first one wins; parse-merge: show how --merge is read",
    )
    merge: Any = option(None, flag="--merge", about="the rule for the modes merge and parse-merge")
    reverse: bool = option(False, flag="--reverse", about="in mode fold: the last one wins")
