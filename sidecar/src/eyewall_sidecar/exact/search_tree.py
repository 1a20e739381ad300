"""The compiled search of the branch and bound: one branching after the other, depth first."""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.bounds.assignment import Assignment, empty_assignment
from eyewall_sidecar.exact.bounds.path_bound import (
    PathBound,
    longest_of_frontier,
    longest_through,
    path_bound,
)
from eyewall_sidecar.exact.bounds.sum_bound import SumBound, least_sum, sum_bound
from eyewall_sidecar.exact.capacity import Capacity, admit, capacity_of
from eyewall_sidecar.exact.instance import Instance
from eyewall_sidecar.exact.symmetry import same_paths
from eyewall_sidecar.exact.tree_state import (
    LEVEL,
    NONE,
    STEPS,
    Stars,
    TreeState,
    ascend,
    cutoff,
    descend,
    root_state,
)
from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import kernel, subroutine

BY_PATHS, BY_SUMS = range(2)
"""Of `SearchTree.used`: whether the response time counts, and whether anything adds up."""


class SearchTree(NamedTuple):
    """All that the compiled search works on.

    Parameters
    ----------
    used
        As `BY_PATHS` and the others say.
    before
        [operator]: the one before it of its kind, or `NONE`.
    same_node
        [node]: the one before it of its kind, or `NONE`.
    """

    paths: PathBound
    sums: SumBound
    assignment: Assignment
    used: Flags
    stars: Stars
    capacity: Capacity
    state: TreeState
    before: Indices
    same_node: Indices


def search_tree(instance: Instance, before: Indices, same_node: Indices) -> SearchTree:
    """Fill the tables and return the tree at its root."""
    capacity = capacity_of(instance)
    slots = capacity.room.copy()
    longest_run = min(instance.operators, int(slots.max()))
    stars, state = root_state(instance)
    if (instance.limits < 0).any():  # the pinned operators alone need more than there is
        state.counters[LEVEL] = NONE
    on_paths = len(instance.flow) > 0
    return SearchTree(
        paths=path_bound(instance, slots, longest_run if on_paths else 0, same_paths(instance)),
        sums=sum_bound(instance, slots, longest_run),
        assignment=empty_assignment(instance.operators, instance.nodes),
        used=np.array([on_paths, bool(len(instance.pair_costs) > 0 or instance.own.any())]),
        stars=stars,
        capacity=capacity,
        state=state,
        before=before,
        same_node=same_node,
    )


@kernel
def advance(tree: SearchTree, steps: int) -> None:
    """Branch so many times, or until nothing is open."""
    _advance(tree, steps)


@subroutine
def _advance(tree: SearchTree, steps: int) -> None:
    stars, capacity, state = tree.stars, tree.capacity, tree.state
    operators = len(tree.before)
    while state.counters[LEVEL] >= 0:
        level = state.counters[LEVEL]
        if level == operators:
            value = state.spent[level] + state.longest[level]
            if value < state.incumbent_cost[0]:
                state.incumbent_cost[0] = value
                for operator in range(operators):
                    state.incumbent[operator] = state.nodes[operator]
            ascend(stars, capacity, state)
            continue
        if state.children[level] == NONE:
            if steps == 0:
                return
            steps -= 1
            state.counters[STEPS] += 1
            _branch(tree, level)
        rank = state.visited[level]
        if rank < state.children[level] and state.child_bounds[level, rank] < cutoff(
            state.incumbent_cost
        ):
            descend(stars, capacity, state)
        else:
            ascend(stars, capacity, state)


@subroutine
def _branch(tree: SearchTree, level: int) -> None:
    """List the children of the level's operator that may be better than the incumbent."""
    used, capacity, state, paths = tree.used, tree.capacity, tree.state, tree.paths
    state.children[level] = 0
    state.visited[level] = 0
    most = cutoff(state.incumbent_cost)
    nodes, room, spent = state.nodes, capacity.room, state.spent[level]
    through, sums, done_there = state.through, state.sums, state.done_there

    longest = state.longest[level]
    if used[BY_PATHS]:
        longest = max(longest, longest_of_frontier(paths, room, nodes, state.done, level))
    if spent + longest >= most:
        return
    admitted = state.admitted[level]
    admit(capacity, level, admitted)
    if used[BY_SUMS]:
        least = least_sum(
            tree.sums,
            tree.assignment,
            capacity,
            state.admitted,
            state.stars,
            state.star,
            level,
            sums,
        )
        if spent + least + longest >= most:
            return
    if used[BY_PATHS]:
        takes = capacity.takes[level]
        longest_through(paths, room, takes, nodes, state.done, level, through, done_there)
    _keep_first_of_kind(admitted, tree.before[level], tree.same_node, capacity.held, nodes)
    _list_children(state, level, longest, through, most)


@subroutine
def _list_children(
    state: TreeState, level: int, longest: float, through: Floats, most: float
) -> None:
    """Sort the admitted nodes by rising bound, equals by node."""
    admitted, sums, spent = state.admitted[level], state.sums, state.spent[level]
    nodes, bounds = state.child_nodes[level], state.child_bounds[level]
    longests, dones = state.child_longest[level], state.child_done[level]
    children = 0
    for node in range(len(admitted)):
        slowest = max(longest, through[node])
        bound = spent + sums[node] + slowest
        if admitted[node] and bound < most:
            rank = children
            while rank > 0 and bounds[rank - 1] > bound:
                nodes[rank], bounds[rank] = nodes[rank - 1], bounds[rank - 1]
                longests[rank], dones[rank] = longests[rank - 1], dones[rank - 1]
                rank -= 1
            nodes[rank], bounds[rank] = node, bound
            longests[rank], dones[rank] = slowest, state.done_there[node]
            children += 1
    state.children[level] = children


@subroutine
def _keep_first_of_kind(
    admitted: Flags, twin: int, same_node: Indices, held: Indices, nodes: Indices
) -> None:
    """Leave out nodes that only swap what is alike (see `symmetry`).

    Parameters
    ----------
    admitted
        [node]: of the operator to be placed.
    twin
        The operator before it of its kind, or `NONE`.
    same_node
        [node]: the one before it of its kind, or `NONE`.
    held
        [node]: how many operators are on it.
    nodes
        [operator]: its node.
    """
    if twin != NONE:
        for node in range(nodes[twin]):
            admitted[node] = False
    for node in range(len(admitted)):
        if same_node[node] != NONE and held[node] == 0 and held[same_node[node]] == 0:
            admitted[node] = False
