"""A lower bound along a path that sees capacity: no node holds a longer run than it has room.

A path visits nodes in runs of neighbouring operators. Within a run nothing is paid for hops, but
each operator takes a place; leaving for another node pays the hop and finds at most all places
there. With f the places left for the run on node u, and s_v the places of an empty node v,

    arriving(j, u, f) = min { there_j(u) + after(j, u, f − 1)                       if f ≥ 1
                            { min_{v ≠ u} hop(u, v) + there_j(v) + after(j, v, s_v − 1)

is at most what any placement pays for the way from a predecessor of j on u, j included: places
that the path used on v before, or that other operators use, are given to it for free. Pinned
operators have their place set aside, so they take none.
"""

from math import inf

import numpy as np

from eyewall_sidecar.exact.instance import Flags
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled


@compiled
def arrive(
    allowed: Flags,
    taken: int,
    there: Floats,
    hops: Floats,
    slots: Places,
    after: Floats,
    arriving: Floats,
) -> None:
    """Write [node before, places left there] `arriving`, the least of staying and of leaving.

    Parameters
    ----------
    allowed
        [node]: whether the operator that is arrived at may be there.
    taken
        How many places it takes.
    there
        [node]: what it costs there.
    hops
        [node, node]: what coming from the first to the second costs.
    slots
        [node]: how many operators it may hold beside the pinned.
    after
        [node, places left]: what follows.
    """
    nodes, levels = after.shape
    leave = np.full(nodes, inf)
    for node in range(nodes):
        room = min(slots[node], levels - 1)
        if allowed[node] and room >= taken:
            entered = there[node] + after[node, room - taken]
            for before in range(nodes):
                if before != node:
                    leave[before] = min(leave[before], hops[before, node] + entered)
    for node in range(nodes):
        for left in range(levels):
            arriving[node, left] = leave[node]
        if allowed[node]:
            for left in range(taken, levels):
                stay = there[node] + after[node, left - taken]
                if stay < leave[node]:
                    arriving[node, left] = stay
