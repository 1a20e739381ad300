"""Waits for a program to become ready, and tells why it does not."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from eyewall_deploy.processes.control import Control

_POLL_SECONDS = 0.2
_LOG_LINES = 12


def wait_until_ready(
    name: str,
    probe: Callable[[], str | None],
    control: Control,
    logs: Sequence[Path],
    *,
    ending: Callable[[], str],
    seconds: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Failure | None:
    """Return when `probe` finds nothing missing; a program that ends meanwhile is not waited for.

    Parameters
    ----------
    logs
        Their last lines go into the failure.
    ending
        Says how the program ended, when it did.
    seconds
        How long to wait at most.
    """
    end = clock() + seconds
    first_pid = 0
    while True:
        state = control.state(name)
        first_pid = first_pid or state.pid
        if state.state not in {"STARTING", "RUNNING"} or state.pid != first_pid:
            reason = f"{name} ended while it was starting ({ending()})"
            return Failure(_with_log(reason, logs))
        missing = probe()
        if missing is None and state.state == "RUNNING":  # not a process that ends in a moment
            return None
        if clock() >= end:
            return Failure(
                _with_log(f"{name}: not ready after {seconds:g} s: {missing or state.state}", logs)
            )
        sleep(_POLL_SECONDS)


def last_lines(log: Path, count: int) -> list[str]:
    """Return the end of a log; none where there is no log yet."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return [line.removesuffix("\n") for line in deque(file, maxlen=count)]
    except OSError:
        return []


def _with_log(reason: str, logs: Sequence[Path]) -> str:
    for log in logs:
        lines = last_lines(log, _LOG_LINES)
        if lines:
            return "\n".join([reason, f"last lines of {log}:", *(f"  {line}" for line in lines)])
    return reason
