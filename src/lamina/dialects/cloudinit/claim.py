"""Does this look like user-data?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.cloudinit.content import sniff

if TYPE_CHECKING:
    from lamina.inputs import Inputs

_GZIP = b"\x1f\x8b"


def claims(inputs: Inputs) -> bool:
    """Whether any input begins as user-data does: a known first line, a MIME message, or gzip."""
    return any(_claims(source.data) for source in inputs.sources)


def _claims(data: bytes) -> bool:
    head = data[:4096]
    return (
        head.startswith(_GZIP) or b"mime-version:" in head.lower() or sniff(head.decode("utf-8", "replace")) is not None
    )
