"""What nodes have left while operators are placed and removed again."""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.instance import Instance
from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import subroutine

ROUNDING = 1e-9
"""Added before rounding down, so that three times 0.1 still hold three of 0.1."""


class Capacity(NamedTuple):
    """The state of the nodes; pinned operators have theirs set aside from the start.

    Parameters
    ----------
    allowed, requirements, takes
        As in `Instance`.
    smallest
        [resource]: the least that any operator that is not pinned needs.
    even
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
    takes: Indices
    smallest: Floats
    even: Flags
    free: Floats
    room: Indices
    held: Indices


def capacity_of(instance: Instance) -> Capacity:
    """Return the state before anything is placed."""
    needs = instance.requirements[:, ~instance.pinned]
    smallest = needs.min(axis=1, initial=inf)
    free = instance.limits.copy()
    counted = (smallest > 0) & (smallest < inf)
    room = np.full(instance.nodes, instance.operators, dtype=np.int64)
    if counted.any():
        fitting = free[counted] / smallest[counted, None] + ROUNDING
        room = np.minimum(room, fitting.min(axis=0)).astype(np.int64)
    room[(free < 0).any(axis=0)] = 0
    return Capacity(
        allowed=instance.allowed,
        requirements=instance.requirements,
        takes=instance.takes,
        smallest=smallest,
        even=np.array([bool((smallest >= needs.max(axis=1, initial=0.0)).all())]),
        free=free,
        room=room,
        held=np.zeros(instance.nodes, dtype=np.int64),
    )


@subroutine
def admit(capacity: Capacity, operator: int, admitted: Flags) -> None:
    """Write [node]: whether it is a candidate of the operator and can hold it now."""
    allowed, room, takes = capacity.allowed, capacity.room, capacity.takes[operator]
    for node in range(len(room)):
        admitted[node] = allowed[operator, node] and room[node] >= takes
    if not capacity.even[0]:
        free, requirements = capacity.free, capacity.requirements
        for resource in range(len(free)):
            for node in range(len(room)):
                if requirements[resource, operator] > free[resource, node]:
                    admitted[node] = admitted[node] and takes == 0


@subroutine
def place(capacity: Capacity, operator: int, node: int) -> None:
    """Place the operator on the node."""
    capacity.held[node] += 1
    if capacity.takes[operator]:
        free, requirements = capacity.free, capacity.requirements
        for resource in range(len(free)):
            free[resource, node] -= requirements[resource, operator]
        capacity.room[node] = _room(free, capacity.smallest, node, len(capacity.takes))


@subroutine
def remove(capacity: Capacity, node: int, free_before: Floats, room_before: int) -> None:
    """Restore the node as it was before its last operator came: no rounding builds up.

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


@subroutine
def _room(free: Floats, smallest: Floats, node: int, most: int) -> int:
    room = most
    for resource in range(len(free)):
        if free[resource, node] < 0:
            return 0
        if 0 < smallest[resource] < inf:
            fitting = free[resource, node] / smallest[resource] + ROUNDING
            if fitting < room:
                room = int(fitting)
    return room
