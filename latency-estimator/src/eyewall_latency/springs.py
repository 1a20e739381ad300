"""The shipped algorithm: every remembered RTT draws, old ones less; near peers are kept fresh."""

from collections.abc import Sequence
from random import Random

from eyewall_contracts.latency import Coordinate

from eyewall_latency.algorithm import HostState
from eyewall_latency.coordinate import apply_gravity
from eyewall_latency.leap import leap_to_near_peer
from eyewall_latency.peers import Choosing, next_peers
from eyewall_latency.relaxation import Relaxation, Spring, relax

ENOUGH_SPRINGS = 40
"""How many RTTs to know, or those of half of the hosts, before looking for a better place: early
on, every host is in a wrong one."""


class Springs:
    """Robust logarithmic springs in a space of any dimension, with gravity and leaps."""

    probes_per_round: int | None = None

    def __init__(
        self,
        dimensions: int,
        *,
        height: bool,
        gravity_reach_seconds: float,
        choosing: Choosing,
        relaxation: Relaxation,
    ) -> None:
        self.dimensions = dimensions
        self.height = height
        self._gravity_reach = gravity_reach_seconds
        self._choosing = choosing
        self._relaxation = relaxation

    def choose_peers(
        self, count: int, candidates: Sequence[str], host: HostState, rng: Random
    ) -> list[str]:
        """Return up to `count` peers of the same space."""
        here, hosts = host.coordinate, host.view.hosts
        dimensions = len(here.position)
        comparable = [it for it in candidates if len(hosts[it].position) == dimensions]

        def distance(name: str) -> float:
            return here.distance(hosts[name].coordinate)

        return next_peers(
            count, comparable, host.memory, distance, self._choosing, host.view.now, rng
        )

    def draws(self, peer: str, host: HostState) -> bool:  # noqa: ARG002 - every peer does
        """Whether the RTT to a peer draws the host: all that are remembered do."""
        return True

    def move(self, host: HostState, springs: list[Spring], rng: Random) -> Coordinate:
        """Leap out of a wrong corner, relax, and let gravity act."""
        start = host.coordinate
        if springs and len(springs) >= min(ENOUGH_SPRINGS, (len(host.view.hosts) - 1) / 2):
            start = leap_to_near_peer(start, springs, self._relaxation.error_scale, rng=rng)
        moved = relax(
            start, springs, self._relaxation, error=host.error, height=self.height, rng=rng
        )
        return apply_gravity(moved, self._gravity_reach)
