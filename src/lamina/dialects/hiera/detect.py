"""Does this look like a tree of Puppet data?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs


def detect(inputs: Inputs) -> bool:
    """Whether there is a hiera.yaml among the files, or at the top of a folder."""
    named = (source.name.rpartition("/")[2] for source in inputs.sources)
    return "hiera.yaml" in named or any(folder.files.read("hiera.yaml") is not None for folder in inputs.folders)
