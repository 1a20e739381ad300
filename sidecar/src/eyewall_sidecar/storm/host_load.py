"""A host's load: its cores, what uses them, and how much its work is held up.

A host reports every few seconds. Its figures are smoothed, and a figure that was handed out is held
until it is wrong by more than their jitter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import NamedTuple

from eyewall_contracts.sample import MachineSample, Sample

NEWEST = 0.4
"""Weight of the newest report in the smoothed figures: most of a change is in them after three."""
AGREEING = 3
AGREEING_SECONDS = 15.0
"""Reports that have to agree that a host holds work up: so many, and all that ended within so long.

A burst that a quota stops and a second that other guests take are over before that; the 10 ms of
each second that an idle host uses are stopped for half as long now and then.
"""
HELD_CORES = 0.05
HELD_PART = 0.1
"""A load or a speed is held within so many cores, and within such a part of it."""
FULL = 0.75
"""A host is full that uses so much of its cores."""
RECOVERY_SECONDS = 600.0
"""In which most of a full host's slowness is forgotten: 63 %, and 95 % in three times as long.

A host is fast again as soon as the work that was too heavy for it has left. Believing that at once
would send the same work back. Slowness of a host that was not full does not come from its work.
"""
WARM_UP_SECONDS = 40.0
"""How long a worker that starts takes all the CPU that it gets: a JVM, and a process for each of
its executors in another language. On hosts of one core that took 20 to 35 s; their quota held them
up for 0.4 of that time, and for 0.03 of it afterwards.
"""
SLOWEST = 0.01
"""The least share of its time that work gets; less is hardly different from a standstill."""


@dataclass(frozen=True, slots=True)
class HostLoad:
    """A host's load, by its reports.

    Parameters
    ----------
    cores
        What its processes may use together.
    busy
        Cores in use, by all processes.
    by_topology
        Storm's id of a topology → cores that its workers use, their children's included.
    progress
        The share of its time that work which wants to run gets to run: 1 unless a quota stops it or
        other guests of the hypervisor take the processor. Falls to what the last reports agree in,
        and recovers slowly if the host was full. What workers are held up by while they start says
        nothing about it.
    """

    cores: float
    busy: float
    by_topology: Mapping[str, float] = field(default_factory=dict)
    progress: float = 1.0

    def left_for(self, topology: str) -> float:
        """Cores that all other load leaves for a topology."""
        return max(0.0, self.cores - max(0.0, self.busy - self.by_topology.get(topology, 0.0)))


class LoadReport(NamedTuple):
    """A report: when it ended, in seconds since the epoch, and whether the host was full."""

    time: float
    progress: float
    full: bool


@dataclass(frozen=True, slots=True)
class HostHistory:
    """What is kept of one host from report to report.

    Parameters
    ----------
    time
        When the last report ended, in seconds since the epoch.
    smoothed
        The average of its reports, the newest weighing most.
    held
        What problems are built from.
    recent
        The progress of its last reports, the oldest first.
    slow
        The progress that it had when it was full, as far as that is not forgotten.
    """

    time: float
    smoothed: HostLoad
    held: HostLoad
    recent: tuple[LoadReport, ...]
    slow: float


def update_host(before: HostHistory | None, sample: Sample) -> HostHistory | None:
    """Add a host's next report; None: nothing is known yet."""
    load = _load_of(sample)
    if load is None:
        return before
    recent = _recent(before, sample, load.progress)
    slow = _slow(before, sample.time, recent)
    load = replace(load, progress=min(slow, _agreed(recent)))
    if before is None:
        return HostHistory(sample.time, load, load, recent, slow)
    smoothed = _smoothed(before.smoothed, load)
    held = before.held if _is_held(before.held, smoothed) else smoothed
    return HostHistory(sample.time, smoothed, held, recent, slow)


