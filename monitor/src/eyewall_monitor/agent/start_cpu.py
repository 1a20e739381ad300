"""What the start of each worker took of the CPU: what it had used when it counted tuples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eyewall_monitor.agent.graphite import Metric

if TYPE_CHECKING:
    from collections.abc import Container

    from eyewall_monitor.agent.tally import CounterReport

LONGEST: Final = 60.0
"""Seconds after which first tuples say nothing of the start: it was over, and they were missing."""
SYSTEM: Final = "__"
"""Which names of Storm's own components and streams begin with."""
_TUPLES: Final = frozenset({Metric.EXECUTED, Metric.EMITTED})


@dataclass(frozen=True, slots=True)
class _Start:
    """A worker's CPU-seconds: so far or, once that `is_over`, of its start, known or not."""

    seconds: float = 0.0
    is_over: bool = False
    is_known: bool = False


class StartCpu:
    """Remembers it for as long as a worker runs."""

    def __init__(self) -> None:
        self._starts: dict[str, _Start] = {}

    def of(self, worker: str, total: float, age: float, report: CounterReport) -> float | None:
        """Return the CPU-seconds of a worker's start; None if they are not known, or not yet.

        The first tuples came between this reading and the one before: halfway, as far as is known.

        Parameters
        ----------
        worker
            Storm's id of it; it started while this agent ran.
        total
            CPU-seconds that it has used, with its children.
        age
            Seconds since it started.
        report
            What it has counted since the reading before.
        """
        known = self._starts.get(worker, _Start())
        if not known.is_over:
            if age > LONGEST:
                known = _Start(is_over=True)
            elif _has_tuples(report):
                seconds = round((known.seconds + total) / 2, 4)
                known = _Start(seconds, is_over=True, is_known=True)
            else:
                known = _Start(total)
            self._starts[worker] = known
        return known.seconds if known.is_known else None

    def forget_all_but(self, workers: Container[str]) -> None:
        """Forget workers that have ended."""
        self._starts = {it: start for it, start in self._starts.items() if it in workers}


def _has_tuples(report: CounterReport) -> bool:
    """Whether it counted tuples of the topology's own: ticks come before a bolt is ready."""
    return any(
        count
        for value, count in report.increments.items()
        if value.metric in _TUPLES
        and not report.components.get(value.task, "").startswith(SYSTEM)
        and not (value.stream or "").startswith(SYSTEM)
    )
