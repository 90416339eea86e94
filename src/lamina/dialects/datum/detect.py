"""Does this look like a Datum hierarchy?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

DEFINITION = ("datum.yml", "datum.yaml", "datum.json", "datum.psd1")


def detect(inputs: Inputs) -> bool:
    """Whether there is a definition file among the inputs, or at the top of a folder."""
    named = [source.name.replace("\\", "/").rsplit("/", 1)[-1] for source in inputs.sources]
    inside = [name for folder in inputs.folders for name in folder.files.names() if "/" not in name]
    return any(name.lower() in DEFINITION for name in (*named, *inside))
