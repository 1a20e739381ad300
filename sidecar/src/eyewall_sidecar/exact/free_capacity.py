"""What is left on the nodes while operators are placed and taken away again."""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.instance import Flags, Instance
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import allocation_free, compiled

ALMOST = 1e-9
"""Added before rounding down, so that three times 0.1 still hold three of 0.1."""


class FreeCapacity(NamedTuple):
    """The state of the nodes; pinned operators have theirs set aside from the start.

    Parameters
    ----------
    allowed, requirements
        As in `Instance`.
    places
        [operator]: how many places it takes: 0 if it is pinned, else 1.
    smallest
        [resource]: the least that any operator still to be placed may need.
    same
        Whether all of these need the same, so that room says all: one entry.
    free
        [resource, node]: what is left.
    room
        [node]: at most how many operators fit there, by their smallest requirements.
    held
        [node]: how many operators are on it.
    """

    allowed: Flags
    requirements: Floats
    places: Places
    smallest: Floats
    same: Flags
    free: Floats
    room: Places
    held: Places


@compiled
def free_capacity(instance: Instance) -> FreeCapacity:
    """Return the state before anything is placed."""
    resources, operators = instance.requirements.shape
    nodes = instance.allowed.shape[1]
    smallest, largest = np.full(resources, inf), np.zeros(resources)
    for operator in range(operators):
        if not instance.pinned[operator]:
            smallest = np.minimum(smallest, instance.requirements[:, operator])
            largest = np.maximum(largest, instance.requirements[:, operator])
    capacity = FreeCapacity(
        instance.allowed,
        instance.requirements,
        np.where(instance.pinned, 0, 1),
        smallest,
        np.full(1, (smallest >= largest).all()),
        instance.limits.copy(),
        np.empty(nodes, np.int64),
        np.zeros(nodes, np.int64),
    )
    for node in range(nodes):
        capacity.room[node] = _room(capacity.free, smallest, node, operators)
    return capacity


@allocation_free
def admits(capacity: FreeCapacity, operator: int, admitted: Flags) -> None:
    """Write [node]: whether it is a candidate of the operator and can hold it now."""
    allowed, room, places = capacity.allowed, capacity.room, capacity.places[operator]
    for node in range(len(room)):
        admitted[node] = allowed[operator, node] and room[node] >= places
    if not capacity.same[0]:
        free, requirements = capacity.free, capacity.requirements
        for resource in range(len(free)):
            for node in range(len(room)):
                if requirements[resource, operator] > free[resource, node]:
                    admitted[node] = admitted[node] and places == 0


@allocation_free
def take(capacity: FreeCapacity, operator: int, node: int) -> None:
    """Place the operator on the node."""
    capacity.held[node] += 1
    if capacity.places[operator]:
        free, requirements = capacity.free, capacity.requirements
        for resource in range(len(free)):
            free[resource, node] -= requirements[resource, operator]
        capacity.room[node] = _room(free, capacity.smallest, node, len(capacity.places))


@allocation_free
def take_away(capacity: FreeCapacity, node: int, free_before: Floats, room_before: int) -> None:
    """Put the node back to how it was before its last operator came: no rounding builds up.

    Parameters
    ----------
    free_before
        [resource]: what was free.
    room_before
        What there was room for.
    """
    capacity.held[node] -= 1
    capacity.room[node] = room_before
    free = capacity.free
    for resource in range(len(free)):
        free[resource, node] = free_before[resource]


@allocation_free
def _room(free: Floats, smallest: Floats, node: int, most: int) -> int:
    room = most
    for resource in range(len(free)):
        if free[resource, node] < 0:
            return 0
        if 0 < smallest[resource] < inf:
            fitting = free[resource, node] / smallest[resource] + ALMOST
            if fitting < room:
                room = int(fitting)
    return room
