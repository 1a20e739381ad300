"""One host's part in the estimation: which peers to probe, what to remember, where the host is.

No clock, no socket, no store: the agent and the simulator run this same code.
"""

from collections.abc import Mapping
from random import Random
from statistics import median

from eyewall_contracts.latency import (
    Coordinate,
    HostCoordinate,
    RttRecord,
    is_rtt,
    is_sound,
)

from eyewall_latency.algorithm import HostState
from eyewall_latency.algorithms import EstimatorSettings
from eyewall_latency.coordinate import first_coordinate
from eyewall_latency.memory import Memory
from eyewall_latency.registry import RegistryView
from eyewall_latency.relaxation import SHORTEST_RTT, Spring


class Estimator:
    """The state of one host; created when its process starts."""

    def __init__(self, name: str, settings: EstimatorSettings, rng: Random) -> None:
        """Begin at a random place, knowing nobody."""
        self._name = name
        self._algorithm = settings.algorithm
        self._rng = rng
        self._memory = Memory(settings.fading)
        self._last_peers: list[str] = []
        self._unreported: set[str] = set()
        self.coordinate = self._begin()
        self.error = 1.0
        self.resets = 0
        self.refused = 0

    @property
    def probes_per_round(self) -> int | None:
        """How many peers to probe in a round; None: as many as the pace says."""
        return self._algorithm.probes_per_round

    def next_peers(self, count: int, view: RegistryView) -> list[str]:
        """Return the peers to probe now, up to `count`: live hosts that the registry knows."""
        candidates = [name for name in view.hosts if name != self._name]
        if not candidates:
            return []
        chosen = self._algorithm.choose_peers(count, candidates, self._state(view), self._rng)
        for name in chosen:
            self._memory.tried(name, view.now)
        self._last_peers = chosen
        return chosen

    def observe(self, name: str, seconds: float, now: float) -> bool:
        """Take the RTT of a probe; False if no round trip can have taken so long."""
        if not is_rtt(seconds):
            self.refused += 1
            return False
        self._memory.measured(name, seconds, now)
        self._unreported.add(name)
        return True

    def settle(self, view: RegistryView) -> None:
        """Add others' reports and move to where all known RTTs draw this host."""
        self._memory.add_reports(view.reports)
        self._memory.forget(view.now, view.hosts)
        self._unreported &= view.hosts.keys()
        host = self._state(view)
        springs = self._springs(host)
        moved = self._algorithm.move(host, springs, self._rng)
        if is_sound(moved):
            self.coordinate = moved
            self.error = _error(moved, springs)
        else:
            self.coordinate, self.error = self._begin(), 1.0
            self.resets += 1

    def record(self, address: str, port: int, now: float) -> HostCoordinate:
        """Return this host's record."""
        return HostCoordinate(
            address=address,
            port=port,
            position=self.coordinate.position,
            height=self.coordinate.height,
            error=self.error,
            resets=self.resets,
            at=now,
        )

    def unreported(self) -> dict[str, RttRecord]:
        """Return what the probes since `mark_reported` measured, the newest of each target."""
        records = {name: self._memory[name].record() for name in sorted(self._unreported)}
        return {name: record for name, record in records.items() if record is not None}

    def mark_reported(self, names: Mapping[str, RttRecord]) -> None:
        """Note that the registry has taken these."""
        self._unreported.difference_update(names)

    def _begin(self) -> Coordinate:
        algorithm = self._algorithm
        return first_coordinate(algorithm.dimensions, height=algorithm.height, rng=self._rng)

    def _state(self, view: RegistryView) -> HostState:
        return HostState(self.coordinate, self.error, self._memory, self._last_peers, view)

    def _springs(self, host: HostState) -> list[Spring]:
        """Return the springs to peers of the same space."""
        dimensions = len(self.coordinate.position)
        springs = []
        for name, rtt, weight in self._memory.springs(host.view.now):
            record = host.view.hosts.get(name)
            if record is None or len(record.position) != dimensions:
                continue
            if self._algorithm.draws(name, host):
                springs.append(Spring(record.position, record.height, rtt, weight))
        return springs


def _error(here: Coordinate, springs: list[Spring]) -> float:
    """Return how far the springs are from their RTTs: the median, more while they are few."""
    if not springs:
        return 1.0
    off = [
        abs(
            here.distance(Coordinate(spring.position, spring.height))
            / max(spring.rtt, SHORTEST_RTT)
            - 1
        )
        for spring in springs
    ]
    return min(1.0, median(off) + 1.0 / (1 + len(springs)))
