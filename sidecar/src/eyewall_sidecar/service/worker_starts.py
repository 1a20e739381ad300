"""How long workers take from an assignment to their first tuples, learned from each start.

A host's reports show when a worker counted its first tuples. What one start took is kept for each
topology and host. A start is work for the CPU: a third of the cores takes three times as long, and
workers that start at once on one host wait for each other. What is kept is that of one alone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from enum import Enum
from statistics import median_low

from eyewall_contracts.sample import MachineSample, Sample, WorkerSample
from eyewall_contracts.worker_starts import TopologyStarts, WorkerStartRecord

from eyewall_sidecar.stores import KnowledgeStore, NoKnowledge
from eyewall_sidecar.storm import Assignment, HostLoad

FORGOTTEN_SECONDS = 600.0
"""After which nobody waits any more for the first tuples of a worker that was to start."""
STAGE_SECONDS = 60.0
"""For which a start is waited for before workers of another topology start on its host. One that
takes longer may not come up at all."""
IDLE_CORES, IDLE_TASK_CORES, IDLE_SECONDS, IDLE_PART = 0.05, 0.015, 3.0, 0.2
"""A worker that uses no more, and each of its tasks, in so many seconds, while so much of its host
is idle, has started: its source gives nothing. An executor that has no tuples polls for them, which
takes 0.011 cores."""

START_CPU = 4.0
"""CPU-seconds of a JVM's start; 3 to 5 were measured, code that is slow at first included."""
QUICKEST_CORES = 2.0
"""More of them make no start quicker."""
MOST = 500
"""Topologies and hosts whose starts are remembered, those learned last."""
OLDEST = 7 * 86_400.0
"""Seconds before the last start after which a restarted sidecar begins without one."""


class WorkerKind(Enum):
    """What starts with a worker; the value is how many seconds that takes at least, unseen."""

    JVM = 8.0
    MULTILANG = 12.0
    """A process of another language for each executor, in addition."""

    @classmethod
    def of(cls, *, multilang: bool) -> "WorkerKind":
        """Return the kind of workers with such processes, or without."""
        return cls.MULTILANG if multilang else cls.JVM


@dataclass(frozen=True, slots=True)
class StartSeconds:
    """What a start of one topology's workers alone takes on one host: the last, and their mean.

    `time` is that of the last one, in seconds since the epoch, and `took` what it took beside
    others; 0 is unknown.
    """

    last: float
    mean: float
    count: int = 1
    time: float = 0.0
    took: float = 0.0

    def with_another(self, seconds: float, time: float, took: float) -> "StartSeconds":
        """Return these with one more start."""
        mean = (self.mean * self.count + seconds) / (self.count + 1)
        return StartSeconds(seconds, mean, self.count + 1, time, took)

    @property
    def expected(self) -> float:
        """What the next start may take: the mean, and never less than the last."""
        return max(self.last, self.mean)


@dataclass(frozen=True, slots=True)
class _AwaitedStart:
    """A start that was ordered: since when, the worker's id before, and how many on its host.

    `first` is when it was ordered first: Nimbus may not take an order, which is then repeated.
    """

    first: float
    since: float
    before: str
    together: int

    def alone(self, took: float, machine: MachineSample | None) -> float:
        """Return the seconds that it would have taken without the others on its host."""
        if machine is None or machine.cores <= 0:
            return took
        others = (self.together - 1) * START_CPU / machine.cores
        return max(took / self.together, took - others)


_Address = tuple[str, str, int]
"""Storm's id of the topology, host, port."""


