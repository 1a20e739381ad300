"""The best position of one operator among its neighbours: the Weber point.

Paper 001, section VI, algorithm 2 (single operator placement).

Dead points: where the network usage of an operator has no gradient (paper 001, section VI).
"""

from math import sqrt

import numpy as np
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.compilation import compiled

from eyewall_papers.cost_space.coordinates import distance


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
    the neighbour's position to the last bit, so that coincidence can be detected.
    """
    least = local_usage(anchors, rates, point)
    best = -1
    for link in range(len(rates)):
        usage = local_usage(anchors, rates, anchors[link])
        if usage < least or (best < 0 and usage == least):
            least, best = usage, link
    return point if best < 0 else anchors[best].copy()


MOST_STEPS = 500
"""The paper gives no limit; the threshold ends nearly every descent before."""


@compiled
def weber_point(anchors: Floats, rates: Floats, threshold: float) -> Floats:
    """Return x_ω such that U_local(x_ω) is minimal, by descent along the major flow.

    Where the paper's loop would not end (at a minimum without a gradient no step helps, so δ
    never changes) the descent ends: where the links to the neighbours at this very position hold
    against the pull of all others, or once a step is a billionth of the first.

    Parameters
    ----------
    anchors
        [link, dimension]: positions of the neighbours, at least one.
    rates
        [link]: tuples/s, > 0.
    threshold
        δ_t as a fraction of the usage: a step that gains less is the last.
    """
    point = check_dead_points(anchors, rates, manhattan_weber_point(anchors, rates))
    usage = local_usage(anchors, rates, point)
    step = 0.0
    for link in range(len(rates)):
        step = max(step, distance(anchors[link], point))
    shortest = 1e-9 * step
    flow, trial = np.empty_like(point), np.empty_like(point)
    for _ in range(MOST_STEPS):
        strength, held = _major_flow(anchors, rates, point, flow)
        if step <= shortest or strength <= held:
            break
        for axis in range(len(point)):
            trial[axis] = point[axis] + step * flow[axis] / strength
        gain = usage - local_usage(anchors, rates, trial)
        if gain > 0.0:
            point, trial = trial, point
            usage -= gain
            if gain < threshold * usage:
                break
        else:
            step /= 2.0
    return point


@compiled
def manhattan_weber_point(anchors: Floats, rates: Floats) -> Floats:
    """Return the Weber point in the Manhattan metric: the weighted median on each axis.

    Weber_L1 of algorithm 2, line 1.
    """
    point = np.empty(anchors.shape[1])
    half = 0.0
    for link in range(len(rates)):
        half += rates[link] / 2.0
    for axis in range(len(point)):
        low, high = -np.inf, np.inf
        for link in range(len(rates)):
            value = anchors[link, axis]
            if not low < value < high:
                continue
            below = 0.0
            for other in range(len(rates)):
                if anchors[other, axis] <= value:
                    below += rates[other] / 2.0
            if below >= half / 2.0:
                high = value
            else:
                low = value
        point[axis] = high
    return point


@compiled
def _major_flow(anchors: Floats, rates: Floats, point: Floats, flow: Floats) -> tuple[float, float]:
    """Write Σ r_i · u(x_i − x) into `flow` (algorithm 2, line 5); return its length.

    Neighbours at `point` itself have no direction; the sum of their rates comes second.
    """
    flow[:] = 0.0
    held = 0.0
    for link in range(len(rates)):
        apart = distance(anchors[link], point)
        if apart == 0.0:
            held += rates[link]
            continue
        for axis in range(len(point)):
            flow[axis] += rates[link] / apart * (anchors[link, axis] - point[axis])
    square = 0.0
    for axis in range(len(point)):
        square += flow[axis] * flow[axis]
    return sqrt(square), held
