"""Outputs that are made one by one, as they are asked for.

Of a large site, the parts of a document are out of the processor's caches by the time all others have been looked at.
So the steps of a document are made when they are folded, not those of all documents beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from lamina.engine.plan import Output


class OutputSequence(Sequence["Output"]):
    """A sequence of outputs, each made when it is first asked for."""

    __slots__ = ("_made", "_rest")

    def __init__(self, outputs: Iterator[Output]) -> None:
        self._made: list[Output] = []
        self._rest = outputs

    def __iter__(self) -> Iterator[Output]:
        made = self._made
        at = 0
        while True:
            while at < len(made):
                yield made[at]
                at += 1
            output = next(self._rest, None)
            if output is None:
                return
            made.append(output)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __len__(self) -> int:
        self._made.extend(self._rest)
        return len(self._made)

    @overload
    def __getitem__(self, at: int) -> Output: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Output]: ...
    def __getitem__(self, at: int | slice) -> Output | Sequence[Output]:
        self._made.extend(self._rest)
        return self._made[at]
