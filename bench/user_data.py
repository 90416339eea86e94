"""The whole path of user-data, bytes to YAML text, against Debian's cloud-init: 1 MB in one part, and 50 of 20 KB.

The peer splits, types, merges and writes through its own classes: `UserDataProcessor`, the handler of cloud-config and
`walk`. Both results are compared as values.

    python bench/user_data.py [--quick] [--rows]
"""

from __future__ import annotations

import logging
import random
import sys
import tempfile
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from reading import cloud_config
from rows import Row, absent, is_quick, print_rows, row

from lamina.session import default_session
from lamina.sources.inputs import Inputs, source_of
from lamina.views.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


CLOUD_INIT = Path(__file__).parent.parent / ".bench/debian/cloud-init/usr/lib/python3/dist-packages"


def one_part() -> bytes:
    return cloud_config(random.Random(7), 1_000_000)


def fifty_parts() -> bytes:
    message = MIMEMultipart()
    for at in range(50):
        data = cloud_config(random.Random(at), 20_000).decode()
        # Each part has a list of its own; one of the rules joins them.
        part = MIMEText(data.replace("write_files:", f"write_files_{at % 40}:", 1), "cloud-config", "us-ascii")
        part.add_header("Merge-Type", "list(append)+dict(recurse_list)+str()")
        message.attach(part)
    return message.as_bytes()


def peer(folder: Path) -> Callable[[bytes], str]:
    """The path through cloud-init; it keeps its files in the folder."""
    sys.path.append(str(CLOUD_INIT))
    logging.disable(logging.CRITICAL)
    from cloudinit import handlers, helpers
    from cloudinit.handlers.cloud_config import CloudConfigPartHandler
    from cloudinit.settings import PER_INSTANCE
    from cloudinit.user_data import UserDataProcessor

    paths = helpers.Paths({"cloud_dir": str(folder), "run_dir": str(folder)})
    written = folder / "cloud-config.txt"
    paths.get_ipath = lambda _name: str(written)

    def run(data: bytes) -> str:
        message = UserDataProcessor(paths).process(data)
        known = helpers.ContentHandlers()
        handler = CloudConfigPartHandler(paths)
        known.register(handler)
        handlers.call_begin(handler, None, PER_INSTANCE)
        state: dict[str, Any] = {
            "handlers": known, "handlerdir": str(folder), "data": None, "frequency": PER_INSTANCE,
            "handlercount": 0, "excluded": [],
        }  # fmt: skip
        handlers.walk(message, handlers.walker_callback, data=state)
        handlers.call_end(handler, None, PER_INSTANCE)
        return written.read_text()

    return run


def ours(data: bytes) -> str:
    default_session().clear()
    return render(Inputs((source_of("user-data", data),)), dialect="cloud-init").to_yaml()


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="lamina-bench-") as folder:
        for name, data, target in (("1 part of 1 MB", one_part(), 160), ("50 parts of 20 KB", fifty_parts(), 90)):
            yield against_peer(f"user-data, {name}, bytes to YAML text", data, Path(folder), target)


def against_peer(job: str, data: bytes, folder: Path, target: float) -> Row:
    try:
        theirs = peer(folder)
        same = yaml.load(theirs(data), Loader=yaml.CSafeLoader) == yaml.load(ours(data), Loader=yaml.CSafeLoader)
    except Exception as error:  # a peer that is missing or broken is reported, and the others go on
        return absent(job, "cloud-init (Debian)", f"{type(error).__name__}: {error}")
    return row(
        job,
        "cloud-init (Debian)",
        lambda: theirs(data),
        lambda: ours(data),
        rounds=1 if is_quick() else 3,
        target=target,
        note="" if same else "the values differ",
    )


if __name__ == "__main__":
    print_rows(rows())
