"""Files of an input folder that nothing asks for."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lamina.errors import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.linting.survey import Survey

DATA = frozenset({".yml", ".yaml", ".json", ".psd1"})
"""The endings of files that hold configuration."""


def unread_files(survey: Survey) -> Iterator[Note]:
    """A finding for each configuration file below an input folder that was never read."""
    for folder, name in survey.record.unread:
        source = folder.files.read(name) if _is_data(name) else None
        if source is not None:
            survey.record.sources[source.name] = source
            yield Diagnostic(
                code="never-matches",
                message=f"nothing uses {name}",
                at=source.locate(0, 0),
                hint="no layer, parent or node leads to it; check the names, or remove it",
            )


def _is_data(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() in DATA and not any(part.startswith(".") for part in path.parts)
