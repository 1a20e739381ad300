"""Operators in layers of one or two, with nothing between layers that are not next to each other.

A unit of flow f down the paths, from the sources of the first layer on, makes one sum of the
response time: the longest path takes at least the mean of all paths by their share of the flow,

    R  ≥  Σ_{i,j on paths} f_ij · d(x_i, x_j) + Σ_i f_i · work_i(x_i).
"""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.instance import Flags, Instance
from eyewall_sidecar.exact.relations import HOP_BACK, HOP_ON
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled

NONE = -1
WIDEST = 2


class Layers(NamedTuple):
    """A split of the branching order.

    Parameters
    ----------
    starts
        [layer]: its first operator, then the number of operators; empty where there is no split, or
        none that needs a layer of two.
    flow
        [operator]: how much of the flow leads through it.
    edge_flow
        [relation]: how much leads along it.
    """

    starts: Places
    flow: Floats
    edge_flow: Floats


@compiled
def layers_of(instance: Instance) -> Layers:
    """Find the split with the narrowest layers, and the flow through it."""
    operators = len(instance.order)
    firsts, seconds = instance.relations.firsts, instance.relations.seconds
    amounts = instance.relations.amounts
    reach, on_path = np.arange(operators), np.zeros(operators, np.bool_)
    for pair in range(len(firsts)):
        reach[firsts[pair]] = max(reach[firsts[pair]], seconds[pair])
        if amounts[pair, HOP_ON] or amounts[pair, HOP_BACK]:
            # what waits for each other is not side by side
            on_path[firsts[pair]] |= seconds[pair] == firsts[pair] + 1
    width = _widths(reach, on_path, operators)
    starts = np.zeros(operators + 1, np.int64)
    layers, at, size = 0, 0, 0
    if operators:
        size = 1 if width[0, 1] != NONE else 2
    while at < operators and width[at, size] != NONE:
        starts[layers] = at
        layers += 1
        at, size = at + size, width[at, size]
    flow, edge_flow = np.zeros(operators), np.zeros(len(firsts))
    if at < operators or layers in (0, operators):
        return Layers(starts[:0], flow, edge_flow)
    starts[layers] = operators
    _send(instance, starts[1], flow, edge_flow)
    return Layers(starts[: layers + 1], flow, edge_flow)


@compiled
def _widths(reach: Places, joined: Flags, operators: int) -> Places:
    """Return [first operator, width]: the next layer's least width, 0 at the end, or `NONE`.

    Parameters
    ----------
    reach
        [operator]: the last one that it has to do with.
    joined
        [operator]: whether it may not share a layer with the next.
    """
    width = np.full((operators + 1, WIDEST + 1), NONE, np.int64)
    for first in range(operators - 1, -1, -1):
        for size in range(1, WIDEST + 1):
            end = first + size
            if end > operators or (size == WIDEST and joined[first]):
                continue
            farthest = reach[first:end].max()
            if end == operators:
                width[first, size] = 0
                continue
            for onward in range(WIDEST, 0, -1):
                if width[end, onward] != NONE and farthest < end + onward:
                    width[first, size] = onward
    return width


@compiled
def _send(instance: Instance, first_layer: int, flow: Floats, edge_flow: Floats) -> None:
    """Send the flow, split evenly, from the first layer on; none where a path leads back."""
    operators = len(flow)
    if (instance.path_tails > instance.path_heads).any():
        return
    firsts, seconds = instance.relations.firsts, instance.relations.seconds
    leaving = np.zeros(operators)
    for tail in instance.path_tails:
        leaving[tail] += 1
    on_path = np.zeros(operators, np.bool_)
    on_path[instance.flow] = True
    sources = on_path[:first_layer].sum()
    for operator in range(first_layer):
        if on_path[operator]:
            flow[operator] = 1.0 / sources
    for pair in range(len(firsts)):  # by rising first: what it gets has arrived
        tail, head = firsts[pair], seconds[pair]
        if instance.relations.amounts[pair, HOP_ON] and leaving[tail]:
            edge_flow[pair] = flow[tail] / leaving[tail]
            flow[head] += edge_flow[pair]
