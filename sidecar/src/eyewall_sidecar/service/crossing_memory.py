"""What crossings cost each topology, from assignment to assignment and from sidecar to sidecar.

A topology that runs in one worker shows nothing of what crossings would cost it; its assignments
before do.
"""

from collections.abc import Callable

from eyewall_contracts.crossing_costs import CrossingCostRecord, TopologyCrossingCost

from eyewall_sidecar.stores import LearnedStore
from eyewall_sidecar.storm import HALF_RATE, USUAL_COST, CrossingCost, keep_cost

MOST = 500
"""Topologies that are remembered, those learned last."""


class CrossingMemory:
    """Remembers costs by topologies' own names; only rounds write it."""

    def __init__(self, store: LearnedStore[CrossingCostRecord], clock: Callable[[], float]) -> None:
        """Keep them in `store`; `clock` returns seconds since the epoch."""
        self._store = store
        self._clock = clock
        self._is_read = False
        self._known: dict[str, TopologyCrossingCost] = {}

    def read(self) -> None:
        """Take up what an earlier sidecar learned, as soon as that is known."""
        if self._is_read or (kept := self._store.read()) is None:
            return
        self._is_read = True
        # Costs of another form of the term mean something else.
        earlier = {it.topology: it for it in kept.topologies if it.half_rate == HALF_RATE}
        self._known = {**earlier, **self._known}

    def prior(self, topology: str) -> CrossingCost:
        """Return what the topology's assignments taught; what is usual if they taught nothing."""
        known = self._known.get(topology)
        if known is None:
            return USUAL_COST
        return keep_cost(CrossingCost(known.worker, known.crossing, known.per_tuple))

    def learn(self, topology: str, cost: CrossingCost) -> None:
        """Remember what an assignment taught that has ended."""
        now = self._clock()
        self._known.pop(topology, None)
        self._known[topology] = TopologyCrossingCost(
            topology, now, cost.worker, cost.crossing, HALF_RATE, cost.per_tuple
        )
        self._known = dict([*self._known.items()][-MOST:])
        self._store.put(CrossingCostRecord(now, tuple(self._known.values())))
