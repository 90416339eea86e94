"""What can be asked of the cloud-init dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lamina.dialects.base import option

MODES = ("user-data", "merge", "parse-merge", "fold", "confd", "layers", "instance")


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
        about="user-data: blobs, oldest first; confd: cloud.cfg and cloud.cfg.d; layers: these, vendor-data and "
        "user-data; instance: a folder laid out as on an instance, all layers of it; merge: plain values folded with "
        "--merge; fold: metadata, the first one wins; parse-merge: show how --merge is read",
    )
    layers: str | None = option(
        None, flag="--layers", about="a folder laid out as on an instance (etc/cloud, var/lib/cloud), all layers of it"
    )
    merge: Any = option(None, flag="--merge", about="the rule for the modes merge and parse-merge")
    reverse: bool = option(False, flag="--reverse", about="in mode fold: the last one wins")
    urls: Any = option((), flag="--url", many=True, about="URL=FILE: what an included URL stands for")
    allow_net: bool = option(False, flag="--allow-net", about="fetch included http and https URLs")
    instance_data: Any = option(None, flag="--instance-data", about="a JSON file with the variables of templates")
    launch_index: Any = option(None, flag="--launch-index", about="leave out parts for another launch index")
    strict: bool = option(False, flag="--strict", about="fail if a part is dropped or ignored")
