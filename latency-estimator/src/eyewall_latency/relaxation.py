"""The shipped relaxation: robust logarithmic springs to every host whose RTT is remembered.

Paper 002's force is k·log(‖d‖/ping) (section 3.4, algorithm 2). Three things are changed.

- A spring whose error e = log(distance/RTT) is large says that the RTT fits no space (a sixteenth
  of triples on the Internet violate the triangle inequality), not that the host is misplaced: it
  counts by the Cauchy weight 1/(1 + (e/σ)²).
- In place of a constant k each step goes where the weighted springs balance. Near balance the
  logarithm is its tangent, (distance - RTT)/RTT; that is exact enough there, and bounded elsewhere.
- The result is overshot (successive over-relaxation): hosts take turns, and each that waits for the
  others to follow would have them all arrive late.
"""

from dataclasses import dataclass
from math import dist, log
from operator import mul
from random import Random
from typing import NamedTuple

from eyewall_contracts.latency import Coordinate

from eyewall_latency.setting import number, whole_number

SHORTEST_RTT = 1e-5
"""Seconds: a shorter RTT is read as this, so that its logarithm exists."""
SHORTEST_DISTANCE = 1e-8
SOFTEST = 0.005
"""Seconds: shorter springs are no stiffer than this one. A site's hosts, held together by springs a
hundred times stiffer than those to other sites, could move neither apart nor together."""
STEP = 1.8
"""Of the way to balance in one iteration; up to 2 converges, and near 2 fastest."""
HEIGHT_STEP = 0.9
FEWEST_ITERATIONS = 4


class Spring(NamedTuple):
    """A remembered RTT to a host whose coordinate is known."""

    position: tuple[float, ...]
    height: float
    rtt: float
    weight: float


@dataclass(frozen=True, slots=True)
class Relaxation:
    """How a host moves among its springs.

    Parameters
    ----------
    max_iterations
        Steps in one round, at most (paper 002: k).
    work_per_round
        Springs times steps in one round, at most: what bounds the cost where hosts are many.
    least_movement_ms
        A shorter step is the last one (paper 002: ε_min).
    error_scale
        σ: from which logarithmic error on a spring begins to count as an outlier.
    doubt
        Times the host's own error estimate, σ is at least: a host that is lost calls no RTT an
        outlier.
    overshoot
        What the way to the balance is multiplied by.
    """

    max_iterations: int = whole_number(30, 1, 100)
    work_per_round: int = whole_number(1_200, 10, 1_000_000)
    least_movement_ms: float = number(0.01, 0.0, 1_000.0)
    error_scale: float = number(0.15, 0.01, 10.0)
    doubt: float = number(1.0, 0.0, 100.0)
    overshoot: float = number(1.5, 1.0, 1.9)


def relax(
    start: Coordinate,
    springs: list[Spring],
    settings: Relaxation,
    *,
    error: float,
    height: bool,
    rng: Random,
) -> Coordinate:
    """Return where the springs draw a host, the others staying where they are."""
    if not springs:
        return start
    affordable = max(FEWEST_ITERATIONS, settings.work_per_round // len(springs))
    columns = list(zip(*(spring.position for spring in springs), strict=True))
    least = settings.least_movement_ms / 1000.0
    scale = max(settings.error_scale, settings.doubt * error)
    here = start
    for _ in range(min(settings.max_iterations, affordable)):
        there = _step(here, springs, columns, scale, rng)
        if not height:
            there = Coordinate(there.position, 0.0)
        moved = dist(here.position, there.position) + abs(here.height - there.height)
        here = there
        if not moved > least:
            break
    far = settings.overshoot
    return Coordinate(
        tuple(a + far * (b - a) for a, b in zip(start.position, here.position, strict=True)),
        max(0.0, start.height + far * (here.height - start.height)),
    )


def _step(
    here: Coordinate,
    springs: list[Spring],
    columns: list[tuple[float, ...]],
    scale: float,
    rng: Random,
) -> Coordinate:
    """Go STEP of the way to where the springs, as they are weighted here, balance."""
    position, height = here.position, here.height
    total = lift = drawn = 0.0
    pulls = []
    for there, their_height, rtt, weight in springs:
        apart = dist(position, there)
        distance = apart + height + their_height or SHORTEST_DISTANCE
        wanted = rtt if rtt > SHORTEST_RTT else SHORTEST_RTT
        error = log(distance / wanted) / scale
        longer = distance if distance > wanted else wanted
        if longer < SOFTEST:
            longer = SOFTEST
        stiffness = weight / ((1.0 + error * error) * longer * longer)
        force = stiffness * (distance - wanted)
        total += stiffness
        lift -= force
        pull = force / apart if apart > SHORTEST_DISTANCE else 0.0
        drawn += pull
        pulls.append(pull)
    if not total:
        return here
    step = STEP / total
    moved = tuple(
        axis + step * (sum(map(mul, pulls, column)) - axis * drawn)
        for axis, column in zip(position, columns, strict=True)
    )
    if not drawn and lift:  # on top of every other host: any direction is as good
        moved = tuple(axis + rng.gauss(0.0, abs(lift) / total) for axis in position)
    return Coordinate(moved, max(0.0, height + HEIGHT_STEP * lift / total))
