"""CPU that a worker uses in no executor, and what of it follows from tuples that cross its border.

Threads for the network, translation, garbage collection and timers run in every worker. What they
use grows with the tuples that enter and leave: these are serialised, sent, received and read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from eyewall_contracts.sample import Sample, WorkerSample

YOUNG_SECONDS = 30.0
"""A younger worker translates its code: what that takes says nothing about the time after it."""
NEWEST = 0.3
"""Weight of the newest report in a smoothed overhead."""
HELD_CORES = 0.01
HELD_PART = 0.15
"""An overhead is held within so many cores, and within such a part of it."""

USUAL_WORKER = 0.03
"""Cores of an idle worker's own threads; a worker of an idle topology took 0.02 to 0.06."""
USUAL_TUPLE = 60e-6
"""CPU-seconds for a tuple that enters or leaves a worker, of some hundred bytes."""
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
    per_tuple
        CPU-seconds for a tuple that enters a worker, and again for one that leaves it.
    """

    worker: float
    per_tuple: float


def fit_crossing_cost(observed: Iterable[tuple[float, float]]) -> CrossingCost:
    """Fit overhead = worker + per_tuple · tuples/s to workers that run.

    Bayesian linear regression with a normal prior at the usual costs, as wide as they are: one
    worker alone divides its overhead between both in proportion to what is usual, and the usual
    costs hold where nothing was measured.

    Parameters
    ----------
    observed
        For each worker its overhead in cores, and the tuples/s that enter and leave it, added up.
    """
    # Both in multiples of what is usual, so that the prior is N(1, 1) for each.
    rows = [(USUAL_WORKER / NOISE, USUAL_TUPLE * it / NOISE, y / NOISE) for y, it in observed]
    aa = 1.0 + sum(a * a for a, _, _ in rows)
    bb = 1.0 + sum(b * b for _, b, _ in rows)
    ab = sum(a * b for a, b, _ in rows)
    ay = 1.0 + sum(a * y for a, _, y in rows)
    by = 1.0 + sum(b * y for _, b, y in rows)
    determinant = aa * bb - ab * ab
    worker = (ay * bb - by * ab) / determinant
    per_tuple = (by * aa - ay * ab) / determinant
    # On the border the other one is what fits best alone.
    if worker < 0:
        worker, per_tuple = 0.0, by / bb
    elif per_tuple < 0:
        worker, per_tuple = ay / aa, 0.0
    return CrossingCost(USUAL_WORKER * max(worker, 0.0), USUAL_TUPLE * max(per_tuple, 0.0))
