"""Sending units from classes to nodes with room: at the least sum, or with the least longest way.

Both augment along shortest paths, class after class (Ahuja, Magnanti and Orlin, "Network flows",
1993, section 9.7); for the longest way a path is as long as its longest part. What can be exchanged
for each other is one class, so that one step may send many units.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import subroutine

NONE = -1


class Transport(NamedTuple):
    """What augmenting writes on.

    Parameters
    ----------
    left
        [node]: units that it still takes.
    class_duals, node_duals, length
        [class] and [node].
    came_from, reached
        [node]: the class before it on the shortest path; whether the path there is final.
    entered_by
        [class]: the node before it on the shortest path.
    waiting
        [class]: what the classes from here on cost at least.
    """

    left: Indices
    class_duals: Floats
    node_duals: Floats
    length: Floats
    came_from: Indices
    reached: Flags
    entered_by: Indices
    waiting: Floats


def empty_transport(classes: int, nodes: int) -> Transport:
    """Return arrays for so many classes and nodes."""
    return Transport(
        left=np.zeros(nodes, dtype=np.int64),
        class_duals=np.zeros(classes),
        node_duals=np.zeros(nodes),
        length=np.zeros(nodes),
        came_from=np.zeros(nodes, dtype=np.int64),
        reached=np.zeros(nodes, dtype=np.bool_),
        entered_by=np.zeros(classes, dtype=np.int64),
        waiting=np.zeros(classes + 1),
    )


@subroutine
def least_sum(
    on: Transport, costs: Floats, supplies: Indices, room: Indices, most: float, flow: Indices
) -> float:
    """Return the least Σ costs · flow of sending all supplies; infinite if it is not below `most`.

    Parameters
    ----------
    costs
        [class, node]: of one unit, ≥ 0; infinite where it may not go.
    supplies
        [class]: units to send.
    room
        [node]: units that it takes.
    most
        The search ends as soon as the sum is known to be at least this.
    flow
        [class, node]: where the units went, written here.
    """
    classes, nodes = len(supplies), len(room)
    _begin(on, room, flow)
    for row in range(classes):
        on.class_duals[row] = 0.0
    on.waiting[classes] = 0.0
    for row in range(classes - 1, -1, -1):
        least = inf
        for node in range(nodes):
            least = min(least, costs[row, node])
        on.waiting[row] = on.waiting[row + 1] + (supplies[row] * least if supplies[row] else 0.0)
    spent = 0.0
    for first in range(classes):
        need = supplies[first]
        while need > 0:
            end = _shortest_path(on, costs, flow, first)
            if end == nodes:
                return inf
            low = on.length[end]
            on.class_duals[first] += low
            for row in range(classes):
                if on.entered_by[row] != NONE:
                    on.class_duals[row] += low - on.length[on.entered_by[row]]
            for node in range(nodes):
                if on.reached[node]:
                    on.node_duals[node] -= low - on.length[node]
            sent = _send(on, first, end, need, flow)
            need -= sent
            spent += sent * on.class_duals[first]
            if spent + need * on.class_duals[first] + on.waiting[first + 1] >= most:
                return inf
    total = 0.0
    for row in range(classes):
        for node in range(nodes):
            if flow[row, node] > 0:
                total += flow[row, node] * costs[row, node]
    return total if total < most else inf


@subroutine
def least_longest(
    on: Transport,
    lengths: Floats,
    supplies: Indices,
    room: Indices,
    least: float,
    most: float,
    flow: Indices,
) -> float:
    """Return the least longest way of sending all supplies; infinite if it is not below `most`.

    Parameters
    ----------
    lengths
        [class, node]: infinite where it may not go.
    supplies, room, flow
        As for `least_sum`.
    least
        What is returned at least; shorter ways are as good as this.
    """
    nodes, longest = len(room), least
    _begin(on, room, flow)
    for first in range(len(supplies)):
        need = supplies[first]
        while need > 0:
            end = _shortest_bottleneck(on, lengths, flow, first)
            if end == nodes:
                return inf
            for node in range(nodes):
                if on.reached[node]:
                    if on.length[node] >= most:
                        return inf
                    longest = max(longest, on.length[node])
            need -= _send(on, first, end, need, flow)
    return longest


@subroutine
def _begin(on: Transport, room: Indices, flow: Indices) -> None:
    for node in range(len(room)):
        on.left[node] = room[node]
        on.node_duals[node] = 0.0
        for row in range(len(flow)):
            flow[row, node] = 0


@subroutine
def _shortest_path(on: Transport, costs: Floats, flow: Indices, first: int) -> int:
    """Return the nearest node with room left, the number of nodes if there is none."""
    nodes = len(on.left)
    _leave(on)
    _extend(on, costs, first, -on.class_duals[first])
    while True:
        end = _nearest(on)
        if end == nodes or on.left[end] > 0:
            return end
        for row in range(len(flow)):
            if flow[row, end] > 0 and row != first and on.entered_by[row] == NONE:
                on.entered_by[row] = end
                _extend(on, costs, row, on.length[end] - on.class_duals[row])


@subroutine
def _shortest_bottleneck(on: Transport, lengths: Floats, flow: Indices, first: int) -> int:
    """Do the same where a path is as long as its longest part."""
    nodes = len(on.left)
    _leave(on)
    _extend(on, lengths, first, 0.0)
    while True:
        end = _nearest(on)
        if end == nodes or on.left[end] > 0:
            return end
        for row in range(len(flow)):
            if flow[row, end] > 0 and row != first and on.entered_by[row] == NONE:
                on.entered_by[row] = end
                _extend(on, lengths, row, 0.0)


@subroutine
def _leave(on: Transport) -> None:
    """Forget all paths."""
    for node in range(len(on.left)):
        on.length[node] = inf
        on.reached[node] = False
    for row in range(len(on.entered_by)):
        on.entered_by[row] = NONE


@subroutine
def _extend(on: Transport, costs: Floats, row: int, start: float) -> None:
    """Go on from a class to every node that is nearer this way."""
    for node in range(len(on.left)):
        way = start + costs[row, node] - on.node_duals[node]
        if not on.reached[node] and way < on.length[node]:
            on.length[node] = way
            on.came_from[node] = row


@subroutine
def _nearest(on: Transport) -> int:
    """Return the nearest node that was not reached before, and note that it is now."""
    nearest, least = len(on.left), inf
    for node in range(len(on.left)):
        if not on.reached[node] and on.length[node] < least:
            nearest, least = node, on.length[node]
    if least < inf:
        on.reached[nearest] = True
    return nearest


@subroutine
def _send(on: Transport, first: int, end: int, need: int, flow: Indices) -> int:
    """Send as many units as go along the path that was found, and return how many."""
    amount = int(min(need, on.left[end]))
    row = on.came_from[end]
    while row != first:
        node = on.entered_by[row]
        amount = min(amount, int(flow[row, node]))
        row = on.came_from[node]
    on.left[end] -= amount
    row = on.came_from[end]
    flow[row, end] += amount
    while row != first:
        node = on.entered_by[row]
        flow[row, node] -= amount
        row = on.came_from[node]
        flow[row, node] += amount
    return amount
