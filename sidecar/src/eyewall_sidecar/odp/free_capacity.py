"""What is left on the nodes while operators are placed and taken away again."""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.odp.instance import Flags, Instance

ALMOST = 1e-9
"""Added before rounding down, so that three times 0.1 still hold three of 0.1."""


class FreeCapacity(NamedTuple):
    """The state of the nodes; pinned operators have theirs set aside from the start.

    Parameters
    ----------
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
        smallest,
        np.full(1, (smallest >= largest).all()),
        instance.limits.copy(),
        np.empty(nodes, np.int64),
        np.zeros(nodes, np.int64),
    )
    for node in range(nodes):
        capacity.room[node] = _room(capacity, node, operators)
    return capacity


@compiled
def fits(instance: Instance, capacity: FreeCapacity, operator: int, node: int) -> bool:
    """Whether the node is a candidate of the operator and can hold it now."""
    if not instance.allowed[operator, node]:
        return False
    if instance.pinned[operator]:
        return True
    if capacity.room[node] < 1:
        return False
    if not capacity.same[0]:
        for resource in range(len(capacity.free)):
            if instance.requirements[resource, operator] > capacity.free[resource, node]:
                return False
    return True


@compiled
def take(instance: Instance, capacity: FreeCapacity, operator: int, node: int) -> None:
    """Place the operator on the node."""
    capacity.held[node] += 1
    if not instance.pinned[operator]:
        for resource in range(len(capacity.free)):
            capacity.free[resource, node] -= instance.requirements[resource, operator]
        capacity.room[node] = _room(capacity, node, len(instance.order))


@compiled
def take_away(capacity: FreeCapacity, node: int, free: Floats, room: int) -> None:
    """Put the node back to how it was before its last operator came: no rounding builds up.

    Parameters
    ----------
    free
        [resource]: what was free.
    room
        What there was room for.
    """
    capacity.held[node] -= 1
    capacity.room[node] = room
    for resource in range(len(capacity.free)):
        capacity.free[resource, node] = free[resource]


@compiled
def _room(capacity: FreeCapacity, node: int, most: int) -> int:
    room = most
    for resource in range(len(capacity.free)):
        if capacity.free[resource, node] < 0:
            return 0
        if capacity.smallest[resource] > 0:
            fitting = capacity.free[resource, node] / capacity.smallest[resource] + ALMOST
            if fitting < room:
                room = int(fitting)
    return room
