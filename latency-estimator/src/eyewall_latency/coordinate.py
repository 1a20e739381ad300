"""A coordinate's start, and the gravity that keeps all of them from drifting."""

import math
from random import Random

from eyewall_contracts.latency import Coordinate

BIRTHPLACE = 0.010
"""Seconds: how far from the origin hosts begin, so that no two begin in one place."""


def first_coordinate(dimensions: int, *, height: bool, rng: Random) -> Coordinate:
    """Return a random place near the origin (paper 002, section 3.4: randomized at first)."""
    position = tuple(rng.gauss(0.0, BIRTHPLACE) for _ in range(dimensions))
    return Coordinate(position, BIRTHPLACE / 10 if height else 0.0)


def apply_gravity(coordinate: Coordinate, reach: float) -> Coordinate:
    """Return the coordinate after a round's gravity: next to nothing near, strong far away.

    Springs know distances alone, so the whole set of hosts may wander off; each is drawn to the
    origin by (distance / reach)² of its distance, half of it at most.
    """
    distance = math.hypot(*coordinate.position)
    kept = 1.0 - min(0.5, (distance / reach) ** 2)
    return Coordinate(tuple(axis * kept for axis in coordinate.position), coordinate.height)
