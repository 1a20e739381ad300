"""Which executors of one supervisor share a worker: those that exchange the most tuples.

A tuple between two workers of one host is serialised, batched and sent through the loopback device;
within a worker it is a reference in a queue (docs/design/load.md).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from eyewall_sidecar.storm.cluster import Executor
from eyewall_sidecar.storm.worker_rules import WorkerRules

Traffic = Mapping[tuple[Executor, Executor], float]
"""(source, target) → tuples/s; a pair that is missing exchanges nothing."""

MOST_EXCHANGED = 64
"""With more executors than this the workers stay as they were filled: exchanging pairs costs the
cube of their number."""


def pack_workers(
    executors: Sequence[Executor], traffic: Traffic, rules: WorkerRules
) -> list[frozenset[Executor]]:
    """Divide executors into few workers, with little traffic between these.

    Graph partitioning in two steps, as usual: workers are filled one after the other, each with the
    executor that exchanges the most with those in it; then pairs change places as long as that
    helps (Kernighan and Lin, 1970). Ties go by the order of the executors. Where some may not share
    a worker, each begins with one that may share it with the fewest.
    """
    between, apart = _undirected(executors, traffic), rules.apart(executors)
    workers: list[list[Executor]] = []
    left = dict.fromkeys(executors)

    def first(executor: Executor) -> tuple[int, float]:
        return apart[executor], sum(it for to, it in between[executor].items() if to in left)

    while left:
        room, worker = rules.room(), list[Executor]()
        joining, pulls = max(left, key=first), defaultdict[Executor, float](float)
        while True:
            worker.append(joining)
            room.add(joining)
            del left[joining]
            for to, rate in between[joining].items():
                pulls[to] += rate
            fitting = [it for it in left if room.fits(it)]
            if not fitting:
                break
            joining = max(fitting, key=lambda it: pulls[it])
        workers.append(worker)
    if len(workers) > 1 and len(executors) <= MOST_EXCHANGED:
        while _exchange(workers, between, rules):
            pass
    return [frozenset(it) for it in workers]


def _undirected(
    executors: Sequence[Executor], traffic: Traffic
) -> dict[Executor, dict[Executor, float]]:
    """Return executor → executor → tuples/s in both directions, for these executors."""
    between: dict[Executor, dict[Executor, float]] = {it: {} for it in executors}
    for (one, other), rate in traffic.items():
        if one in between and other in between:
            between[one][other] = between[one].get(other, 0.0) + rate
            between[other][one] = between[other].get(one, 0.0) + rate
    return between


def _exchange(
    workers: list[list[Executor]],
    between: Mapping[Executor, Mapping[Executor, float]],
    rules: WorkerRules,
) -> bool:
    """Let the first pair change places that lowers the traffic between workers."""

    def pull(executor: Executor, worker: Sequence[Executor]) -> float:
        return sum(between[executor].get(it, 0.0) for it in worker)

    def fits(executor: Executor, worker: Sequence[Executor], instead_of: Executor) -> bool:
        return rules.admits(executor, [it for it in worker if it != instead_of])

    for number, here in enumerate(workers):
        for there in workers[number + 1 :]:
            for at, one in enumerate(here):
                for to, other in enumerate(there):
                    gain = pull(one, there) - pull(one, here) + pull(other, here)
                    gain -= pull(other, there) + 2 * between[one].get(other, 0.0)
                    if gain > 1e-9 and fits(one, there, other) and fits(other, here, one):
                        here[at], there[to] = other, one
                        return True
    return False
