"""A pytest plugin: one line for each reason why tests were skipped; with CI set, a skipped test fails the session.

A test that is skipped proves nothing, and nobody reads the count. A reason that is allowed in CI too starts with one of
the prefixes below.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

ALLOWED = ("not Linux: ", "LAMINA_PURE is set", "not in this repository: ")
"""Prefixes of reasons that CI allows: the platform, what the caller asked for, and files of other projects."""


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test, or a module as a whole, was skipped."""
    found = report.longrepr
    return str(found[2] if isinstance(found, tuple) else found).removeprefix("Skipped: ")


class SkipReasons:
    """Counts the tests that are skipped, by reason."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.counts[reason_of(report)] += 1

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        if self.counts:
            terminalreporter.section("skipped")
            for reason, count in self.counts.most_common():
                terminalreporter.line(f"{count} skipped: {reason}")


class SkipGuard:
    """Fails the session if a test was skipped without one of the allowed reasons."""

    def __init__(self) -> None:
        self.skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail") and not reason_of(report).startswith(ALLOWED):
            self.skipped.append(f"{report.nodeid}: {reason_of(report)}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skipped and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        if self.skipped:
            terminalreporter.section("skipped, which CI does not allow")
            for line in self.skipped:
                terminalreporter.line(line)


def pytest_configure(config: pytest.Config) -> None:
    # With several processes the first one gets the reports of all.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SkipGuard() if os.environ.get("CI") else SkipReasons())
