"""A host's load: its cores, what uses them, and what other guests of the machine take.

A host reports every few seconds. Its figures are smoothed, and a figure that was handed out is held
until it is wrong by more than their jitter.

Time for which a quota stops work is no property of the host: it follows from the work that runs
there, would follow that work to any other host of that size, and ends when the work leaves. The
quota itself counts, as the host's cores.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from statistics import median

from eyewall_contracts.sample import MachineSample, Sample

NEWEST = 0.4
"""Weight of the newest report in the smoothed figures: most of a change is in them after three."""
RECENT = 3
"""Reports of which the median says what other guests take: a burst in one of them is not in it."""
HELD_CORES = 0.05
HELD_PART = 0.1
"""A load or a speed is held within so many cores, a tenth of a small host's, and within such a part
of it."""
HELD_IDLE = 0.02
HELD_IDLE_PART = 0.5
"""The idle part of a host is held within this much, and within such a part of it: where little is
idle, a little less of it changes what its threads do."""
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
    expected
        Storm's id of a topology → cores that it is going to use more than is reported, as it was
        moved there.
    progress
        The share of its time that work which wants to run gets to run: less than 1 if other guests
        of the hypervisor take the processor.
    """

    cores: float
    busy: float
    by_topology: Mapping[str, float] = field(default_factory=dict)
    progress: float = 1.0
    expected: Mapping[str, float] = field(default_factory=dict)

    @property
    def of_other_processes(self) -> float:
        """Cores in use by processes other than workers."""
        return max(0.0, self.busy - sum(self.by_topology.values()))

    @property
    def idle(self) -> float:
        """The part of its CPU that nobody used, of what other guests leave; 1 if unknown."""
        usable = self.cores * self.progress
        return max(0.0, 1.0 - self.busy / usable) if usable > 0 else 1.0

    def left_for(self, topology: str) -> float:
        """Cores that all other load leaves for a topology, each with the host's progress.

        Work takes longer the more of its time other guests take, and so does that of others.
        """
        return max(0.0, self.cores - self.by_others(topology) / max(SLOWEST, self.progress))

    def by_others(self, topology: str) -> float:
        """Cores that all but a topology use, and are going to use."""
        used = max(0.0, self.busy - self.by_topology.get(topology, 0.0))
        return used + sum(cores for it, cores in self.expected.items() if it != topology)


@dataclass(frozen=True, slots=True)
class HostHistory:
    """What is kept of one host from report to report.

    Parameters
    ----------
    smoothed
        The average of its reports, the newest weighing most.
    held
        What problems are built from.
    recent
        The progress of its last reports, the oldest first.
    """

    smoothed: HostLoad
    held: HostLoad
    recent: tuple[float, ...]


def update_host(before: HostHistory | None, sample: Sample) -> HostHistory | None:
    """Add a host's next report; None: nothing is known yet."""
    load = _load_of(sample)
    if load is None:
        return before
    recent = (*(before.recent if before is not None else ()), load.progress)[-RECENT:]
    load = replace(load, progress=median(recent))
    if before is None:
        return HostHistory(load, load, recent)
    smoothed = _smoothed(before.smoothed, load)
    held = before.held if _is_held(before.held, smoothed) else smoothed
    return HostHistory(smoothed, held, recent)


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


def _progress(machine: MachineSample, seconds: float) -> float:
    """The share of its time that work which wanted to run was not kept from it by other guests."""
    if machine.quota is not None:
        # What is busy is the control group's alone, what is stolen the whole machine's.
        return 1.0 - min(1.0, machine.stolen / (seconds * max(1, machine.cpus)))
    wanted = machine.busy + machine.stolen
    return machine.busy / wanted if machine.stolen > 0 else 1.0


def _smoothed(before: HostLoad, now: HostLoad) -> HostLoad:
    # A topology that is gone leaves its load at once: its room is free.
    used = {
        it: cpu if it not in before.by_topology else _mixed(before.by_topology[it], cpu)
        for it, cpu in now.by_topology.items()
    }
    others = _mixed(before.of_other_processes, now.of_other_processes)
    return replace(now, busy=others + sum(used.values()), by_topology=used)


def _mixed(before: float, now: float) -> float:
    return before + NEWEST * (now - before)


def _is_held(held: HostLoad, now: HostLoad) -> bool:
    return (
        held.cores == now.cores
        and held.by_topology.keys() == now.by_topology.keys()
        and abs(held.progress - now.progress) <= HELD_PART * held.progress
        and abs(held.idle - now.idle) <= max(HELD_IDLE, HELD_IDLE_PART * held.idle)
        and all(
            abs(held.left_for(it) - now.left_for(it))
            <= max(min(HELD_CORES, HELD_PART * held.cores), HELD_PART * held.left_for(it))
            for it in ("", *held.by_topology)
        )
    )
