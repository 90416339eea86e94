"""A pytest plugin: with CI set, a test that was skipped fails the session.

A test that is skipped proves nothing, and nobody reads the count. What may be skipped in CI too says so in its reason.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

ALLOWED = ("not Linux: ", "LAMINA_PURE is set")
"""How reasons begin that count in CI, too: the platform, and what the caller asked for."""


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test, or a module as a whole, was skipped."""
    found = report.longrepr
    return str(found[2] if isinstance(found, tuple) else found).removeprefix("Skipped: ")


class SkipGuard:
    """Notes what is skipped without one of the allowed reasons."""

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
    # With several processes the reports of all come to the first one.
    if os.environ.get("CI") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SkipGuard())
