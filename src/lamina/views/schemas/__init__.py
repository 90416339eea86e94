"""JSON Schemas of the JSON outputs, version 1 of each.

What a version describes stays so: members may be added to an output only with a new version of its schema.
"""

from __future__ import annotations

from importlib.resources import files

from lamina.errors import UsageError
from lamina.protocol.dialect import unknown


def names() -> list[str]:
    """The outputs that have a schema."""
    found = (item.name for item in files(__name__).iterdir())
    return sorted(name.removesuffix(".json") for name in found if name.endswith(".json"))


def text_of(name: str) -> str:
    """The schema of an output, as JSON text."""
    if name not in names():
        raise UsageError(unknown("schema", name, names()))
    return files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