def _load_of(sample: Sample) -> HostLoad | None:
    """Return a report's load; None if it covers no time or next to none, or a worker is new."""
    machine = sample.machine
    if machine is None or sample.seconds <= 0 or any(it.cpu is None for it in sample.workers):
        return None
    used: dict[str, float] = {}
    for worker in sample.workers:
        cpu = (worker.cpu or 0.0) + (worker.children_cpu or 0.0)
        used[worker.topology] = used.get(worker.topology, 0.0) + cpu / sample.seconds
    busy = max(machine.busy / sample.seconds, sum(used.values()))
    if not isfinite(busy):  # a later report's difference from it would not be a number
        return None
    return HostLoad(
        cores=machine.cores,
        busy=busy,
        by_topology=used,
        progress=max(SLOWEST, _progress(machine, sample.seconds)),
    )


def _recent(before: HostHistory | None, sample: Sample, progress: float) -> tuple[LoadReport, ...]:
    known = before.recent if before is not None else ()
    began = sample.time - sample.seconds
    if any(began < it.started + WARM_UP_SECONDS for it in sample.workers):
        return known or (LoadReport(sample.time, 1.0, full=False),)
    last = len(known) - (AGREEING - 1)
    kept = (
        it
        for place, it in enumerate(known)
        if place >= last or 0 <= sample.time - it.time < AGREEING_SECONDS
    )
    full = sample.machine is not None and _is_full(sample.machine, sample.seconds)
    return (*kept, LoadReport(sample.time, progress, full))


def _agreed(recent: tuple[LoadReport, ...]) -> float:
    return max(it.progress for it in recent)


def _slow(before: HostHistory | None, now: float, recent: tuple[LoadReport, ...]) -> float:
    slow = 1.0
    if before is not None:
        forgotten = min(1.0, max(0.0, now - before.time) / RECOVERY_SECONDS)
        slow = before.slow + (1.0 - before.slow) * forgotten
    agree = len(recent) >= AGREEING and all(it.full for it in recent)
    return min(slow, _agreed(recent)) if agree else slow


def _is_full(machine: MachineSample, seconds: float) -> bool:
    # Of a machine without a quota others take only what it wanted itself.
    wanted = machine.busy + (machine.stolen if machine.quota is None else 0.0)
    return wanted >= FULL * machine.cores * seconds


def _progress(machine: MachineSample, seconds: float) -> float:
    """The share of its time that work which wanted to run got to run."""
    if machine.quota is None:
        return _share(machine.busy, machine.stolen)
    # What is busy is the control group's alone, what is stolen the whole machine's.
    stolen = min(1.0, machine.stolen / (seconds * max(1, machine.cpus)))
    # The clock of what a quota stops goes on while others have the processor (`rq_clock` in the
    # kernel's sched/fair.c), when it could not have run anyway.
    stopped = machine.throttled * (1.0 - stolen)
    return _share(machine.busy, stopped) * (1.0 - stolen)


def _share(busy: float, held_up: float) -> float:
    return busy / (busy + held_up) if held_up > 0 else 1.0


def _smoothed(before: HostLoad, now: HostLoad) -> HostLoad:
    # A topology that is gone leaves its load at once: its room is free.
    used = {
        it: cpu if it not in before.by_topology else _mixed(before.by_topology[it], cpu)
        for it, cpu in now.by_topology.items()
    }
    others = _mixed(_of_others(before), _of_others(now))
    return replace(now, busy=others + sum(used.values()), by_topology=used)


def _of_others(load: HostLoad) -> float:
    return max(0.0, load.busy - sum(load.by_topology.values()))


def _mixed(before: float, now: float) -> float:
    return before + NEWEST * (now - before)


def _is_held(held: HostLoad, now: HostLoad) -> bool:
    return (
        held.cores == now.cores
        and held.by_topology.keys() == now.by_topology.keys()
        and abs(held.progress - now.progress) <= HELD_PART * held.progress
        and all(
            abs(held.left_for(it) - now.left_for(it))
            <= max(HELD_CORES, HELD_PART * held.left_for(it))
            for it in ("", *held.by_topology)
        )
    )
