"""Virtual nodes to begin with: outward from the operators whose position is known."""

from collections import deque
from itertools import chain

import numpy as np
from eyewall_sidecar.heuristic.room import NOWHERE
from eyewall_sidecar.model.arrays import Floats, Places
from numpy.typing import NDArray

from eyewall_papers.cost_space.nearest_node import Sites
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.cost_space.weber_point import weber_point

THRESHOLD = 1e-6


def first_positions(graph: OperatorGraph, sites: Sites, places: Places) -> Floats:
    """Return [operator, dimension]: a virtual node for each operator.

    An operator on a node begins there. The others follow outward from those, each at the Weber
    point of the neighbours that were before it; where none is, the first of them begins amid the
    nodes that may hold it. (Paper 001 does not say where an initial placement begins.)

    Parameters
    ----------
    places
        [operator]: the place of its node, or NOWHERE; pinned operators are on theirs.
    """
    known = places != NOWHERE
    positions = np.zeros((graph.operators, sites.coordinates.shape[1]))
    positions[known] = sites.coordinates[places[known]]
    reached = known.copy()
    waiting = deque(np.flatnonzero(known).tolist())
    for seed in chain((None,), np.flatnonzero(~known).tolist()):
        if seed is not None and not reached[seed]:
            positions[seed] = np.median(sites.coordinates[sites.allowed[seed]], axis=0)
            reached[seed] = True
            waiting.append(seed)
        while waiting:
            for operator in graph.neighbours(waiting.popleft()).tolist():
                if not reached[operator]:
                    positions[operator] = _amid(graph, positions, reached, operator)
                    reached[operator] = True
                    waiting.append(operator)
    return positions


def _amid(
    graph: OperatorGraph, positions: Floats, reached: NDArray[np.bool_], operator: int
) -> Floats:
    neighbours = graph.neighbours(operator)
    there = reached[neighbours]
    return weber_point(positions[neighbours[there]], graph.rates_of(operator)[there], THRESHOLD)
