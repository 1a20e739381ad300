"""The simulator: the agents' own code on hosts that exist as rows of a matrix.

Each phantom host runs an `Estimator`, as its agent would, at jittered times of a clock that jumps
from round to round; one echo is one probe. Their reports go through a registry in memory, which
neither rounds nor checks them: encodings have tests of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random

from eyewall_contracts.latency import Coordinate

from eyewall_latency.accuracy import Accuracy, accuracy
from eyewall_latency.algorithms import EstimatorSettings
from eyewall_latency.estimator import Estimator
from eyewall_latency.matrix import RttMatrix
from eyewall_latency.pace import Pace
from eyewall_latency.registry import MemoryRegistry

PHANTOM_ADDRESS = "192.0.2.1"
EXPIRY = 3_600.0


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """What is simulated.

    Parameters
    ----------
    probes_per_host
        In each slice of time.
    seed
        Of every random choice.
    slice_seconds
        From the beginning of a slice to that of the next, at least.
    held_out
        Share of the pairs that no host may probe, so that there are such pairs in the end.
    """

    probes_per_host: int
    seed: int = 0
    slice_seconds: float = 900.0
    held_out: float = 0.0


class Phantoms:
    """All hosts of a matrix, and what they know."""

    def __init__(
        self, count: int, plan: SimulationPlan, settings: EstimatorSettings, pace: Pace
    ) -> None:
        """Let `count` hosts begin, knowing nobody."""
        self._plan = plan
        self._pace = pace
        self._rng = Random(f"{plan.seed}")  # noqa: S311
        self.names = [f"host-{index}" for index in range(count)]
        self._index = {name: index for index, name in enumerate(self.names)}
        self._hosts = [
            Estimator(name, settings, Random(f"{plan.seed}:{name}"))  # noqa: S311
            for name in self.names
        ]
        self._per_round = settings.algorithm.probes_per_round or 1
        self._registry = MemoryRegistry(EXPIRY)
        self._forbidden = self._hold_out(count)
        self.probed: set[tuple[int, int]] = set()
        for index in range(count):
            self._publish(index)

    def live_through(self, matrix: RttMatrix, said: Callable[[int], None]) -> None:
        """Let every host probe as often as the plan says; `said` hears of each round."""
        begin = self._registry.now
        sent = [0] * len(self.names)
        due: list[tuple[float, int]] = []
        for index in range(len(self.names)):
            heappush(due, (begin + self._rng.random() * self._pace.interval_seconds, index))
        while due:
            now, index = heappop(due)
            self._registry.now = now
            probes = self._round(index, matrix, self._plan.probes_per_host - sent[index])
            sent[index] += probes
            said(probes)
            if probes and sent[index] < self._plan.probes_per_host:
                wait = self._pace.wait(probes, len(self.names), self._rng)
                heappush(due, (now + wait, index))
        self._registry.now = max(self._registry.now, begin + self._plan.slice_seconds)

    def coordinates(self) -> list[Coordinate]:
        """Return where the hosts believe to be."""
        return [host.coordinate for host in self._hosts]

    def _round(self, index: int, matrix: RttMatrix, left: int) -> int:
        """Do what an agent does in a round; return how many probes it sent."""
        host, name = self._hosts[index], self.names[index]
        view = self._registry.read(name)
        chosen = host.next_peers(min(self._per_round, left), view)[:left]
        for peer in chosen:
            target = self._index[peer]
            rtt = matrix.seconds[index][target]
            if rtt is None or (min(index, target), max(index, target)) in self._forbidden:
                continue
            self.probed.add((index, target))
            host.observe(peer, rtt, view.now)
        host.settle(view)
        self._publish(index)
        return len(chosen)

    def _publish(self, index: int) -> None:
        host = self._hosts[index]
        fresh = host.unreported()
        record = host.record(PHANTOM_ADDRESS, 1, self._registry.now)
        self._registry.write(self.names[index], record, fresh)
        host.mark_reported(fresh)

    def _hold_out(self, count: int) -> set[tuple[int, int]]:
        pairs = ((i, j) for i in range(count) for j in range(i + 1, count))
        if not self._plan.held_out:
            return set()
        return {pair for pair in pairs if self._rng.random() < self._plan.held_out}


def simulate(
    slices: Sequence[RttMatrix],
    plan: SimulationPlan,
    settings: EstimatorSettings,
    pace: Pace,
    said: Callable[[int], None] = lambda _: None,
) -> list[Accuracy]:
    """Return how good the coordinates are at the end of each slice."""
    phantoms = Phantoms(len(slices[0]), plan, settings, pace)
    results = []
    for matrix in slices:
        phantoms.live_through(matrix, said)
        results.append(
            accuracy(matrix, phantoms.coordinates(), phantoms.probed, plan.probes_per_host)
        )
    return results
