"""The form of a result: one value, a list or a table, how it is written, and how secrets are treated.

A compiler yields a `ResultSpec` before its first stage. Without one, the result is one value, written as plain YAML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.engine.step_context import Folded
    from lamina.paths import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSpec:
    """The form of the result of a plan."""

    shape: Literal["one", "list", "table"] = "one"
    """`one`: the value of the only output. `list`: the values of all outputs, in order. `table`: the value of the only
    output, a mapping by name of what could be rendered one by one (the nodes of a fleet)."""
    noun: str = "output"
    """The system's word for one output, if there are several: document, node."""
    order: Callable[[Sequence[Folded]], Sequence[Folded]] | None = None
    """Which outputs are in the result, and in what order; all of them in the order of the plan if not given."""
    partial: bool = False
    """Outputs that fail are omitted and reported; otherwise there is no result if one fails."""
    header: str = ""
    """The first line of a result that is written as YAML."""
    sort_keys: bool = False
    """Whether its keys are sorted then."""
    secrets: Literal["none", "hide", "show", "redact"] = "none"
    """`none`: the system has no secrets. `hide`: secret values are in the result, but hidden wherever values are
    explained. `show`: they are shown there as well. `redact`: they are neither in the result nor shown."""
    key_type: Callable[[str], Any] | None = None
    """Converts a string of a path to a key of this system, if its keys do not compare like strings."""
    own_path: Callable[[Path], Path] | None = None
    """Reads a path as this system writes paths, if it does so in a way of its own; the same path if it is not one."""


DEFAULT = ResultSpec()
"""One value, written as plain YAML."""
