"""What crossings cost each topology, from assignment to assignment and from sidecar to sidecar.

A topology that runs in one worker shows nothing of what crossings would cost it; its assignments
before do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isclose

from eyewall_contracts.crossing_costs import CrossingCostRecord, TopologyCrossingCost

from eyewall_sidecar.stores import KnowledgeStore
from eyewall_sidecar.storm import HALF_RATE, USUAL_COST, CrossingCost, keep_cost

MOST = 500
"""Topologies that are remembered, those learned last."""
SAME = 0.05
"""Costs that differ by less are the same."""
LESSON_THROUGHPUT = 0.95
"""Part of the largest throughput seen at rest from which on another measurement says as much."""


@dataclass(frozen=True, slots=True)
class CrossingLesson:
    """What crossings cost while a topology was at rest.

    Parameters
    ----------
    throughput
        Tuples/s of all executors together at that time.
    cost
        As it is kept.
    """

    throughput: float
    cost: CrossingCost

    @classmethod
    def after(
        cls, before: "CrossingLesson | None", throughput: float, cost: CrossingCost
    ) -> "CrossingLesson":
        """Return the lesson of the two that says more: of a topology that idles one learns little.

        `before` is of the same assignment, `cost` as it was fitted now.
        """
        if before is not None and throughput < LESSON_THROUGHPUT * before.throughput:
            return before
        return cls(throughput, keep_cost(cost))


class CrossingMemory:
    """Remembers costs by topologies' own names; only rounds write it."""

    def __init__(
        self, store: KnowledgeStore[CrossingCostRecord], clock: Callable[[], float]
    ) -> None:
        """Keep them in `store`; `clock` returns seconds since the epoch."""
        self._store = store
        self._clock = clock
        self._is_read = False
        self._known: dict[str, TopologyCrossingCost] = {}

    def read(self) -> bool:
        """Take up what an earlier sidecar learned, once that is known; True if it was just now."""
        if self._is_read or (kept := self._store.read()) is None:
            return False
        self._is_read = True
        meanwhile = self._known
        # Costs of another form of the term mean something else.
        self._known = {
            it.topology: it
            for it in kept.topologies
            if it.half_rate == HALF_RATE and it.topology not in meanwhile
        }
        self._known |= meanwhile
        if meanwhile:
            self._keep()
        return True

    def prior(self, topology: str) -> CrossingCost:
        """Return what the topology's assignments taught; what is usual if they taught nothing."""
        known = self._known.get(topology)
        if known is None:
            return USUAL_COST
        return keep_cost(CrossingCost(known.worker, known.crossing, known.per_tuple))

    def learn(self, topology: str, cost: CrossingCost) -> None:
        """Remember what an assignment teaches, unless it is next to what is known."""
        if all(isclose(*it, rel_tol=SAME) for it in zip(cost, self.prior(topology), strict=True)):
            return
        self._known.pop(topology, None)
        self._known[topology] = TopologyCrossingCost(
            topology, self._clock(), cost.worker, cost.crossing, HALF_RATE, cost.per_tuple
        )
        # What an earlier sidecar kept must not be replaced before it is read.
        if self._is_read:
            self._keep()

    def _keep(self) -> None:
        self._known = dict([*self._known.items()][-MOST:])
        self._store.put(CrossingCostRecord(self._clock(), tuple(self._known.values())))
