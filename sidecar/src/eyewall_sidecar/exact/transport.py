"""Sending units from classes to nodes with room: at the least sum, or with the least longest way.

Both augment along shortest paths, class after class (Ahuja, Magnanti and Orlin, "Network flows",
1993, section 9.7); for the longest way a path is as long as its longest part. What can be exchanged
for each other is one class, so that one step may send many units.
"""

from math import inf

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled

NOBODY = -1
Reached = NDArray[np.bool_]


@compiled
def least_sum(costs: Floats, supplies: Places, room: Places, most: float, flow: Places) -> float:
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
        The search ends as soon as the sum is known to come to this at least.
    flow
        [class, node]: where the units went, written here.
    """
    classes, nodes = costs.shape
    flow[:] = 0
    left = room.copy()
    row_duals, node_duals = np.zeros(classes), np.zeros(nodes)
    length, came_from = np.empty(nodes), np.empty(nodes, np.int64)
    entered_by, reached = np.empty(classes, np.int64), np.empty(nodes, np.bool_)
    waiting = np.zeros(classes + 1)
    for row in range(classes - 1, -1, -1):
        least = supplies[row] * costs[row].min() if supplies[row] > 0 else 0.0
        waiting[row] = waiting[row + 1] + least
    spent = 0.0
    for first in range(classes):
        need = supplies[first]
        while need > 0:
            length[:] = inf
            reached[:] = False
            entered_by[:] = NOBODY
            low, end, row = 0.0, NOBODY, first
            _extend(costs, row, low - row_duals[row], node_duals, length, came_from, reached)
            while True:
                end = _nearest(length, reached)
                if end == NOBODY:
                    return inf
                low = length[end]
                reached[end] = True
                if left[end] > 0:
                    break
                for row in range(classes):
                    if flow[row, end] > 0 and row != first and entered_by[row] == NOBODY:
                        entered_by[row] = end
                        start = low - row_duals[row]
                        _extend(costs, row, start, node_duals, length, came_from, reached)
            row_duals[first] += low
            for row in range(classes):
                if entered_by[row] != NOBODY:
                    row_duals[row] += low - length[entered_by[row]]
            for node in range(nodes):
                if reached[node]:
                    node_duals[node] -= low - length[node]
            sent = _send(first, end, need, left, came_from, entered_by, flow)
            need -= sent
            spent += sent * row_duals[first]
            if spent + need * row_duals[first] + waiting[first + 1] >= most:
                return inf
    total = 0.0
    for row in range(classes):
        for node in range(nodes):
            if flow[row, node] > 0:
                total += flow[row, node] * costs[row, node]
    return total if total < most else inf


@compiled
def least_longest(
    lengths: Floats, supplies: Places, room: Places, least: float, most: float, flow: Places
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
    classes, nodes = lengths.shape
    flow[:] = 0
    left = room.copy()
    free = np.zeros(nodes)
    length, came_from = np.empty(nodes), np.empty(nodes, np.int64)
    entered_by, reached = np.empty(classes, np.int64), np.empty(nodes, np.bool_)
    longest = least
    for first in range(classes):
        need = supplies[first]
        while need > 0:
            length[:] = inf
            reached[:] = False
            entered_by[:] = NOBODY
            end = NOBODY
            _extend(lengths, first, 0.0, free, length, came_from, reached)
            while True:
                end = _nearest(length, reached)
                if end == NOBODY or length[end] >= most:
                    return inf
                longest = max(longest, length[end])
                reached[end] = True
                if left[end] > 0:
                    break
                for row in range(classes):
                    if flow[row, end] > 0 and row != first and entered_by[row] == NOBODY:
                        entered_by[row] = end
                        _extend(lengths, row, 0.0, free, length, came_from, reached)
            need -= _send(first, end, need, left, came_from, entered_by, flow)
    return longest


@compiled
def _extend(
    costs: Floats,
    row: int,
    start: float,
    node_duals: Floats,
    length: Floats,
    came_from: Places,
    reached: Reached,
) -> None:
    """Go on from a class to every node that is nearer this way."""
    for node in range(len(length)):
        way = start + costs[row, node] - node_duals[node]
        if not reached[node] and way < length[node]:
            length[node] = way
            came_from[node] = row


@compiled
def _nearest(length: Floats, reached: Reached) -> int:
    nearest = NOBODY
    least = inf
    for node in range(len(length)):
        if not reached[node] and length[node] < least:
            least = length[node]
            nearest = node
    return nearest


@compiled
def _send(
    first: int,
    end: int,
    need: int,
    left: Places,
    came_from: Places,
    entered_by: Places,
    flow: Places,
) -> int:
    """Send as many units as go along the path that was found, and return how many."""
    amount = min(need, left[end])
    node = end
    row = came_from[node]
    while row != first:
        node = entered_by[row]
        amount = min(amount, flow[row, node])
        row = came_from[node]
    left[end] -= amount
    node = end
    row = came_from[node]
    flow[row, node] += amount
    while row != first:
        node = entered_by[row]
        flow[row, node] -= amount
        row = came_from[node]
        flow[row, node] += amount
    return int(amount)
