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

from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import subroutine

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
    seats: Indices
    prices: Floats
    load: Indices
    length: Floats
    came_from: Indices
    reached: Flags


def empty_assignment(operators: int, nodes: int) -> Assignment:
    """Return arrays for so many operators and nodes."""
    return Assignment(
        costs=np.zeros((operators, nodes)),
        seats=np.zeros(operators, dtype=np.int64),
        prices=np.zeros(nodes),
        load=np.zeros(nodes, dtype=np.int64),
        length=np.zeros(nodes),
        came_from=np.zeros(nodes, dtype=np.int64),
        reached=np.zeros(nodes, dtype=np.bool_),
    )


@subroutine
def assign(to: Assignment, rows: int, room: Indices) -> float:
    """Assign the first so many rows and return the least sum; infinite if there is no room."""
    costs, seats, prices, load = to.costs, to.seats, to.prices, to.load
    length, came_from, reached = to.length, to.came_from, to.reached
    nodes = len(room)
    for node in range(nodes):
        prices[node] = 0.0
        load[node] = 0
    for row in range(rows):
        for node in range(nodes):
            length[node] = costs[row, node] + prices[node]
            came_from[node] = row
            reached[node] = False
        while True:
            end, least = NONE, inf
            for node in range(nodes):
                if not reached[node] and length[node] < least:
                    end, least = node, length[node]
            if end == NONE:
                return inf
            if load[end] < room[end]:
                break
            reached[end] = True  # full: one of its operators could move on instead
            for other in range(row):
                if seats[other] == end:
                    start = least - costs[other, end] - prices[end]
                    for node in range(nodes):
                        way = start + costs[other, node] + prices[node]
                        if not reached[node] and way < length[node]:
                            length[node] = way
                            came_from[node] = other
        for node in range(nodes):
            if reached[node]:
                prices[node] += least - length[node]
        load[end] += 1
        node, mover = end, came_from[end]
        while mover != row:
            left = seats[mover]
            seats[mover] = node
            node, mover = left, came_from[left]
        seats[row] = node
    total = 0.0
    for row in range(rows):
        total += costs[row, seats[row]]
    return total
