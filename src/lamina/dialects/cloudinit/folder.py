"""A folder of cloud-init's: the layers of one instance, or files of user-data, each of which is a target of its own.

Files that start like user-data are not merged because they are in one folder: only a project file or a command line
gives them an order.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from lamina.dialects.cloudinit.content_types import BOOTHOOK, PART_HANDLER, SCRIPT, sniff_data
from lamina.dialects.cloudinit.layer_files import has_layers, nothing_found, read_inside
from lamina.dialects.cloudinit.misspelt_header import intended_header
from lamina.errors import InputError
from lamina.protocol.extensions import Fleet, FleetNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.sources.inputs import Folder, Inputs

ENDINGS: Final = ("", ".yaml", ".yml", ".txt", ".cfg", ".cloud-config", ".mime")
_SCRIPTS: Final = (SCRIPT, BOOTHOOK, PART_HANDLER)
"""First lines of files that a repository may contain for other reasons."""
_MIME: Final = re.compile(rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?mime-version:", re.IGNORECASE)
_HEAD: Final = 4096


def starts_like_user_data(data: bytes) -> bool:
    """Whether a file starts with a line that cloud-init knows, or almost; scripts are there for other reasons, too."""
    kind = sniff_data(data)
    if kind is None:
        return _MIME.match(data[:_HEAD]) is not None or intended_header(data) is not None
    return kind not in _SCRIPTS


def separate_files(folder: Folder, *, unreadable: bool) -> Iterator[str]:
    """The files of user-data in a folder; what is in hidden folders belongs to other programs.

    Those that cannot be read are among them if asked for: nobody knows what they are, and none is left out silently.
    """
    for name in folder.files.names():
        if os.path.splitext(name)[1] in ENDINGS and not name.startswith(".") and "/." not in name:  # noqa: PTH122
            try:
                source = read_inside(folder.files, name)
                is_user_data = source is not None and starts_like_user_data(source.data)
            except InputError:
                is_user_data = unreadable
            if is_user_data:
                yield name


def nodes(inputs: Inputs, options: CloudInitOptions) -> Iterator[FleetNode]:
    """The instance that a folder is laid out as; else each file of user-data in it."""
    for folder in inputs.folders:
        if options.mode != "user-data" or has_layers(folder):
            yield FleetNode(name=folder.name.rstrip("/").rpartition("/")[2] or folder.name)
            continue
        names = list(separate_files(folder, unreadable=True))
        if not names:
            raise nothing_found([folder])
        yield from (FleetNode(name=name, inputs=(name,)) for name in names)


FLEET = Fleet(nodes=nodes, without_nodes="name a folder of user-data; lamina render shows the result of files")
