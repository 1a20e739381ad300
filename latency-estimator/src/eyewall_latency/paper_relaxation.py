"""Paper 002's own algorithm, section 3.4: its relaxation (algorithms 1 and 2) and its peers.

It forgets: only the peers that this round has measured draw the host.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist, hypot, inf, log
from random import Random

from eyewall_contracts.latency import Coordinate

from eyewall_latency.algorithm import HostState
from eyewall_latency.peers import keep_nearest
from eyewall_latency.relaxation import SHORTEST_RTT, Spring
from eyewall_latency.setting import number, whole_number


@dataclass(frozen=True, slots=True)
class PaperRelaxation:
    """Its constants; the paper gives names, not values (but for the 100 iterations).

    Parameters
    ----------
    k_ms
        The spring constant: milliseconds moved by a force of 1, for the mean of the peers.
    max_iterations
        Of the relaxation in one round.
    least_movement_ms
        ε_min: a round ends once the movement ‖m‖ (line 13) is no longer.
    """

    k_ms: float = number(10.0, 0.001, 1_000.0)
    max_iterations: int = whole_number(100, 1, 100)
    least_movement_ms: float = number(0.01, 0.0, 1_000.0)


@dataclass(frozen=True, slots=True)
class Paper(PaperRelaxation):
    """The constants of the relaxation, and of the choice of peers.

    Parameters
    ----------
    peers
        n: probed in each round.
    keep
        i: the nearest of them stay for the next round; the others are drawn again.
    """

    peers: int = whole_number(10, 1, 1_000)
    keep: int = whole_number(3, 0, 1_000)


class PaperAlgorithm:
    """Three dimensions, no height, no memory."""

    dimensions = 3
    height = False

    def __init__(self, settings: Paper) -> None:
        self.probes_per_round: int | None = settings.peers
        self._settings = settings

    def choose_peers(
        self,
        count: int,  # noqa: ARG002 - it has its own number
        candidates: Sequence[str],
        host: HostState,
        rng: Random,
    ) -> list[str]:
        """Keep the i nearest of the last round's peers, and draw the others."""

        def rtt(name: str) -> float:
            peer = host.memory.get(name)
            return peer.own.seconds if peer is not None and peer.own is not None else inf

        alive = set(candidates)
        old = [name for name in host.last_peers if name in alive]
        kept = keep_nearest(old, self._settings.keep, rtt)
        others = [name for name in candidates if name not in kept]
        drawn = rng.sample(others, min(self._settings.peers - len(kept), len(others)))
        return kept + drawn

    def draws(self, peer: str, host: HostState) -> bool:
        """Whether a peer was probed in this round: the others are forgotten."""
        return peer in host.last_peers

    def move(self, host: HostState, springs: list[Spring], rng: Random) -> Coordinate:
        """Relax by algorithm 1."""
        return relax_by_paper(host.coordinate, springs, self._settings, rng=rng)


def relax_by_paper(
    start: Coordinate, springs: list[Spring], settings: PaperRelaxation, *, rng: Random
) -> Coordinate:
    """Algorithm 1, lines 5 to 16: move by the forces until they move no more."""
    if not springs:
        return start
    k = settings.k_ms / 1000.0 / len(springs)
    here = start.position
    for _ in range(settings.max_iterations):
        movement = [0.0] * len(here)
        for spring in springs:
            for axis, part in enumerate(_force(here, spring, k, rng)):
                movement[axis] += part
        here = tuple(a + b for a, b in zip(here, movement, strict=True))
        if hypot(*movement) <= settings.least_movement_ms / 1000.0:
            break
    return Coordinate(here, start.height)


def _force(here: tuple[float, ...], spring: Spring, k: float, rng: Random) -> tuple[float, ...]:
    """Algorithm 2: k · log(‖d‖ / ping), along d, the way from here to the peer."""
    apart = dist(here, spring.position)
    if apart < SHORTEST_RTT:
        return tuple(rng.gauss(0.0, k) for _ in here)
    strength = k * log(apart / max(spring.rtt, SHORTEST_RTT)) / apart
    return tuple(strength * (b - a) for a, b in zip(here, spring.position, strict=True))
