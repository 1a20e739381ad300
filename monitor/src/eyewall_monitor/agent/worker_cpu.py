"""What each worker's threads and child processes used."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_contracts.sample import ThreadGroup

from eyewall_monitor.agent.procfs import CpuMeter
from eyewall_monitor.agent.thread_names import groups, unnamed
from eyewall_monitor.agent.worker_log import WorkerLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eyewall_monitor.agent.procfs import Proc, Stat
    from eyewall_monitor.agent.thread_names import Name
    from eyewall_monitor.agent.workers import WorkerProcess


@dataclass(frozen=True, slots=True)
class WorkerUsage:
    """What one worker used since the reading before; None at the first reading.

    `total_cpu` is what it and its children have used since each of them started.
    """

    cpu: float | None
    children_cpu: float | None
    memory: int
    threads: tuple[ThreadGroup, ...]
    total_cpu: float


class WorkerMeter:
    """Reads what workers used since the reading before."""

    def __init__(self, proc: Proc) -> None:
        self._proc = proc
        self._by_processes = CpuMeter()
        self._by_threads = CpuMeter()  # apart: a process and its first thread have one number
        self._logs: dict[str, WorkerLog] = {}

    def read(
        self,
        workers: Iterable[WorkerProcess],
        processes: Mapping[int, Stat],
        components: Mapping[str, Mapping[int, str]],
        ticks: int,
    ) -> dict[str, WorkerUsage]:
        """Read at `ticks` after boot; the result is by worker id.

        Parameters
        ----------
        components
            Of each worker, the component of each task that it has reported.
        """
        children_by_parent = _children_by_parent(processes)
        found = {}
        for worker in workers:
            stat = processes.get(worker.pid)
            if stat is not None:
                known = components.get(worker.id, {})
                found[worker.id] = self._read(worker, stat, processes, children_by_parent, known)
        self._logs = {worker: log for worker, log in self._logs.items() if worker in found}
        self._by_processes.finish(ticks)
        self._by_threads.finish(ticks)
        return found

    def _read(
        self,
        worker: WorkerProcess,
        stat: Stat,
        processes: Mapping[int, Stat],
        children_by_parent: Mapping[int, list[int]],
        components: Mapping[int, str],
    ) -> WorkerUsage:
        cpu = self._by_processes.usage(stat)
        offspring = {n: processes[n] for n in _descendants(worker.pid, children_by_parent)}
        spent = {n: self._by_processes.usage(child) for n, child in offspring.items()}
        total = round(stat.cpu + sum(child.cpu for child in offspring.values()), 4)
        memory = stat.memory + sum(child.memory for child in offspring.values())
        threads = self._proc.threads(worker.pid)
        of_threads = {thread.number: self._by_threads.usage(thread) for thread in threads}
        if cpu is None:
            return WorkerUsage(None, None, memory, (), total)
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
                        for n in (child, *_descendants(child, children_by_parent))
                    ),
                    4,
                ),
            )
            for group in groups(named, components, self._names(worker, named))
        ]
        children = sum(used or 0.0 for used in spent.values())
        return WorkerUsage(round(cpu, 4), round(children, 4), memory, tuple(rows), total)

    def _names(self, worker: WorkerProcess, threads: Iterable[tuple[int, str]]) -> list[Name]:
        log = self._logs.setdefault(worker.id, WorkerLog(worker.log, worker.id))
        if unnamed((name for _, name in threads), log.names.values()):
            log.read_on()
        return list(log.names.values())


def _children_by_parent(processes: Mapping[int, Stat]) -> dict[int, list[int]]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for stat in processes.values():
        children[stat.parent].append(stat.number)
    return children


def _descendants(number: int, children_by_parent: Mapping[int, list[int]]) -> list[int]:
    """Children and children's children; process ids that were reused meanwhile make no cycle."""
    found: dict[int, None] = {}
    left = list(children_by_parent.get(number, ()))
    while left:
        child = left.pop()
        if child not in found and child != number:
            found[child] = None
            left += children_by_parent.get(child, ())
    return list(found)
