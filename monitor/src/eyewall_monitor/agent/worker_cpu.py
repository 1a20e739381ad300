"""What each worker's threads and child processes used."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_contracts.sample import ThreadGroup

from eyewall_monitor.agent.spent import Spent
from eyewall_monitor.agent.thread_names import groups, unnamed
from eyewall_monitor.agent.worker_log import WorkerLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eyewall_monitor.agent.procfs import Proc, Stat
    from eyewall_monitor.agent.thread_names import Name
    from eyewall_monitor.agent.workers import WorkerProcess


@dataclass(frozen=True, slots=True)
class Used:
    """What one worker used since the look before; None: it is looked at for the first time."""

    cpu: float | None
    children_cpu: float | None
    memory: int
    threads: tuple[ThreadGroup, ...]


class WorkerCpu:
    """Looks at workers again and again."""

    def __init__(self, proc: Proc) -> None:
        self._proc = proc
        self._by_processes = Spent()
        self._by_threads = Spent()  # apart: a process and its first thread have one number
        self._logs: dict[str, WorkerLog] = {}

    def look(
        self,
        workers: Iterable[WorkerProcess],
        processes: Mapping[int, Stat],
        components: Mapping[str, Mapping[int, str]],
        ticks: int,
    ) -> dict[str, Used]:
        """Look, at `ticks` after boot; by the workers' ids.

        Parameters
        ----------
        components
            Of each worker, the component of each of its tasks, as far as the worker has told.
        """
        below = _below(processes)
        found = {}
        for worker in workers:
            stat = processes.get(worker.pid)
            if stat is not None:
                known = components.get(worker.id, {})
                found[worker.id] = self._look(worker, stat, processes, below, known)
        self._logs = {worker: log for worker, log in self._logs.items() if worker in found}
        self._by_processes.turn(ticks)
        self._by_threads.turn(ticks)
        return found

    def _look(
        self,
        worker: WorkerProcess,
        stat: Stat,
        processes: Mapping[int, Stat],
        below: Mapping[int, list[int]],
        components: Mapping[int, str],
    ) -> Used:
        cpu = self._by_processes.of(stat)
        offspring = {n: processes[n] for n in _descendants(worker.pid, below)}
        spent = {n: self._by_processes.of(child) for n, child in offspring.items()}
        memory = stat.memory + sum(child.memory for child in offspring.values())
        threads = self._proc.threads(worker.pid)
        of_threads = {thread.number: self._by_threads.of(thread) for thread in threads}
        if cpu is None:
            return Used(None, None, memory, ())
        named = [(thread.number, thread.name) for thread in threads]
        rows = [
            ThreadGroup(
                tasks=group.tasks,
                threads=len(group.threads),
                cpu=round(sum(of_threads[t] or 0.0 for t in group.threads), 4),
                children_cpu=round(
                    sum(
                        spent.get(n) or 0.0
                        for thread in group.threads
                        for child in self._proc.children(worker.pid, thread)
                        for n in (child, *_descendants(child, below))
                    ),
                    4,
                ),
            )
            for group in groups(named, components, self._names(worker, named))
        ]
        children = sum(used or 0.0 for used in spent.values())
        return Used(round(cpu, 4), round(children, 4), memory, tuple(rows))

    def _names(self, worker: WorkerProcess, threads: Iterable[tuple[int, str]]) -> list[Name]:
        log = self._logs.setdefault(worker.id, WorkerLog(worker.log, worker.id))
        if unnamed((name for _, name in threads), log.names.values()):
            log.read_on()
        return list(log.names.values())


def _below(processes: Mapping[int, Stat]) -> dict[int, list[int]]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for stat in processes.values():
        children[stat.parent].append(stat.number)
    return children


def _descendants(number: int, below: Mapping[int, list[int]]) -> list[int]:
    """Children and children's children; numbers that were given anew meanwhile make no circle."""
    found: dict[int, None] = {}
    left = list(below.get(number, ()))
    while left:
        child = left.pop()
        if child not in found and child != number:
            found[child] = None
            left += below.get(child, ())
    return list(found)
