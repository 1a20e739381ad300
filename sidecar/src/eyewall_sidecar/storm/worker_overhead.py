"""CPU that a worker uses in no executor, and what of it follows from tuples that cross its border.

Threads for the network, translation, garbage collection and timers run in every worker. Tuples that
enter or leave wake them, the more often the more there are, until they hardly sleep any more.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from eyewall_contracts.sample import Sample, WorkerSample

YOUNG_SECONDS = 30.0
"""A younger worker translates its code: what that takes says nothing about the time after it."""
NEWEST = 0.3
"""Weight of the newest report in a smoothed overhead."""
HELD_CORES = 0.01
HELD_PART = 0.15
"""An overhead is held within so many cores, and within such a part of it."""

NOISE = 0.01
"""Standard deviation of a measured overhead, in cores: reports count ticks of 10 ms over 5 s."""

WorkerAddress = tuple[str, int]
"""Host and port."""


@dataclass(frozen=True, slots=True)
class WorkerOverhead:
    """One worker's overhead in cores: smoothed over its reports, and as problems are built from it.

    `worker` is Storm's id of the process.
    """

    worker: str
    smoothed: float
    held: float


Overheads = Mapping[tuple[str, int], WorkerOverhead]
"""(Storm's id of the topology, port on one host) → the worker's overhead."""


def update_overheads(before: Overheads, sample: Sample) -> dict[tuple[str, int], WorkerOverhead]:
    """Add a host's next report; a worker that is not in it any more is forgotten."""
    found: dict[tuple[str, int], WorkerOverhead] = {}
    for worker in sample.workers:
        key = worker.topology, worker.port
        known = before.get(key)
        if known is not None and known.worker != worker.id:
            known = None
        cores = _overhead(worker, sample)
        if cores is None:
            if known is not None:
                found[key] = known
            continue
        smoothed = cores if known is None else known.smoothed + NEWEST * (cores - known.smoothed)
        held = smoothed
        if known is not None and _is_held(known.held, smoothed):
            held = known.held
        found[key] = WorkerOverhead(worker.id, smoothed, held)
    return found


def _overhead(worker: WorkerSample, sample: Sample) -> float | None:
    """Return cores; None where the CPU of its threads is unknown, and while it is young."""
    is_young = sample.time - sample.seconds < worker.started + YOUNG_SECONDS
    if worker.cpu is None or not worker.threads or sample.seconds <= 0 or is_young:
        return None
    return max(0.0, worker.cpu - sum(it.cpu for it in worker.threads)) / sample.seconds


def _is_held(held: float, now: float) -> bool:
    return abs(now - held) <= max(HELD_CORES, HELD_PART * held)


class CrossingCost(NamedTuple):
    """What workers and the tuples between them cost.

    Parameters
    ----------
    worker
        Cores of a worker, whatever flows.
    crossing
        Cores that it uses in addition once tuples cross its border all the time: each wakes
        threads that otherwise sleep for a millisecond, until they hardly sleep any more.
    per_tuple
        CPU-seconds for a tuple that enters a worker, and again for one that leaves it.
    """

    worker: float
    crossing: float
    per_tuple: float


USUAL_COST = CrossingCost(worker=0.015, crossing=0.08, per_tuple=5e-6)
"""Measured with tuples of some hundred bytes (docs/design/load.md, "What crossings cost")."""
USUAL_DEVIATIONS = CrossingCost(worker=0.015, crossing=0.08, per_tuple=20e-6)
"""Standard deviations of the usual costs: large tuples take longer than small ones."""
FARTHEST_FACTOR = 4.0
"""Between a usual cost and one that is kept for the next assignment: what a collection of garbage
took must not be taken for a cost for good."""
HALF_RATE = 500.0
"""Bursts/s across a worker's border that make it use half of `CrossingCost.crossing`."""


class ObservedWorker(NamedTuple):
    """A worker's overhead in cores, and the tuples/s and bursts/s that enter and leave it."""

    overhead: float
    tuples: float
    bursts: float


def fit_crossing_cost(
    observed: Iterable[ObservedWorker], prior: CrossingCost = USUAL_COST
) -> CrossingCost:
    """Fit costs to workers that run.

    overhead = worker + crossing · bursts / (bursts + `HALF_RATE`) + per_tuple · tuples. Bayesian
    linear regression with a normal prior at `prior`, as wide as the usual costs vary: what
    the workers say nothing of stays as it was, and one worker alone divides its overhead between
    the costs by how much each varies. Where costs would be negative, those that fit best without.
    """
    # In multiples of `USUAL_DEVIATIONS`, so that each prior has a standard deviation of 1.
    count = len(USUAL_COST)
    precision, weighted = np.eye(count), np.divide(prior, USUAL_DEVIATIONS)
    for overhead, tuples, bursts in observed:
        row = np.array(USUAL_DEVIATIONS) * (1.0, bursts / (bursts + HALF_RATE), tuples) / NOISE
        precision += np.outer(row, row)
        weighted += row * overhead / NOISE
    best, least = np.zeros(count), 0.0
    for size in range(1, count + 1):
        for left in map(list, combinations(range(count), size)):
            fitted = np.linalg.solve(precision[np.ix_(left, left)], weighted[left])
            # −½ bᵀx is what ½ xᵀAx − bᵀx is at its least.
            value = -0.5 * float(weighted[left] @ fitted)
            if fitted.min() >= 0.0 and value < least:
                best, least = np.zeros(count), value
                best[left] = fitted
    return CrossingCost(*(best * USUAL_DEVIATIONS).tolist())


def keep_cost(cost: CrossingCost) -> CrossingCost:
    """Return what of a fit the next assignment begins with."""
    return CrossingCost(
        *(
            min(max(it, usual / FARTHEST_FACTOR), usual * FARTHEST_FACTOR)
            for it, usual in zip(cost, USUAL_COST, strict=True)
        )
    )
