"""The budget of a run: how much it may still read and build, in nodes and in bytes.

One run has one budget, for all its inputs and outputs. Values are counted when they are created, or just before; shared
values cost nothing, unless they are written out everywhere they appear. Bytes are an estimate of the memory used. The
limits are Lamina's own: the real programs use whatever the machine has.
"""

from __future__ import annotations

from itertools import chain, compress
from typing import TYPE_CHECKING, Any, Final

from lamina.errors import Diagnostic, MergeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MIB: Final = 1024 * 1024
NODES: Final = 50_000_000
"""How many values a run may build or visit."""
SIZE: Final = 1280 * MIB
"""How many bytes a run may read and build."""
WRITTEN: Final = 256 * MIB
"""How many bytes one result may take when it is written out."""

SHOWN: Final = 1_000_000
"""How many values may be shown one by one, with the history of each, which takes a kilobyte or two."""
SHOWN_SIZE: Final = 128 * MIB
"""How many bytes histories, findings, changes and steps may take when they are shown."""

READ: Final = 200
"""The approximate cost in bytes of a node that is read, with its position and the line of output it becomes."""
ENTRY: Final = 48
"""What an entry of a mapping that is copied costs."""
ITEM: Final = 8
"""What an item of a list that is copied costs."""

_CONTAINERS: Final = (dict, list, tuple)


def text_size(text: str | bytes) -> int:
    """How many bytes a text takes in memory, at most."""
    return len(text) if text.isascii() else 4 * len(text)


class WriteBudget:
    """How much of a result may still be written."""

    __slots__ = ("_most", "left")

    def __init__(self, most: int = WRITTEN) -> None:
        self._most = self.left = most

    def spend(self, size: int) -> None:
        """Count bytes that are about to be written."""
        self.left -= size
        if self.left < 0:
            raise self._too_large()

    def check(self, size: int) -> None:
        """Check whether so many bytes could be written at all."""
        if size > self._most:
            raise self._too_large()

    def _too_large(self) -> MergeError:
        return MergeError(
            Diagnostic(
                code="result-too-large",
                message=f"the result takes more than {self._most // MIB:,} MiB, which is Lamina's limit",
                hint="the usual cause is a string that is used in many places; render fewer documents at a time",
            )
        )


class ShownBudget(WriteBudget):
    """How much may still be shown about a result: histories, findings, changes and steps."""

    __slots__ = ()

    def __init__(self, most: int = SHOWN_SIZE) -> None:
        super().__init__(most)

    def counted(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts, each counted before the next one is created."""
        for text in texts:
            self.spend(text_size(text))
            yield text

    def count_path(self, path: Iterable[Any]) -> None:
        """Count the text of a path before it is created; long keys make long paths, for every value below."""
        self.spend(sum(text_size(step) + 1 for step in path if isinstance(step, str)))

    def _too_large(self) -> MergeError:
        return MergeError(
            Diagnostic(
                code="result-too-large",
                message=f"the output is larger than {self._most // MIB:,} MiB, which is Lamina's limit",
                hint="choose one path, document or node; `lamina explain PATH INPUT...` shows one value",
            )
        )


class BudgetExceeded(Exception):
    """The run exceeds its budget; `what` names the limit."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Budget:
    """The remaining nodes and bytes of a run."""

    __slots__ = ("_limits", "_unit", "nodes", "size")

    def __init__(self, nodes: int = NODES, size: int = SIZE, unit: str = "values") -> None:
        self.nodes = nodes
        self.size = size
        self._limits = (nodes, size)
        self._unit = unit

    def spend(self, nodes: int = 0, size: int = 0) -> None:
        """Use some of it; raises BudgetExceeded."""
        self.nodes -= nodes
        self.size -= size
        if self.nodes < 0:
            raise BudgetExceeded(f"{self._limits[0]:,} {self._unit}")
        if self.size < 0:
            raise BudgetExceeded(f"{self._limits[1] // MIB:,} MiB")

    def allows(self, nodes: int, size: int) -> bool:
        """Whether so much is left."""
        return self.nodes >= nodes and self.size >= size

    @property
    def is_exceeded(self) -> bool:
        return self.nodes < 0 or self.size < 0


def check_shown(*values: Any) -> None:
    """Reject results that are too large to show every single value."""
    shown = ShownValues()
    pending = [each for each in values if isinstance(each, _CONTAINERS)]
    shown.add(len(values) - len(pending))
    while pending:
        shown.add(len(pending) + sum(map(len, pending)))
        inside = [*chain.from_iterable([each.values() if isinstance(each, dict) else each for each in pending])]
        # Looked at by type, of which there are few, and not one by one.
        containers = {kind for kind in set(map(type, inside)) if issubclass(kind, _CONTAINERS)}
        found = compress(inside, map(containers.__contains__, map(type, inside))) if containers else ()
        pending = [*filter(None, found)]


class ShownValues:
    """How many values may still be looked at, one by one."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = SHOWN

    def add(self, count: int) -> None:
        """Count values that are about to be looked at."""
        self._left -= count
        if self._left < 0:
            raise MergeError(
                Diagnostic(
                    code="result-too-large",
                    message=f"there are more than {SHOWN:,} values to show, which is Lamina's limit",
                    hint="choose one path, document or node; `lamina render` prints the whole result",
                )
            )