class WorkerStarts:
    """Learns from each start. Rounds write it, one at a time; any thread may read it."""

    def __init__(self, store: KnowledgeStore[WorkerStartRecord] | None = None) -> None:
        """Begin with what an earlier sidecar has in `store`, once that is known."""
        self._store = store or NoKnowledge(WorkerStartRecord())
        self._is_read = False
        # Replaced as a whole by each change, for those who read.
        self._seen: dict[tuple[str, str], StartSeconds] = {}
        self._kinds: dict[str, WorkerKind] = {}
        self._awaited: dict[_Address, _AwaitedStart] = {}
        self._ids: dict[_Address, str] = {}
        self._cores: dict[str, float] = {}

    def expect(
        self,
        topology: str,
        before: Assignment,
        after: Assignment,
        host_of: Mapping[str, str],
        now: float,
    ) -> None:
        """Await the workers that an assignment starts; `host_of` names a supervisor's host."""
        awaited = {at: it for at, it in self._awaited.items() if at[0] != topology}
        started = [
            (topology, host_of[it.slot.supervisor], it.slot.port) for it in set(after) - set(before)
        ]
        together = Counter(host for _, host, _ in {*awaited, *started})
        awaited = {
            at: replace(it, together=max(it.together, together[at[1]]))
            for at, it in awaited.items()
        }
        for at in started:
            known = self._awaited.get(at)
            first = now if known is None else known.first
            awaited[at] = _AwaitedStart(first, now, self._ids.get(at, ""), together[at[1]])
        self._awaited = awaited

    def retain(self, topologies: Set[str]) -> None:
        """Await nothing more of topologies that are gone."""
        self._awaited = {at: it for at, it in self._awaited.items() if at[0] in topologies}

    def observe(self, reports: Iterable[Sample], now: float) -> None:
        """Learn from the hosts' latest reports which of the awaited workers run."""
        is_new = self._read()
        awaited, seen, kinds = dict(self._awaited), dict(self._seen), dict(self._kinds)
        ids: dict[_Address, str] = {}
        cores = dict(self._cores)
        for sample in reports:
            if sample.machine is not None and sample.machine.cores > 0:
                cores[sample.host] = min(QUICKEST_CORES, sample.machine.cores)
            for worker in sample.workers:
                address = worker.topology, sample.host, worker.port
                ids[address] = worker.id
                kinds[worker.topology] = _kind(worker, kinds.get(worker.topology))
                start = awaited.get(address)
                if start is None or worker.id == start.before:
                    continue
                if not counted_tuples(worker):
                    if _waits_for_tuples(worker, sample):
                        del awaited[address]
                    continue
                # By the host's own clock, which may be ahead of ours or behind.
                ago = max(0.0, sample.time - (worker.until - worker.seconds))
                took = max(0.0, now - ago - start.since)
                seconds = start.alone(took, sample.machine)
                known = seen.pop(address[:2], None)
                seen[address[:2]] = (
                    StartSeconds(seconds, seconds, time=sample.time, took=took)
                    if known is None
                    else known.with_another(seconds, sample.time, took)
                )
                del awaited[address]
                is_new = True
        remembered = {at[0] for at in (*seen, *ids, *awaited)}
        self._kinds = {it: kind for it, kind in kinds.items() if it in remembered}
        self._seen, self._ids, self._cores = seen, ids, cores
        self._awaited = {at: it for at, it in awaited.items() if now - it.since < FORGOTTEN_SECONDS}
        if is_new:
            self._keep()

    def seconds(self, topology: str, host: str) -> float:
        """Return how long a worker of the topology may take to start on a host.

        By its starts there; else by its slowest elsewhere, longer where there are fewer cores; else
        by those of other topologies of its kind there; else by what is usual with so many cores.
        """
        if (known := self._seen.get((topology, host))) is not None:
            return known.expected
        own = [
            it.expected * self._times_longer(host, at[1])
            for at, it in self._seen.items()
            if at[0] == topology
        ]
        kind = self._kinds.get(topology, WorkerKind.JVM)
        there = [
            it.expected
            for at, it in self._seen.items()
            if at[1] == host and self._kinds.get(at[0]) is kind
        ]
        usual = max(kind.value, START_CPU / self._cores.get(host, QUICKEST_CORES))
        return max(own or there, default=usual)

    def beside(self, topology: str, now: float) -> Mapping[str, str]:
        """Return the hosts on which workers of other topologies start, each with one of these."""
        return {
            host: name
            for (name, host, _), it in self._awaited.items()
            if name != topology and now - it.first < STAGE_SECONDS
        }

    def longest(self, topology: str) -> float:
        """Return what a start of the topology's workers took at most, or takes usually."""
        usual = self._kinds.get(topology, WorkerKind.JVM).value
        own = (max(it.last, it.took) for at, it in self._seen.items() if at[0] == topology)
        return max(own, default=usual)

    def _read(self) -> bool:
        """Take up what an earlier sidecar kept; True if that leaves something to be kept."""
        if self._is_read or (kept := self._store.read()) is None:
            return False
        self._is_read = True
        meanwhile = self._seen
        recent = [it for it in kept.starts if it.time > kept.written - OLDEST]
        before = {
            (it.topology, it.host): StartSeconds(it.last, it.mean, it.count, it.time)
            for it in recent
        }
        self._seen = {at: it for at, it in before.items() if at not in meanwhile} | meanwhile
        kinds = {it.topology: WorkerKind.of(multilang=it.multilang) for it in recent}
        self._kinds = kinds | self._kinds
        return bool(meanwhile)

    def _keep(self) -> None:
        self._seen = dict([*self._seen.items()][-MOST:])
        if not self._is_read:
            return  # what an earlier sidecar kept must not be replaced before it is read
        starts = tuple(
            TopologyStarts(*at, it.time, it.last, it.mean, it.count, self._is_multilang(at[0]))
            for at, it in self._seen.items()
        )
        written = max((it.time for it in starts), default=0.0)
        self._store.put(WorkerStartRecord(written, starts))

    def _is_multilang(self, topology: str) -> bool:
        return self._kinds.get(topology) is WorkerKind.MULTILANG

    def _times_longer(self, host: str, than: str) -> float:
        """Return how many times as long a start takes on a host; never less than on the other."""
        if host not in self._cores or than not in self._cores:
            return 1.0
        return max(1.0, self._cores[than] / self._cores[host])


