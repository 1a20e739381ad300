"""What the agent knows between two reports: lines go in, a report comes out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from eyewall_contracts.sample import Sample

from eyewall_monitor.agent.graphite import Measurement, Unused, parse
from eyewall_monitor.agent.machine import MachineMeter
from eyewall_monitor.agent.procfs import TICK
from eyewall_monitor.agent.report import WorkerObservation, fit, worker_sample
from eyewall_monitor.agent.start_cpu import StartCpu
from eyewall_monitor.agent.tally import Instant, Tally, WorkerKey
from eyewall_monitor.agent.thread_shares import ThreadShares
from eyewall_monitor.agent.worker_cpu import WorkerMeter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eyewall_contracts.sample import MachineSample

    from eyewall_monitor.agent.cgroup import ControlGroup
    from eyewall_monitor.agent.procfs import Proc, Stat
    from eyewall_monitor.agent.workers import WorkerProcess, WorkerSearch

_SEARCH_PAUSE: Final = 1.0
"""Seconds between two searches for an unknown worker."""


class Watch:
    """The watch over one host.

    Parameters
    ----------
    run
        A name for this life of the agent.
    start
        When it began: workers that are older were met in mid-life.
    """

    def __init__(
        self,
        host: str,
        run: str,
        proc: Proc,
        group: ControlGroup,
        search: WorkerSearch,
        start: Instant,
    ) -> None:
        self._host = host
        self._run = run
        self._proc = proc
        self._search = search
        self._machine = MachineMeter(proc, group)
        self._cpu = WorkerMeter(proc)
        self._shares = ThreadShares()
        self._start_cpu = StartCpu()
        self._tally = Tally()
        self._components: dict[str, dict[int, str]] = {}
        self._workers: dict[WorkerKey, tuple[WorkerProcess, Instant]] = {}
        self._start = start
        self._before = start
        self._searched = start.steady
        self._sequence = 0
        self.counters: Counter[str] = Counter()
        """What was taken and rejected since the start, by reason."""
        self._read(start)

    def take(self, lines: Iterable[bytes], now: Instant) -> None:
        """Take lines that have just come."""
        for line in lines:
            read = parse(line)
            if isinstance(read, Measurement):
                self._take(read, now)
            elif isinstance(read, Unused):
                self.counters["unused"] += 1
            else:
                self.counters[f"rejected: {read}"] += 1

    def complete_at(self) -> float | None:
        """When the first counter report that is not read yet is complete, by the steady clock."""
        return self._tally.complete_at()

    def report(self, now: Instant, counters: Mapping[str, int]) -> Sample:
        """Make the next report; `counters` is what others than this have counted."""
        observed, machine = self._read(now)
        self.counters["counters that began again"] = self._tally.restarts
        sample = Sample(
            host=self._host,
            run=self._run,
            sequence=self._sequence,
            time=round(max(0.0, now.wall), 3),
            seconds=round(max(0.0, now.steady - self._before.steady), 3),
            machine=machine,
            workers=tuple(worker_sample(one, now) for one in observed),
            counters={
                name: count for name, count in (self.counters + Counter(counters)).items() if count
            },
        )
        self._before = now
        self._sequence += 1
        return fit(sample)

    def _take(self, it: Measurement, now: Instant) -> None:
        key = WorkerKey(it.topology, it.port)
        if not self._tally.knows(key) and now.steady - self._searched >= _SEARCH_PAUSE:
            up = self._proc.uptime()
            self._find_workers(self._proc.processes(), up, now)
        rejection = self._tally.take(it, now)
        self.counters["taken" if rejection is None else f"rejected: {rejection}"] += 1

    def _find_workers(self, processes: Mapping[int, Stat], up: float, now: Instant) -> None:
        """Learn which workers there are; `up` is `now` in seconds since boot."""
        self._searched = now.steady
        self._workers = {}
        for process in self._search.workers(processes):
            age = up - processes[process.pid].started * TICK
            started = Instant(now.wall - age, now.steady - age)
            key = WorkerKey(process.topology, process.port)
            self._workers[key] = process, started
            whole_life = self._was_seen_to_start(started)
            self._tally.register(key, process.id, started, whole_life=whole_life)
        self._tally.forget_all_but(self._workers)

    def _was_seen_to_start(self, started: Instant) -> bool:
        return started.steady > self._start.steady

    def _read(self, now: Instant) -> tuple[list[WorkerObservation], MachineSample]:
        # The time since boot first: listing processes takes a busy host a second or more, and a
        # worker would seem that much older, and older than this agent.
        up = self._proc.uptime()
        processes = self._proc.processes()
        self._find_workers(processes, up, now)
        ticks = int(up / TICK)
        reports = {
            process.id: self._tally.read(key, now) for key, (process, _) in self._workers.items()
        }
        for worker_id, report in reports.items():
            self._components.setdefault(worker_id, {}).update(report.components)
        self._components = {one: self._components[one] for one in reports}
        machine = self._machine.read(processes, ticks)
        workers = [process for process, _ in self._workers.values()]
        usages = self._cpu.read(workers, processes, self._components, ticks)
        self._shares.forget_all_but(usages)
        self._start_cpu.forget_all_but(usages)
        seconds = now.steady - self._before.steady
        observed = []
        for process, started in self._workers.values():
            usage, report = usages.get(process.id), reports[process.id]
            if usage is not None:
                counted = report.seconds > 0
                threads = self._shares.report(process.id, usage.threads, seconds, counted=counted)
                usage = replace(usage, threads=threads)
                start = None
                if self._was_seen_to_start(started):
                    age = now.steady - started.steady
                    start = self._start_cpu.of(process.id, usage.total_cpu, age, report)
                observed.append(WorkerObservation(process, started, report, usage, start))
        return observed, machine
