"""The boot plan as text and as data."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from lamina.dialects.cloudinit.boot.boot_plan import HOOKS, boot_actions
from lamina.protocol.extensions import BootView

if TYPE_CHECKING:
    from lamina.dialects.cloudinit.boot.boot_plan import BootAction
    from lamina.protocol.rendered import Rendered


def as_text(result: Rendered) -> str:
    """What a boot does, stage by stage."""
    lines: list[str] = []
    for stage, actions in groupby(boot_actions(result), key=lambda action: action.stage):
        lines.append(stage if stage == HOOKS else f"{stage} stage")
        for module, group in groupby(actions, key=lambda action: (action.module, action.frequency)):
            lines.append(f"  {module[0]} ({module[1]})")
            lines += [f"    {_line(action)}" for action in group]
    return "\n".join(lines or ["nothing is configured"]) + "\n"


def _line(action: BootAction) -> str:
    size = "" if action.size is None else f", {action.size:,} bytes"
    where = f"  [{action.origin}]" if action.origin else ""
    return f"{action.what}{size}{where}"


def as_data(result: Rendered) -> list[dict[str, Any]]:
    """What a boot does, for programs."""
    return [
        {
            "stage": action.stage,
            "module": action.module,
            "frequency": action.frequency,
            "what": action.what,
            "bytes": action.size,
            "origin": None if action.origin is None else str(action.origin),
        }
        for action in boot_actions(result)
    ]


BOOT_VIEW = BootView(as_text, as_data)
