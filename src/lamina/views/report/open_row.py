"""A row of the page whose children are being collected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.views.report.interning import NONE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.engine.history import Event
    from lamina.engine.node import Node
    from lamina.paths import Path
    from lamina.views.report.outline_parts import Mark, Part


@dataclass(slots=True)
class OpenRow:
    """A collection whose children are being collected."""

    look_up: Callable[[], Node]
    """Gives its node."""
    step: int
    """The text of the last step of its path, by number."""
    path: Path
    """Its path from the top of the view."""
    value: Any
    children: list[Any]
    """Its keys, or the positions of its items."""
    events: list[Event] | None = None
    """What happened here; None if a pattern has it."""
    mark: Mark | None = None
    """What outputs have in common that share it, if that is known."""
    pattern: int = NONE
    """The number of the pattern of its own history, where that has one."""
    outline: Part | None = None
    marks: Mapping[Any, Mark | None] | None = None
    """The marks of its children; None if they were not asked for yet."""
    is_tried: bool = False
    """Whether it is known if it is a stack."""
    is_stack: bool = False
    """Whether the page fills in what is inside."""
    rows: list[int] = field(default_factory=list)
    """The rows of the children collected so far."""
    found: Node | None = None

    @property
    def node(self) -> Node:
        """Its node, looked up when it is first needed."""
        if self.found is None:
            self.found = self.look_up()
        return self.found
