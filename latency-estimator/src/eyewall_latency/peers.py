"""The choice of peers to probe.

Paper 002, section 3.4: of n random peers the i nearest are kept and j are drawn again. Here nothing
is forgotten between rounds, so keeping the nearest means to keep what is known of them fresh, and
drawing again means to draw hosts that neither end has measured yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from random import Random

from eyewall_latency.memory import NEVER, Memory
from eyewall_latency.setting import number, whole_number


@dataclass(frozen=True, slots=True)
class Choosing:
    """How peers are chosen.

    Parameters
    ----------
    mesh_hosts
        Up to so many hosts every one probes every other in turn.
    explore
        Among more hosts: how many to know, measured by either end, before looking for the nearest.
    keep
        Among more hosts: how many of the nearest are kept measured (paper 002: i).
    keep_fresh_seconds
        How old the RTT of one of these may become before it is probed again.
    """

    mesh_hosts: int = whole_number(100, 2, 10_000)
    explore: int = whole_number(40, 1, 10_000)
    keep: int = whole_number(10, 0, 1_000)
    keep_fresh_seconds: float = number(100.0, 1.0, 1e6)


def next_peers(
    count: int,
    candidates: Sequence[str],
    memory: Memory,
    distance: Callable[[str], float],
    settings: Choosing,
    now: float,
    rng: Random,
) -> list[str]:
    """Return up to `count` different candidates; `distance` is a host's estimated RTT."""
    count = min(count, len(candidates))
    if len(candidates) < settings.mesh_hosts:
        return _next_in_turn(count, candidates, memory, rng)
    chosen: list[str] = []
    for _ in range(count):
        free = [name for name in candidates if name not in chosen] if chosen else candidates
        near = None
        if settings.keep and len(memory) >= settings.explore and rng.random() < 0.5:
            near = _near_and_stale(free, memory, distance, settings, now)
        chosen.append(near or _draw_new(free, memory, rng))
    return chosen


def _next_in_turn(count: int, candidates: Sequence[str], memory: Memory, rng: Random) -> list[str]:
    """Return first those that neither end has measured, then those not tried for longest."""

    def rank(name: str) -> tuple[bool, float, float]:
        peer = memory.get(name)
        if peer is None:
            return False, NEVER, rng.random()
        return max(peer.latest, peer.tried_at) > NEVER, peer.tried_at, rng.random()

    return nsmallest(count, candidates, key=rank)


def _near_and_stale(
    candidates: Sequence[str],
    memory: Memory,
    distance: Callable[[str], float],
    settings: Choosing,
    now: float,
) -> str | None:
    """Return which of the nearest was measured longest ago, unless all of them were lately."""

    def known_rtt(name: str) -> float:
        peer = memory.get(name)
        return peer.own.seconds if peer is not None and peer.own is not None else distance(name)

    def last_contact(name: str) -> float:
        peer = memory.get(name)
        return NEVER if peer is None else max(peer.latest, peer.tried_at)

    nearest = nsmallest(settings.keep, candidates, key=known_rtt)
    stalest = min(nearest, key=last_contact)
    return stalest if last_contact(stalest) < now - settings.keep_fresh_seconds else None


def _draw_new(candidates: Sequence[str], memory: Memory, rng: Random) -> str:
    """Return a random one that neither end has measured or tried; the one longest ago if none."""
    for _ in range(8):  # as a rule most are new, and one draw does
        name = candidates[int(rng.random() * len(candidates))]
        if memory.get(name) is None:
            return name
    fresh = [name for name in candidates if memory.get(name) is None]
    if fresh:
        return fresh[int(rng.random() * len(fresh))]
    return min(candidates, key=lambda name: (memory[name].tried_at, rng.random()))


def keep_nearest(peers: Sequence[str], keep: int, rtt: Callable[[str], float]) -> list[str]:
    """Return the i nearest of the last round's peers (paper 002, section 3.4)."""
    return nsmallest(keep, peers, key=rtt)
