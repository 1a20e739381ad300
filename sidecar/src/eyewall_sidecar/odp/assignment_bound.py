"""What operators cost at least if each chose its node alone, but all had to find room.

The assignment problem with nodes that hold several operators, solved exactly by shortest augmenting
paths (Ahuja, Magnanti and Orlin, "Network flows", 1993, section 12.4). Its dual prices p ≥ 0 of a
place on a node also say what forcing one operator onto a node costs at least: for any p,

    Σ_i min_u (c_i(u) + p_u) − Σ_u p_u · room_u  ≤  the cost of every assignment,

and with operator k held on node v its minimum becomes c_k(v) + p_v.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.odp.instance import Flags

NONE = -1


class Assignment(NamedTuple):
    """Where a solution is written.

    Parameters
    ----------
    costs
        [row, node]: what each operator to be assigned costs; infinite where it may not be.
    seats
        [row]: the node it is assigned to.
    prices
        [node]: of a place on it.
    load
        [node]: how many are assigned to it.
    length, came_from, reached
        [node]: of the shortest path search.
    """

    costs: Floats
    seats: Places
    prices: Floats
    load: Places
    length: Floats
    came_from: Places
    reached: Flags


@compiled
def room_for_assignment(operators: int, nodes: int) -> Assignment:
    """Return arrays for so many operators and nodes."""
    return Assignment(
        np.empty((operators, nodes)),
        np.empty(operators, np.int64),
        np.empty(nodes),
        np.empty(nodes, np.int64),
        np.empty(nodes),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.bool_),
    )


@compiled
def assign(to: Assignment, rows: int, room: Places) -> float:
    """Assign the first so many rows and return the least sum; infinite if there is no room."""
    nodes = len(room)
    to.prices[:] = 0.0
    to.load[:] = 0
    for row in range(rows):
        end = _shortest_path(to, row, room)
        if end == NONE:
            return inf
        for node in range(nodes):
            if to.reached[node]:
                to.prices[node] += to.length[end] - to.length[node]
        to.load[end] += 1
        node = end
        while True:
            mover = to.came_from[node]
            left = to.seats[mover] if mover != row else NONE
            to.seats[mover] = node
            if mover == row:
                break
            node = left
    total = 0.0
    for row in range(rows):
        total += to.costs[row, to.seats[row]]
    return total


@compiled
def _shortest_path(to: Assignment, row: int, room: Places) -> int:
    """Return the nearest node with room, or `NONE`; nodes without room pass one operator on."""
    nodes = len(room)
    for node in range(nodes):
        to.length[node] = to.costs[row, node] + to.prices[node]
        to.came_from[node] = row
        to.reached[node] = False
    while True:
        nearest, least = NONE, inf
        for node in range(nodes):
            if not to.reached[node] and to.length[node] < least:
                nearest, least = node, to.length[node]
        if nearest == NONE or to.load[nearest] < room[nearest]:
            return nearest
        to.reached[nearest] = True
        for other in range(row):
            if to.seats[other] == nearest:
                start = least - to.costs[other, nearest] - to.prices[nearest]
                for node in range(nodes):
                    length = start + to.costs[other, node] + to.prices[node]
                    if not to.reached[node] and length < to.length[node]:
                        to.length[node] = length
                        to.came_from[node] = other
