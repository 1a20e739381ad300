"""What the tests on a running cluster tell people at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loop_times import LINES

if TYPE_CHECKING:
    import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LINES:
        terminalreporter.section("from a change in the world to what followed it")
        for line in LINES:
            terminalreporter.write_line(line)
