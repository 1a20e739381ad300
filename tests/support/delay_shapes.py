"""Matrices whose geometry is known, in seconds."""

import math
from collections.abc import Callable, Sequence
from random import Random

from eyewall_latency.matrix import RttMatrix

MS = 0.001


def between(count: int, rtt_ms: Callable[[int, int], float]) -> RttMatrix:
    """Return the matrix of a function of two hosts."""
    return RttMatrix(
        tuple(
            tuple(None if i == j else rtt_ms(i, j) * MS for j in range(count)) for i in range(count)
        ),
        holes=0,
    )


def among(points: Sequence[tuple[float, ...]]) -> RttMatrix:
    """Return the distances of points, a unit being a millisecond."""
    return between(len(points), lambda i, j: math.dist(points[i], points[j]))


def line() -> RttMatrix:
    return among([(10.0 * i,) for i in range(30)])


def grid() -> RttMatrix:
    return among([(10.0 * i, 10.0 * j) for i in range(6) for j in range(6)])


def two_lans(near_ms: float = 0.5, far_ms: float = 40.0) -> RttMatrix:
    return between(20, lambda i, j: near_ms if i % 2 == j % 2 else far_ms)


def drawn_in_a_cube(seed: int) -> RttMatrix:
    rng = Random(seed)
    return among([tuple(rng.uniform(0, 100) for _ in range(3)) for _ in range(40)])


def at_random(seed: int) -> RttMatrix:
    """Return RTTs that fit no space: each drawn by itself."""
    rng = Random(seed)
    drawn = {(i, j): rng.uniform(10, 100) for i in range(25) for j in range(i + 1, 25)}
    return between(25, lambda i, j: drawn[min(i, j), max(i, j)])
