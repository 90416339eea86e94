"""Is this the chart of Helm?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

CHART_FILE: Final = "Chart.yaml"


def detect(inputs: Inputs) -> bool:
    """Whether the only folder is that of a chart; the other inputs are its value files."""
    folders = inputs.folders
    return len(folders) == 1 and folders[0].files.read(CHART_FILE) is not None
