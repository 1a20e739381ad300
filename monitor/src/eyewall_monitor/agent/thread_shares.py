"""CPU of threads over the same time as the counts that it is compared with.

A worker's counts come every few seconds; a report is made whenever any worker of the host has sent
some. What its threads used in the reports between is kept until its own counts come.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_contracts.sample import ThreadGroup


@dataclass(slots=True)
class _Waiting:
    seconds: float = 0.0
    cpu: dict[tuple[int, ...], tuple[float, float]] = field(default_factory=dict)
    """Of the threads of these tasks: their own CPU-seconds, and their processes'."""


class ThreadShares:
    """What the threads of each worker used since its counts were last reported."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}

    def report(
        self, worker: str, threads: tuple[ThreadGroup, ...], seconds: float, *, counted: bool
    ) -> tuple[ThreadGroup, ...]:
        """Return what to report of a worker's threads: CPU-seconds over the report's `seconds`.

        Parameters
        ----------
        threads
            What they used in those seconds.
        counted
            Whether the report has the worker's counts. Then it is their mean since the report
            that had them last, as CPU-seconds over `seconds`.
        """
        if not threads or seconds <= 0:
            return threads
        waiting = self._waiting.setdefault(worker, _Waiting())
        waiting.seconds += seconds
        for it in threads:
            own, children = waiting.cpu.get(it.tasks, (0.0, 0.0))
            waiting.cpu[it.tasks] = own + it.cpu, children + it.children_cpu
        if not counted:
            return threads
        del self._waiting[worker]
        part = seconds / waiting.seconds
        return tuple(
            replace(it, cpu=round(own * part, 4), children_cpu=round(children * part, 4))
            for it in threads
            for own, children in (waiting.cpu[it.tasks],)
        )

    def forget_all_but(self, workers: Iterable[str]) -> None:
        """Forget workers that are gone."""
        kept = set(workers)
        self._waiting = {worker: it for worker, it in self._waiting.items() if worker in kept}
