"""In which order operators are branched on: hubs first, the rest as data flows.

Once a hub has its node, the operators around it no longer depend on each other; and as long as
data flows along the order, all that an operator waits for is known when its turn comes.
"""

import numpy as np

from eyewall_sidecar.model.arrays import Places
from eyewall_sidecar.model.compilation import compiled

HUB = 5
"""From so many neighbours on an operator is a hub: layers of two, fully connected, have none."""

FEW = 4
"""Hubs go first if at most one operator in so many is one; else the graph has wide layers."""


@compiled
def branching_order(operators: int, flow: Places, firsts: Places, seconds: Places) -> Places:
    """Return [place in the order]: operator.

    Parameters
    ----------
    operators
        How many there are.
    flow
        Operators on paths, in topological order; the others follow them by number.
    firsts, seconds
        [relation]: the operators whose places matter to each other, each pair once.
    """
    neighbours = np.zeros(operators, np.int64)
    for first, second in zip(firsts, seconds):  # noqa: B905 (numba knows no strict)
        neighbours[first] += 1
        neighbours[second] += 1
    on_path = np.zeros(operators, np.bool_)
    on_path[flow] = True
    downstream = np.concatenate((flow, np.flatnonzero(~on_path)))
    is_hub = neighbours[downstream] >= HUB
    if FEW * is_hub.sum() > operators:
        return downstream
    return np.concatenate((downstream[is_hub], downstream[~is_hub]))
