"""Rows: the figures of one question, measured in turn and printed as a table or as JSON.

Contenders run in turn in one process, round after round; a figure is the median over the rounds of the ratio inside a
round, in CPU time, so that load from elsewhere disturbs it little. Garbage is collected as in any program; with
`--paused` Lamina runs without the collector, as its commands do.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: how many times faster than the peer, or where `at_most` is set how many times slower than a base."""

    job: str
    against: str
    ratio: float
    low: float
    high: float
    target: float | None = None
    at_most: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """Whether the target is met."""
        if self.target is None:
            return ""
        return "met" if (self.ratio <= self.target if self.at_most else self.ratio >= self.target) else "MISSED"


def seconds(run: Callable[[], object], *, paused: bool = False) -> float:
    """The CPU time of a call, with garbage collection paused or not."""
    gc.collect()
    if paused:
        gc.disable()
    start = time.process_time()
    run()
    taken = time.process_time() - start
    gc.enable()
    return taken


def row(
    job: str,
    against: str,
    peer: Callable[[], object],
    ours: Callable[[], object],
    *,
    rounds: int = 3,
    target: float | None = None,
    share: float = 1.0,
    note: str = "",
) -> Row:
    """How many times faster ours is than the peer, which does only a share of the work where it is slow."""
    paused = "--paused" in sys.argv
    pairs = [(seconds(peer) / share, seconds(ours, paused=paused)) for _ in range(rounds)]
    return of_pairs(job, against, pairs, target=target, note=note)


def of_pairs(
    job: str,
    against: str,
    pairs: Iterable[tuple[float, float]],
    *,
    target: float | None = None,
    at_most: bool = False,
    note: str = "",
) -> Row:
    """The row of pairs of times, each of one round: the numerator first."""
    pairs = list(pairs)
    ratios = [above / below for above, below in pairs]
    times = " / ".join(_spelt(statistics.median(side)) for side in zip(*pairs, strict=True))
    shown = f"{times}; {note}" if note else times
    return Row(job, against, statistics.median(ratios), min(ratios), max(ratios), target, at_most, shown)


def _spelt(taken: float) -> str:
    return f"{taken:.2f} s" if taken >= 1 else f"{taken * 1e3:.2f} ms" if taken >= 1e-3 else f"{taken * 1e6:.1f} us"


def absent(job: str, against: str, why: str) -> Row:
    """The row of a peer that is not there."""
    nothing = float("nan")
    return Row(job, against, nothing, nothing, nothing, None, note=f"not measured: {why}")


def line(each: Row) -> str:
    """A row as text."""
    if each.ratio != each.ratio:
        return f"{each.job:58} {each.against:28} {each.note}"
    bound = "" if each.target is None else f"{'<=' if each.at_most else '>='} {each.target:g}"
    spread = f"({each.low:.3g} to {each.high:.3g})"
    return f"{each.job:58} {each.against:28} x{each.ratio:<8.3g} {spread:18} {bound:8} {each.verdict:7} {each.note}"


def print_rows(rows: Iterable[Row]) -> None:
    """Print rows as they come: as text, or with `--rows` as one JSON object a line."""
    for each in rows:
        print(json.dumps(asdict(each)) if "--rows" in sys.argv else line(each), flush=True)


def is_quick() -> bool:
    """Whether smaller sizes and fewer rounds are asked for."""
    return "--quick" in sys.argv
