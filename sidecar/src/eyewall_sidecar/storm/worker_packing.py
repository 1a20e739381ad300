"""Which executors of one supervisor share a worker: those that exchange the most tuples.

A tuple between two workers of one host is serialised, batched and sent through the loopback device;
within a worker it is a reference in a queue (docs/design/load.md).
"""

from collections.abc import Callable, Mapping, Sequence

from eyewall_sidecar.storm.cluster import Executor

Traffic = Mapping[tuple[Executor, Executor], float]
"""(source, target) → tuples/s; a pair that is missing exchanges nothing."""

Admits = Callable[[Executor, Sequence[Executor]], bool]
"""Whether an executor may join these in a worker."""

MOST_EXCHANGED = 64
"""With more executors than this the workers stay as they were filled: exchanging pairs costs the
cube of their number."""


def pack_workers(
    executors: Sequence[Executor], traffic: Traffic, admits: Admits
) -> list[frozenset[Executor]]:
    """Divide executors into few workers, with little traffic between these.

    Graph partitioning in two steps, as usual: workers are filled one after the other, each with the
    executor that exchanges the most with those in it; then pairs change places as long as that
    helps (Kernighan and Lin, 1970). Ties go by the order of the executors. Where some may not share
    a worker, each begins with one that may share it with the fewest.
    """
    between = _undirected(executors, traffic)
    workers: list[list[Executor]] = []
    left = list(executors)

    def first(executor: Executor) -> tuple[int, float]:
        apart = sum(not admits(executor, [it]) for it in left if it != executor)
        return apart, sum(between[executor].get(to, 0.0) for to in left)

    while left:
        worker = [max(left, key=first)]
        left.remove(worker[0])
        while fitting := [it for it in left if admits(it, worker)]:
            nearest = max(fitting, key=lambda it: sum(between[it].get(to, 0.0) for to in worker))
            worker.append(nearest)
            left.remove(nearest)
        workers.append(worker)
    if len(workers) > 1 and len(executors) <= MOST_EXCHANGED:
        while _exchange(workers, between, admits):
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
    admits: Admits,
) -> bool:
    """Let the first pair change places that lowers the traffic between workers."""

    def pull(executor: Executor, worker: Sequence[Executor]) -> float:
        return sum(between[executor].get(it, 0.0) for it in worker)

    def fits(executor: Executor, worker: Sequence[Executor], instead_of: Executor) -> bool:
        return admits(executor, [it for it in worker if it != instead_of])

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
