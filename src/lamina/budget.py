"""Budgets: how much may still be read, built, written, shown or tried, in nodes and in bytes.

One run has one budget, for all its inputs and outputs. What is limited for itself has its own, with limits of its own:
writing and showing a result, an expression, a template, the checks of a schema, a search. Values are counted when they
are created, or just before; shared values cost nothing, unless they are written out everywhere they appear.
Bytes are an estimate of the memory used. The limits are Lamina's own: the real programs use whatever the machine has.
"""

from __future__ import annotations

from itertools import chain, compress
from math import inf
from sys import maxsize
from typing import TYPE_CHECKING, Any, Final

from lamina.errors import Diagnostic, MergeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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


class BudgetExceeded(Exception):
    """A budget is exceeded; `what` names the limit."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Budget:
    """The remaining nodes and bytes of some work: of a run, of a merge, of a text that is written or shown.

    `exceeded` makes the error from the limit that is exceeded; `unit` is what the nodes are called in it. What cannot
    be counted while it runs, such as a search for a pattern, takes of its seconds; what calls itself, of its levels.
    """

    __slots__ = ("_exceeded", "_limits", "_unit", "levels", "nodes", "seconds", "size")

    def __init__(
        self,
        nodes: int = NODES,
        size: int = SIZE,
        exceeded: Callable[[str], Exception] = BudgetExceeded,
        unit: str = "values",
        *,
        seconds: float = inf,
        levels: int = maxsize,
    ) -> None:
        self.nodes = nodes
        self.size = size
        self.seconds = seconds
        self.levels = levels
        self._limits = (nodes, size, seconds, levels)
        self._exceeded = exceeded
        self._unit = unit

    def spend(self, nodes: int = 0, size: int = 0) -> None:
        """Use some of it; raises its error if that is more than is left."""
        self.nodes -= nodes
        self.size -= size
        if self.nodes < 0:
            raise self._exceeded(f"{self._limits[0]:,} {self._unit}")
        if self.size < 0:
            raise self._exceeded(f"{self._limits[1] // MIB:,} MiB")

    def wait(self, seconds: float) -> None:
        """Use some of the time."""
        self.seconds -= seconds
        if self.seconds < 0:
            raise self._exceeded(f"{self._limits[2]:g} s")

    def enter(self) -> None:
        """Go one level deeper; `leave` comes back."""
        self.levels -= 1
        if self.levels < 0:
            raise self._exceeded(f"{self._limits[3]:,} levels")

    def leave(self) -> None:
        self.levels += 1

    def afford(self, nodes: int) -> bool:
        """Use some of it for what can also be had in a simpler way: whether enough was left."""
        self.nodes -= nodes
        return self.nodes >= 0

    @property
    def used(self) -> int:
        """How many nodes were used."""
        return self._limits[0] - max(0, self.nodes)

    def check(self, size: int) -> None:
        """Check whether so many bytes could be used at all."""
        if size > self._limits[1]:
            raise self._exceeded(f"{self._limits[1] // MIB:,} MiB")

    def counted(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts, each counted before the next one is created."""
        for text in texts:
            self.spend(size=text_size(text))
            yield text

    def count_path(self, path: Iterable[Any]) -> None:
        """Count the text of a path before it is created; long keys make long paths, for every value below."""
        self.spend(size=sum(text_size(step) + 1 for step in path if isinstance(step, str)))

    def allows(self, nodes: int, size: int) -> bool:
        """Whether so much is left."""
        return self.nodes >= nodes and self.size >= size

    @property
    def is_exceeded(self) -> bool:
        return self.nodes < 0 or self.size < 0


def to_write() -> Budget:
    """How much of a result may be written."""
    return Budget(size=WRITTEN, exceeded=_result_too_large)


def _result_too_large(what: str) -> MergeError:
    hint = "the usual cause is a string that is used in many places; render fewer documents at a time"
    return _too_large(f"the result takes more than {what}, which is Lamina's limit", hint)


def to_show() -> Budget:
    """How much may be shown about a result: histories, findings, changes and steps."""
    return Budget(size=SHOWN_SIZE, exceeded=_output_too_large)


def _output_too_large(what: str) -> MergeError:
    hint = "choose one path, document or node; `lamina explain PATH INPUT...` shows one value"
    return _too_large(f"the output is larger than {what}, which is Lamina's limit", hint)


def values_to_show(most: int | None = None) -> Budget:
    """How many values may be looked at, one by one."""
    return Budget(nodes=SHOWN if most is None else most, exceeded=_too_many_to_show)


def _too_many_to_show(what: str) -> MergeError:
    hint = "choose one path, document or node; `lamina render` prints the whole result"
    return _too_large(f"there are more than {what} to show, which is Lamina's limit", hint)


def _too_large(message: str, hint: str) -> MergeError:
    return MergeError(Diagnostic(code="result-too-large", message=message, hint=hint))


def check_shown(*values: Any, most: int | None = None) -> None:
    """Reject results that are too large to show every single value, or to look at as many as there may be at most."""
    shown = values_to_show(most)
    pending = [each for each in values if isinstance(each, _CONTAINERS)]
    shown.spend(len(values) - len(pending))
    while pending:
        shown.spend(len(pending) + sum(map(len, pending)))
        inside = [*chain.from_iterable([each.values() if isinstance(each, dict) else each for each in pending])]
        # Looked at by type, of which there are few, and not one by one.
        containers = {kind for kind in set(map(type, inside)) if issubclass(kind, _CONTAINERS)}
        found = compress(inside, map(containers.__contains__, map(type, inside))) if containers else ()
        pending = [*filter(None, found)]