def start_seconds(load: HostLoad, cpu: float, taken: float = 0.0) -> float:
    """Return how long starts of so many CPU-seconds take on the cores that a host has now.

    `taken` are those that others use; what starts next to them gets half of all at least.
    """
    cores = load.cores * load.progress
    return cpu / max(cores - max(0.0, taken), cores / 2, 1e-9)


def start_cpu(workers: Iterable[WorkerSample]) -> float:
    """Return the CPU-seconds that one more start takes, by what those of these workers took.

    Their median, of two the lesser: one of them may have waited for its first tuples. No less than
    `START_CPU`, as code that is slow at first is no part of what was reported.
    """
    known = [it.start_cpu for it in workers if it.start_cpu is not None]
    return max(START_CPU, median_low(known)) if known else START_CPU


def _waits_for_tuples(worker: WorkerSample, sample: Sample) -> bool:
    """Whether nothing keeps a worker of a report from taking tuples but that there are none."""
    machine, seconds = sample.machine, sample.seconds
    if machine is None or worker.cpu is None or seconds < IDLE_SECONDS:
        return False
    used = worker.cpu + (worker.children_cpu or 0.0)
    idle = machine.cores * seconds - machine.busy
    most = IDLE_CORES + IDLE_TASK_CORES * len(worker.tasks)
    return used < most * seconds and idle > IDLE_PART * machine.cores * seconds


def counted_tuples(worker: WorkerSample) -> bool:
    """Whether a worker took or gave any tuples."""
    return any(
        any(it.executed for it in task.inputs) or any(it.emitted for it in task.outputs)
        for task in worker.tasks
    )


def _kind(worker: WorkerSample, known: WorkerKind | None) -> WorkerKind:
    has_children = bool(worker.children_cpu) or any(it.children_cpu for it in worker.threads)
    return WorkerKind.MULTILANG if has_children else known or WorkerKind.JVM
