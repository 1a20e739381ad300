"""Dead points: where the network usage of an operator has no gradient (paper 001, section VI)."""

from eyewall_sidecar.model.arrays import Floats
from eyewall_sidecar.model.compilation import compiled

from eyewall_papers.cost_space.distance import distance


@compiled
def local_usage(anchors: Floats, rates: Floats, point: Floats) -> float:
    """Return U_local, the network usage of an operator's links (paper 001, equation 1).

    Parameters
    ----------
    anchors
        [link, dimension]: positions of the neighbours.
    rates
        [link]: tuples/s.
    point
        [dimension]: the position of the operator.
    """
    total = 0.0
    for link in range(len(rates)):
        total += rates[link] * distance(anchors[link], point)
    return total


@compiled
def check_dead_points(anchors: Floats, rates: Floats, point: Floats) -> Floats:
    """Return the best of the neighbours' positions, or `point` if that is better than all.

    CheckDeadPoints of algorithm 2, line 2: "if the network usage at one of the neighbours is lower
    or equal than the one given by the approximation, we use this point as initial position". It is
    the neighbour's position to the last bit, so that coinciding with it can be told.
    """
    least = local_usage(anchors, rates, point)
    best = -1
    for link in range(len(rates)):
        usage = local_usage(anchors, rates, anchors[link])
        if usage < least or (best < 0 and usage == least):
            least, best = usage, link
    return point if best < 0 else anchors[best].copy()
