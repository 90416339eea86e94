"""A row of the page whose children are being collected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.engine.history import Event
    from lamina.engine.node import Node
    from lamina.paths import Path
    from lamina.views.report.history_patterns import HistoryPattern, Writing
    from lamina.views.report.shared_parts import Mark, Part


@dataclass(slots=True)
class OpenRow:
    """A collection whose children are being collected."""

    look_up: Callable[[], Node]
    """Gives its node."""
    step: str
    """The last step of its path, as it is shown."""
    path: Path
    """Its path from the top of the view."""
    value: Any
    children: list[Any]
    """Its keys, or the positions of its items."""
    events: list[Event] | None = None
    """What happened here; None if a pattern has it."""
    mark: Mark | None = None
    """What outputs have in common that share it, if that is known."""
    pattern: HistoryPattern | None = None
    source_writes: list[Writing] = field(default_factory=list)
    """What the pattern is filled in with."""
    outline: Part | None = None
    marks: Mapping[Any, Mark | None] = field(default_factory=dict)
    """The marks of its children."""
    rows: list[int] = field(default_factory=list)
    """The rows of the children collected so far."""
    found: Node | None = None

    @property
    def node(self) -> Node:
        """Its node, looked up when it is first needed."""
        if self.found is None:
            self.found = self.look_up()
        return self.found
