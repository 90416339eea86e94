"""Does this look like user-data?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.cloudinit.content_types import GZIP_MAGIC, is_message, sniff

if TYPE_CHECKING:
    from lamina.sources.inputs import Folder, Inputs

_LAYERS = ("cloud.cfg", "user-data", "vendor-data", "vendor-data2")


def detect(inputs: Inputs) -> bool:
    """Whether any input starts like user-data, or a folder is laid out as on an instance."""
    return (
        any(_looks_like_user_data(source.data) for source in inputs.sources)
        or any(map(_is_instance, inputs.folders))
        or any(_is_layer(source.name) for source in inputs.sources)
    )


def _is_layer(name: str) -> bool:
    folder, _, own = name.rpartition("/")
    return own in _LAYERS or folder.endswith("cloud.cfg.d")


def _is_instance(folder: Folder) -> bool:
    from lamina.dialects.cloudinit.layer_files import has_layers

    return has_layers(folder)


def _looks_like_user_data(data: bytes) -> bool:
    head = data[:4096]
    return head.startswith(GZIP_MAGIC) or is_message(head) or sniff(head.decode("utf-8", "replace")) is not None
