"""The least network usage of an operator tree on nodes without limits, exactly.

MOPopt of paper 001, section VIII, where it is an exhaustive search. Without capacities, what is
below an operator depends on the rest by that operator's node alone: the best of each subtree for
each node of its root, from the leaves on. (The exact engine behind `odp` gives the same; it is
slower, as it does not take trees for what they are.)
"""

import numpy as np
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.model.links import Matrix


@compiled
def least_usage(parents: Places, rates: Floats, pins: Places, delays: Matrix) -> float:
    """Return Σ λ · d of the best placement.

    Parameters
    ----------
    parents
        [stream]: to which operator operators 1, 2, … send, one of a smaller number.
    rates
        [stream].
    pins
        [operator]: the place of its node, or −1; the root, operator 0, must have one.
    delays
        [node, node]: seconds from the first to the second.
    """
    nodes = len(delays)
    below = np.zeros((len(pins), nodes))
    for operator in range(len(pins) - 1, 0, -1):
        parent, rate = parents[operator - 1], rates[operator - 1]
        first, last = 0, nodes
        if pins[operator] >= 0:
            first, last = pins[operator], pins[operator] + 1
        onto, onto_last = 0, nodes
        if pins[parent] >= 0:
            onto, onto_last = pins[parent], pins[parent] + 1
        for to in range(onto, onto_last):
            least = np.inf
            for at in range(first, last):
                least = min(least, below[operator, at] + rate * delays[at, to])
            below[parent, to] += least
    return float(below[0, pins[0]])
