"""What an algorithm of coordinates is: which peers a host probes, and where their RTTs draw it."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple, Protocol

from eyewall_contracts.latency import Coordinate

from eyewall_latency.memory import Memory
from eyewall_latency.registry import RegistryView
from eyewall_latency.relaxation import Spring


class HostState(NamedTuple):
    """What one host knows.

    Parameters
    ----------
    coordinate, error
        Where it is, and how far that is off the known RTTs, as a fraction of them.
    memory
        The RTTs that it knows.
    last_peers
        Whom it probed last.
    view
        The registry.
    """

    coordinate: Coordinate
    error: float
    memory: Memory
    last_peers: Sequence[str]
    view: RegistryView


class Algorithm(Protocol):
    """One algorithm with its settings; the same object may serve many hosts."""

    dimensions: int
    height: bool
    """Of the latency space."""
    probes_per_round: int | None
    """None: as many as the pace says."""

    def choose_peers(
        self, count: int, candidates: Sequence[str], host: HostState, rng: Random
    ) -> list[str]:
        """Return the peers to probe now, `count` unless the algorithm sets the number."""

    def draws(self, peer: str, host: HostState) -> bool:
        """Whether the RTT to a peer draws the host in this round."""

    def move(self, host: HostState, springs: list[Spring], rng: Random) -> Coordinate:
        """Return where the springs draw the host; a coordinate that is not sound resets it."""
