"""reclass as a dialect; all but this module imports `lamina.plugin` only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.protocol.dialect import Dialect, lazy, option

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class ReclassOptions:
    """Which node; all of them if none is named."""

    node: str | None = option(None, flag="--node", metavar="NAME", about="only this node")


def detect(inputs: Inputs) -> bool:
    """Whether a folder has a reclass-config.yml, or nodes beside classes."""
    for folder in inputs.folders:
        tops = {name.partition("/")[0] for name in folder.files.names() if name.endswith((".yml", ".yaml"))}
        if "reclass-config.yml" in tops or {"nodes", "classes"} <= tops:
            return True
    return False


DIALECT = Dialect(
    name="reclass",
    title="reclass inventories",
    known_by="reclass-config.yml, or nodes and classes",
    options=ReclassOptions,
    detect=detect,
    compile=lazy("lamina.dialects.reclass.nodes:compile_inputs"),
    extensions={
        "fleet": "lamina.dialects.reclass.nodes:FLEET",
        "scope": "lamina.plugin.hierarchy:whole_scope",
        "targets": "lamina.dialects.reclass.nodes:TARGETS",
    },
)
