"""How long workers take from an assignment to their first tuples, learned from each start.

A host's reports show when a worker counted its first tuples. What one start took is kept for each
topology and host. A start is work for the CPU: a third of the cores takes three times as long.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from eyewall_contracts.sample import Sample, WorkerSample

from eyewall_sidecar.storm import Assignment

FORGOTTEN_SECONDS = 600.0
"""After which nobody waits any more for the first tuples of a worker that was to start."""


START_CPU = 4.0
"""Core-seconds of a JVM's start; 3 to 5 were measured, code that is slow at first included."""
QUICKEST_CORES = 2.0
"""More of them make no start quicker."""


class WorkerKind(Enum):
    """What starts with a worker; the value is how many seconds that takes at least, unseen."""

    JVM = 8.0
    MULTILANG = 12.0
    """A process of another language for each executor, in addition."""


@dataclass(frozen=True, slots=True)
class StartSeconds:
    """What starts of one topology's workers on one host took: the last one, and their mean."""

    last: float
    mean: float
    count: int = 1

    def with_another(self, seconds: float) -> "StartSeconds":
        """Return these with one more start."""
        mean = (self.mean * self.count + seconds) / (self.count + 1)
        return StartSeconds(seconds, mean, self.count + 1)

    @property
    def expected(self) -> float:
        """What the next start may take: the mean, and never less than the last."""
        return max(self.last, self.mean)


_Address = tuple[str, str, int]
"""Storm's id of the topology, host, port."""


class WorkerStarts:
    """Learns from each start. Rounds write it, one at a time; any thread may read it."""

    def __init__(self) -> None:
        """Begin with no start seen."""
        # Replaced as a whole by each change, for those who read.
        self._seen: dict[tuple[str, str], StartSeconds] = {}
        self._kinds: dict[str, WorkerKind] = {}
        self._awaited: dict[_Address, tuple[float, str]] = {}
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
        for worker in set(after) - set(before):
            address = topology, host_of[worker.slot.supervisor], worker.slot.port
            awaited[address] = now, self._ids.get(address, "")
        self._awaited = awaited

    def observe(self, reports: Iterable[Sample], now: float) -> None:
        """Learn from the hosts' latest reports which of the awaited workers run."""
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
                since, before = awaited.get(address, (now, worker.id))
                if worker.id == before or not counted_tuples(worker):
                    continue
                # By the host's own clock, which may be ahead of ours or behind.
                ago = max(0.0, sample.time - (worker.until - worker.seconds))
                seconds = max(0.0, now - ago - since)
                known = seen.get(address[:2])
                seen[address[:2]] = (
                    StartSeconds(seconds, seconds) if known is None else known.with_another(seconds)
                )
                del awaited[address]
        self._seen, self._kinds, self._ids, self._cores = seen, kinds, ids, cores
        self._awaited = {at: it for at, it in awaited.items() if now - it[0] < FORGOTTEN_SECONDS}

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

    def longest(self, topology: str) -> float:
        """Return what a start of the topology's workers took at most, or takes usually."""
        usual = self._kinds.get(topology, WorkerKind.JVM).value
        return max((it.last for at, it in self._seen.items() if at[0] == topology), default=usual)

    def _times_longer(self, host: str, than: str) -> float:
        """Return how many times as long a start takes on a host; never less than on the other."""
        if host not in self._cores or than not in self._cores:
            return 1.0
        return max(1.0, self._cores[than] / self._cores[host])


def counted_tuples(worker: WorkerSample) -> bool:
    """Whether a worker took or gave any tuples."""
    return any(
        any(it.executed for it in task.inputs) or any(it.emitted for it in task.outputs)
        for task in worker.tasks
    )


def _kind(worker: WorkerSample, known: WorkerKind | None) -> WorkerKind:
    has_children = bool(worker.children_cpu) or any(it.children_cpu for it in worker.threads)
    return WorkerKind.MULTILANG if has_children else known or WorkerKind.JVM
