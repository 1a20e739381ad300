"""Steepest descent by groups of operators that leave their node whole: for Storm, workers.

A worker of which some executors stay starts again where it was; one that all leave serves on until
those that it goes to carry tuples. So a group leaves whole, in parts to several nodes, or stays.
"""

from collections.abc import Callable, Sequence

import numpy as np
from eyewall_contracts.objective_terms import Term

from eyewall_sidecar.heuristic.remaining_capacity import RemainingCapacity
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays

LEAST_GAIN = 0.1
"""Part of its value by which the objective has to get better for one more group to leave."""
PASSES = 3
"""Rounds in which each operator of a group may change to a better node."""
MOST_GROUPS, MOST_NODES = 8, 12
"""Groups that are tried in a step, on the fullest nodes, and nodes to which they may go, those with
the most free cores: a step of larger topologies would take longer than a search may."""


class GroupMoves:
    """The descent; `is_late` says whether time is over, and what was found by then counts."""

    def __init__(
        self, arrays: ProblemArrays, term: Term, places: Places, is_late: Callable[[], bool]
    ) -> None:
        """Begin at these places, [operator]: its node; the term is L or THETA."""
        self._arrays, self._load = arrays, LoadArrays.of(arrays)
        self._maximised = term is Term.THETA
        self._is_late = is_late
        self.places = places.copy()
        self.evaluated = 0

    def descend(self, groups: Sequence[Sequence[int]], open_nodes: Sequence[int]) -> Places:
        """Return [operator]: its node, once groups have left as long as that gains enough.

        None leaves twice, and no two go to one node: each part starts a worker there.

        Parameters
        ----------
        groups
            Operators, by their place, that leave together.
        open_nodes
            To which they may go.
        """
        cost = self._cost(self.places)
        waiting, left = [tuple(it) for it in groups], list(open_nodes)
        while waiting and left:
            free = self._free_cores()
            waiting.sort(key=lambda it: min(free[self.places[list(it)]]))
            left.sort(key=lambda it: -free[it])
            tried = [(self._without(it, left[:MOST_NODES]), it) for it in waiting[:MOST_GROUPS]]
            ranked = [(self._cost(it), it, group) for it, group in tried if it is not None]
            best = min(ranked, key=lambda it: it[0], default=None)
            # What was not tried to the end might have been better.
            if best is None or self._is_late() or cost - best[0] < LEAST_GAIN * abs(cost):
                break
            cost, self.places, group = best
            waiting.remove(group)
            left = [it for it in left if it not in self.places[list(group)]]
        return self.places

    def _without(self, group: Sequence[int], nodes: Sequence[int]) -> Places | None:
        """Return the places with a group elsewhere; None if it finds no room, or time is over."""
        room = RemainingCapacity(self._arrays)
        for operator, node in enumerate(self.places.tolist()):
            room.put(operator, node)
        places = self.places.copy()
        here = {int(places[it]) for it in group}
        targets = [it for it in nodes if it not in here]
        for number in range(1 + PASSES):
            before = places.copy()
            for operator in group:
                room.take_back(operator)
                holding = room.holding(operator)
                fitting = [it for it in targets if holding[it]]
                if not fitting or self._is_late():
                    return None
                places[operator] = min(fitting, key=lambda it: self._cost_at(places, operator, it))
                room.put(operator, int(places[operator]))
            if number and (places == before).all():
                break
        return places

    def _free_cores(self) -> Floats:
        """Return [node]: cores that are left, negative where they are not enough."""
        arrays = self._arrays
        used = np.bincount(self.places, arrays.demands, arrays.nodes)
        return np.asarray(arrays.cores - arrays.background - used / arrays.speedups)

    def _cost_at(self, places: Places, operator: int, node: int) -> float:
        moved = places.copy()
        moved[operator] = node
        return self._cost(moved)

    def _cost(self, places: Places) -> float:
        self.evaluated += 1
        found = evaluate_load(self._load, places)
        return -found.sustainable if self._maximised else found.load_response_time
