"""Out of a wrong corner: a host far from a peer that is near by RTT tries a place next to it.

Springs alone leave hosts of one site at two places of the space, as far from a third as they should
be: none of them is drawn to the others strongly enough to cross. What decides is how well all RTTs
are met, here and there.
"""

from math import dist, log
from random import Random

from eyewall_contracts.latency import Coordinate

from eyewall_latency.relaxation import SHORTEST_DISTANCE, SHORTEST_RTT, SOFTEST, Spring

FAR = 3.0
"""Times the nearest RTT (or that of the softest spring) away, a near peer is far."""


def leap_to_near_peer(
    here: Coordinate, springs: list[Spring], scale: float, *, rng: Random
) -> Coordinate:
    """Return a place next to one of the nearest, if that is far and suits all springs better."""
    near = max(SOFTEST, min(spring.rtt for spring in springs))
    nearest = rng.choice([spring for spring in springs if spring.rtt <= near])
    if here.distance(Coordinate(nearest.position, nearest.height)) <= FAR * near:
        return here
    away = max(0.0, nearest.rtt - nearest.height) / len(here.position) ** 0.5
    there = Coordinate(tuple(axis + rng.gauss(0.0, away) for axis in nearest.position), 0.0)
    return there if _misfit(there, springs, scale) < _misfit(here, springs, scale) else here


def _misfit(place: Coordinate, springs: list[Spring], scale: float) -> float:
    """Return the energy of the springs: Cauchy's, of logarithmic errors."""
    energy = 0.0
    for spring in springs:
        distance = dist(place.position, spring.position) + place.height + spring.height
        error = log(max(distance, SHORTEST_DISTANCE) / max(spring.rtt, SHORTEST_RTT)) / scale
        energy += spring.weight * log(1.0 + error * error)
    return energy
