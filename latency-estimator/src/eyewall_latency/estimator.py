"""One host's part in the estimation: which peers to probe, what to remember, where the host is.

No clock, no socket, no store: the agent and the simulator run this same code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from statistics import median

from eyewall_contracts.latency import (
    MOST_DIMENSIONS,
    Coordinate,
    HostCoordinate,
    RttRecord,
    is_rtt,
    is_sound,
)

from eyewall_latency.coordinate import apply_gravity, first_coordinate
from eyewall_latency.leap import leap_to_near_peer
from eyewall_latency.memory import Fading, Memory
from eyewall_latency.paper_relaxation import PaperRelaxation, relax_by_paper
from eyewall_latency.peers import Choosing, keep_nearest, next_peers
from eyewall_latency.registry import View
from eyewall_latency.relaxation import SHORTEST_RTT, Relaxation, Spring, relax
from eyewall_latency.setting import choice, number, whole_number

ENOUGH_SPRINGS = 40
"""How many RTTs to know, or those of half of the hosts, before looking for a better place: early
on, every host is in a wrong one."""


@dataclass(frozen=True, slots=True)
class Space:
    """The latency space, the same on every host: a host does not see those of another space.

    Parameters
    ----------
    algorithm
        `springs`: the shipped one. `paper`: paper 002's, three dimensions, without memory.
    dimensions, height
        Of the space; for `paper` they are 3 and none.
    gravity_reach_seconds
        How far from the origin gravity is as strong as it gets.
    """

    algorithm: str = choice("springs", "paper")
    dimensions: int = whole_number(8, 1, MOST_DIMENSIONS)
    height: bool = True
    gravity_reach_seconds: float = number(6.0, 0.1, 1e6)


@dataclass(frozen=True, slots=True)
class Paper(PaperRelaxation):
    """Paper 002's own algorithm: the constants of its relaxation, and its peers.

    Parameters
    ----------
    peers
        n: probed in each round.
    keep
        i: the nearest of them stay for the next round; the others are drawn again.
    """

    peers: int = whole_number(10, 1, 1_000)
    keep: int = whole_number(3, 0, 1_000)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the estimation of one host depends on."""

    space: Space = field(default_factory=Space)
    peers: Choosing = field(default_factory=Choosing)
    fading: Fading = field(default_factory=Fading)
    relaxation: Relaxation = field(default_factory=Relaxation)
    paper: Paper = field(default_factory=Paper)


class Estimator:
    """The state of one host; created when its process starts."""

    def __init__(self, name: str, settings: Settings, rng: Random) -> None:
        """Begin at a random place, knowing nobody."""
        self._name = name
        self._settings = settings
        self._rng = rng
        self._memory = Memory(settings.fading)
        self._last_peers: list[str] = []
        self._unreported: set[str] = set()
        self.coordinate = self._begin()
        self.error = 1.0
        self.resets = 0
        self.refused = 0

    @property
    def _uses_paper(self) -> bool:
        """Whether paper 002's own algorithm is used."""
        return self._settings.space.algorithm == "paper"

    def next_peers(self, count: int, view: View) -> list[str]:
        """Return the peers to probe now, up to `count`: live hosts that the registry knows."""
        candidates = [name for name in view.hosts if name != self._name]
        if not candidates:
            return []
        if self._uses_paper:
            chosen = self._paper_peers(candidates)
        else:
            here, hosts = self.coordinate, view.hosts

            def distance(name: str) -> float:
                return here.distance(hosts[name].coordinate)

            choosing = self._settings.peers
            chosen = next_peers(
                count, self._in_this_space(candidates, view), self._memory, distance, choosing,
                view.now, self._rng,
            )  # fmt: skip
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

    def settle(self, view: View) -> None:
        """Add others' reports and move to where all known RTTs draw this host."""
        self._memory.add_reports(view.reports)
        self._memory.forget(view.now, view.hosts)
        self._unreported &= view.hosts.keys()
        springs = self._springs(view)
        if self._uses_paper:
            moved = relax_by_paper(self.coordinate, springs, self._settings.paper, rng=self._rng)
        else:
            space = self._settings.space
            start = self.coordinate
            if springs and len(springs) >= min(ENOUGH_SPRINGS, (len(view.hosts) - 1) / 2):
                scale = self._settings.relaxation.error_scale
                start = leap_to_near_peer(start, springs, scale, rng=self._rng)
            moved = relax(
                start, springs, self._settings.relaxation,
                error=self.error,
                height=space.height, rng=self._rng,
            )  # fmt: skip
            moved = apply_gravity(moved, space.gravity_reach_seconds)
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
        space = self._settings.space
        dimensions = 3 if self._uses_paper else space.dimensions
        height = space.height and not self._uses_paper
        return first_coordinate(dimensions, height=height, rng=self._rng)

    def _in_this_space(self, candidates: list[str], view: View) -> list[str]:
        here = len(self.coordinate.position)
        return [it for it in candidates if len(view.hosts[it].coordinate.position) == here]

    def _paper_peers(self, candidates: list[str]) -> list[str]:
        paper = self._settings.paper
        alive = set(candidates)

        def rtt(name: str) -> float:
            peer = self._memory.get(name)
            return peer.own.seconds if peer is not None and peer.own is not None else float("inf")

        old = [name for name in self._last_peers if name in alive]
        kept = keep_nearest(old, paper.keep, rtt)
        others = [name for name in candidates if name not in kept]
        drawn = self._rng.sample(others, min(paper.peers - len(kept), len(others)))
        return kept + drawn

    def _springs(self, view: View) -> list[Spring]:
        dimensions = len(self.coordinate.position)
        springs = []
        for name, rtt, weight in self._memory.springs(view.now):
            record = view.hosts.get(name)
            if record is None or len(record.coordinate.position) != dimensions:
                continue
            if self._uses_paper and name not in self._last_peers:
                continue
            springs.append(
                Spring(record.coordinate.position, record.coordinate.height, rtt, weight)
            )
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
