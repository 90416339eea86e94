"""The layer that the name of a file suggests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.errors import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.errors import Note
    from lamina.sources.source import Source

_VENDOR: Final = re.compile(r"(?:^|[-_.])vendor[-_.]?(?:data)?[-_.]?(2)?(?:[-_.]|$)", re.IGNORECASE)


def layers_as_parts(sources: Sequence[Source]) -> Iterator[Note]:
    """A warning if files are merged as parts of one user-data, but the name of one suggests another layer."""
    named = {source.name: option for source in sources if (option := _option_for(source.name))}
    if not named or len(sources) < 2:
        return
    others = [source.name for source in sources if source.name not in named]
    options = [
        f"{option} {name.rpartition('/')[0] if option == '--conf-d' else name}" for name, option in named.items()
    ]
    arguments = " ".join(dict.fromkeys([*options, *(f"--user-data {name}" for name in others[:1])]))
    verb = "is named like another layer" if len(named) == 1 else "are named like other layers"
    yield Diagnostic(
        code="layer-as-part",
        message=f"the {len(sources)} files were merged as parts of one user-data; {' and '.join(named)} {verb}",
        at=next(source for source in sources if source.name in named).locate(0, 0),
        hint=f"to merge them as separate layers, use {arguments}",
        severity=Severity.WARNING,
    )


def _option_for(path: str) -> str | None:
    """The option for the layer that the name of a file suggests; None for user-data."""
    folder, _, name = path.rpartition("/")
    if name == "cloud.cfg":
        return "--cloud-cfg"
    if folder.endswith("cloud.cfg.d") and name.endswith(".cfg"):
        return "--conf-d"
    found = _VENDOR.search(name)
    return None if found is None else f"--vendor-data{found[1] or ''}"
