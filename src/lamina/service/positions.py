"""Positions for documents that were not read from text: everything is at the start of an empty source."""

from __future__ import annotations

from typing import Any

from lamina.origins import Origin, PositionMap


class NoPositions(PositionMap):
    """The positions of a document that has none; all documents can share it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(lambda line, column: Origin("", line + 1, column + 1))
        self.add(0, 0)

    def item(self, index: int, position: int) -> int:  # noqa: ARG002 - there is one record for everything
        return 0

    def member(self, index: int, value: dict[Any, Any] | set[Any], key: Any) -> tuple[int, int]:  # noqa: ARG002
        return 0, 0

    def children(self, index: int) -> list[int]:  # noqa: ARG002
        return []

    def pairs(self, index: int, value: dict[Any, Any] | set[Any]) -> dict[Any, tuple[int, int]]:  # noqa: ARG002
        return dict.fromkeys(value, (0, 0))


NO_POSITIONS = NoPositions()
