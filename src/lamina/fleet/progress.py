"""Showing how far a run has come: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.fleet.job import Report

_EVERY = 5.0
"""Seconds between two lines."""


class NoProgress:
    """Shows nothing, but knows how long it took."""

    def __init__(self) -> None:
        self.started = monotonic()
        self.total = self.done = self.failed = 0

    def begin(self, total: int) -> None:
        self.started = monotonic()
        self.total = total

    def advance(self, report: Report) -> None:
        self.done += report.count
        self.failed += report.failed

    def close(self) -> None:
        """Leave the terminal as it was."""

    @property
    def seconds(self) -> float:
        return monotonic() - self.started

    @property
    def rate(self) -> float:
        return self.done / max(self.seconds, 1e-3)


class ProgressLines(NoProgress):
    """A line of text every few seconds."""

    def __init__(self, show: Callable[[str], None], every: float = _EVERY) -> None:
        super().__init__()
        self._show = show
        self._every = every
        self._shown_at = self.started

    def advance(self, report: Report) -> None:
        super().advance(report)
        if monotonic() - self._shown_at >= self._every and self.done < self.total:
            self._shown_at = monotonic()
            left = (self.total - self.done) / self.rate
            failed = f", {self.failed:,} failed" if self.failed else ""
            self._show(
                f"{self.done:,} of {self.total:,} nodes, {self.rate:,.0f} a second, {duration_text(left)} left{failed}"
            )


class Bar(NoProgress):
    """A bar with the count, the rate and the time left."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("rendering"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]} a second"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[failed]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: Any = None

    def begin(self, total: int) -> None:
        super().begin(total)
        self._task = self._bar.add_task("nodes", total=total, rate="0", failed="")
        self._bar.start()

    def advance(self, report: Report) -> None:
        super().advance(report)
        failed = f"{self.failed:,} failed" if self.failed else ""
        self._bar.update(self._task, completed=self.done, rate=f"{self.rate:,.0f}", failed=failed)

    def close(self) -> None:
        self._bar.stop()


def chosen(show: Callable[[str], None], *, quiet: bool) -> NoProgress:
    """The way to show progress that suits standard error."""
    if quiet:
        return NoProgress()
    return Bar() if sys.stderr.isatty() else ProgressLines(show)


def duration_text(seconds: float) -> str:
    """A duration in words: `40 s`, `3 min`, `2 h 5 min`."""
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60} s" if rounded < 600 else f"{rounded // 60} min"
    return f"{rounded // 3600} h {rounded % 3600 // 60} min"
