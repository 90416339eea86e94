"""Scripts and boot hooks among the parts of user-data: they are stored and run, and are not part of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lamina.origins import Origin


class StoredScript(NamedTuple):
    """A script in user-data."""

    name: str
    """The name of its part."""
    file: str
    """The name of the file it is stored in; scripts run in the order of these names."""
    content_type: str
    origin: Origin
    size: int
