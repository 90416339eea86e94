"""What a result looks like: one value, a list or a table, how it is written, and what of it is secret.

A compiler states it by yielding a `ResultSpec` before its first stage. A compiler that states none gives one value,
written as plain YAML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.engine.step_context import Folded


@dataclass(frozen=True, slots=True)
class YamlStyle:
    """How a result is written as YAML: a first line, and whether keys are sorted."""

    header: str = ""
    sort_keys: bool = False


PLAIN = YamlStyle()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSpec:
    """What the result of a plan looks like."""

    shape: Literal["one", "list", "table"] = "one"
    """`one`: the value of the only output. `list`: the values of all outputs, in order. `table`: the value of the only
    output, a mapping by name of what could be rendered one by one (the nodes of a fleet)."""
    noun: str = "output"
    """What the system calls one output, where there are several: a document, a node."""
    order: Callable[[Sequence[Folded]], Sequence[Folded]] | None = None
    """Which outputs are in the result, and in what order; all of them in the order of the plan if not given."""
    partial: bool = False
    """Outputs that fail are omitted and reported; otherwise there is no result if one fails."""
    yaml_style: YamlStyle = PLAIN
    secrets: Literal["none", "hide", "show", "redact"] = "none"
    """`none`: the system knows no secrets. `hide`: secret values are in the result, and are hidden wherever values are
    explained. `show`: they are shown there, too. `redact`: they are neither in the result nor shown."""
    first_wins: bool = False
    """Whether the layer that is applied first wins over those after it."""
    opens_at: str | None = None
    """The key that people look at first, where every output has the same keys around it."""
    key_type: Callable[[str], Any] | None = None
    """How a string in a path becomes a key of this system, where keys do not compare as strings do."""


DEFAULT = ResultSpec()
"""One value, written as plain YAML."""
