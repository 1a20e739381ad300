"""From virtual nodes to nodes: the nearest one that is not overloaded.

Paper 001, section V, algorithm 1, lines 2 to 9.
"""

from typing import NamedTuple, Self

import numpy as np
from eyewall_sidecar.heuristic.remaining_capacity import NOWHERE
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import compiled, kernel
from numpy.typing import NDArray

MIGRATIONS, SECOND_CHOICES = range(2)


class Sites(NamedTuple):
    """Nodes as operators are mapped to them.

    Parameters
    ----------
    coordinates
        [node, dimension].
    requirements
        [resource, operator]: as in `ProblemArrays`.
    limits
        [resource, node]: as in `ProblemArrays`.
    allowed
        [operator, node].
    """

    coordinates: Floats
    requirements: Floats
    limits: Floats
    allowed: NDArray[np.bool_]

    @classmethod
    def of(cls, arrays: ProblemArrays, coordinates: Floats) -> Self:
        """Take a problem's nodes at these positions."""
        return cls(coordinates, arrays.requirements, arrays.limits, arrays.allowed)


class NodeMapping(NamedTuple):
    """Operators on nodes.

    Parameters
    ----------
    places
        [operator]: the place of its node, or NOWHERE.
    migrations
        How often an operator that was somewhere went elsewhere.
    second_choices
        How many operators are not on the nearest of the nodes that they may use, which is full.
    """

    places: Places
    migrations: int
    second_choices: int


def admit(sites: Sites, places: Places, order: Places) -> Places:
    """Return the places with NOWHERE for operators that may not be, or find no room, there.

    Parameters
    ----------
    places
        [operator]: the place of a node, or NOWHERE.
    order
        All operators: who comes first where room is short.
    """
    admitted = np.full(len(places), NOWHERE)
    loads = np.zeros_like(sites.limits)
    for operator in order[places[order] != NOWHERE].tolist():
        node = places[operator]
        load = loads[:, node] + sites.requirements[:, operator]
        if sites.allowed[operator, node] and (load <= sites.limits[:, node]).all():
            admitted[operator], loads[:, node] = node, load
    return admitted


def map_to_nodes(sites: Sites, positions: Floats, places: Places, order: Places) -> NodeMapping:
    """Let each operator go to the nearest node with room, until none can get nearer.

    Parameters
    ----------
    positions
        [operator, dimension]: virtual nodes.
    places
        [operator]: where they are, none on an overloaded node, or NOWHERE; left as it is.
    order
        Operators: who comes first where room is short.
    """
    now = places.copy()
    counts = np.zeros(2, np.int64)
    _map(sites, positions[order], order, now, counts, len(order) + 1)
    return NodeMapping(now, int(counts[MIGRATIONS]), int(counts[SECOND_CHOICES]))


def follow(sites: Sites, movers: Places, targets: Floats, places: Places) -> NodeMapping:
    """Let operators migrate at once whenever their virtual node has moved: no lazy migration.

    Parameters
    ----------
    movers, targets
        [move] and [move, dimension]: as in `Equilibrium`.
    places
        [operator]: where they are, or NOWHERE; left as it is.
    """
    now = places.copy()
    counts = np.zeros(2, np.int64)
    _map(sites, targets, movers, now, counts, 1)
    return NodeMapping(now, int(counts[MIGRATIONS]), int(counts[SECOND_CHOICES]))


@kernel
def _map(
    sites: Sites, targets: Floats, movers: Places, places: Places, counts: Places, passes: int
) -> None:
    """Take the moves one by one, in several passes unless nothing changes."""
    resources, nodes = sites.limits.shape
    loads = np.zeros((resources, nodes))
    for operator in range(len(places)):
        if places[operator] != NOWHERE:
            _load(sites, loads, operator, places[operator], 1.0)
    for _ in range(passes):
        changed = False
        counts[SECOND_CHOICES] = 0
        for move in range(len(movers)):
            operator = movers[move]
            before = places[operator]
            node, first_choice = _nearest(sites, loads, operator, before, targets[move])
            counts[SECOND_CHOICES] += not first_choice
            if node == before:
                continue
            if before != NOWHERE:
                _load(sites, loads, operator, before, -1.0)
                counts[MIGRATIONS] += 1
            _load(sites, loads, operator, node, 1.0)
            places[operator] = node
            changed = True
        if not changed:
            break


@compiled
def _load(sites: Sites, loads: Floats, operator: int, node: int, sign: float) -> None:
    for resource in range(len(loads)):
        loads[resource, node] += sign * sites.requirements[resource, operator]


@compiled
def _nearest(
    sites: Sites, loads: Floats, operator: int, current: int, target: Floats
) -> tuple[int, bool]:
    """Return the nearest node with room, and whether no other one that may be used is nearer.

    Of equally near nodes the current one, else the first. Without room anywhere, the current one.
    """
    best, near, nearest = NOWHERE, np.inf, np.inf
    for node in range(len(sites.coordinates)):
        if not sites.allowed[operator, node]:
            continue
        square = 0.0
        for axis in range(len(target)):
            apart = sites.coordinates[node, axis] - target[axis]
            square += apart * apart
        nearest = min(nearest, square)
        if square > near or (square == near and node != current and best != NOWHERE):
            continue
        roomy = True
        if node != current:
            for resource in range(len(loads)):
                load = loads[resource, node] + sites.requirements[resource, operator]
                roomy = roomy and load <= sites.limits[resource, node]
        if roomy:
            best, near = node, square
    return (best if best != NOWHERE else current), near <= nearest
