"""Every operator moves to its Weber point until none wants to: the continuous part of MOPA.

Paper 001, section V, algorithm 1, line 1, and its event-driven execution; clusters as in the proof
of lemma 1 (section VII).
"""

import numpy as np
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel

from eyewall_papers.cost_space.clusters import NOBODY, at_one_position, gather
from eyewall_papers.cost_space.dead_points import local_usage
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.cost_space.turns import Moves, Queue, has_turns, move, next_turn, tell
from eyewall_papers.cost_space.weber_point import weber_point


@kernel
def take_weber_turns(
    graph: OperatorGraph,
    positions: Floats,
    queue: Queue,
    moves: Moves,
    least_gain: float,
    threshold: float,
) -> None:
    """Give operators their turns until none waits or `moves` is full.

    In its turn an operator alone moves to its Weber point, or else its cluster moves as one, or
    else the part of the cluster on its side of one of its links. The paper does not say when a
    cluster falls apart again; on trees these three leave nothing that could lower the usage.
    A move tells the neighbours outside the cluster, link by link.

    Parameters
    ----------
    positions
        [operator, dimension]: virtual nodes; changed.
    least_gain
        What is worth a move, as a fraction of the local usage.
    threshold
        δ_t of algorithm 2, as a fraction of the local usage.
    """
    operators = len(graph.pinned)
    members, member_of = np.empty(operators, np.int64), np.full(operators, -1)
    mark = 0
    while has_turns(queue, moves):
        operator = next_turn(queue, moves)
        for attempt in range(2 + graph.first[operator + 1] - graph.first[operator]):
            mark += 1
            count = _group(graph, positions, operator, attempt, members, member_of, mark)
            if count == 0:
                continue
            group = members[:count]
            better, target = _better_position(
                graph, positions, group, member_of, mark, least_gain, threshold
            )
            if better:
                for member in group:
                    move(positions, member, target, moves)
                for member in group:
                    for link in range(graph.first[member], graph.first[member + 1]):
                        if member_of[graph.others[link]] != mark:
                            tell(graph, positions, member, graph.others[link], queue, moves)
                break


@compiled
def _group(
    graph: OperatorGraph,
    positions: Floats,
    operator: int,
    attempt: int,
    members: Places,
    member_of: Places,
    mark: int,
) -> int:
    """Write into `members` who moves together in this attempt; 0 if nobody could."""
    if attempt == 0:
        members[0] = operator
        member_of[operator] = mark
        return 0 if graph.pinned[operator] else 1
    without = NOBODY
    if attempt > 1:
        without = graph.others[graph.first[operator] + attempt - 2]
        if not at_one_position(positions, operator, without):
            return 0
    count = gather(graph, positions, operator, without, members, member_of, mark)
    for place in range(count):
        if graph.pinned[members[place]]:
            return 0
    return count if count > 1 else 0


@compiled
def _better_position(
    graph: OperatorGraph,
    positions: Floats,
    group: Places,
    member_of: Places,
    mark: int,
    least_gain: float,
    threshold: float,
) -> tuple[bool, Floats]:
    """Return whether the group has a better position than its own, and which."""
    links = 0
    for member in group:
        for link in range(graph.first[member], graph.first[member + 1]):
            links += member_of[graph.others[link]] != mark
    here = positions[group[0]].copy()
    if links == 0:
        return False, here
    anchors, rates = np.empty((links, positions.shape[1])), np.empty(links)
    links = 0
    for member in group:
        for link in range(graph.first[member], graph.first[member + 1]):
            if member_of[graph.others[link]] != mark:
                for axis in range(positions.shape[1]):
                    anchors[links, axis] = positions[graph.others[link], axis]
                rates[links] = graph.rates[link]
                links += 1
    target = weber_point(anchors, rates, threshold)
    usage = local_usage(anchors, rates, here)
    return usage - local_usage(anchors, rates, target) > least_gain * usage, target
