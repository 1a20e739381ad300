"""Event-driven execution: triggered operators take turns and move.

Paper 001, section V: "the algorithm is executed in an event-driven manner", triggered where a
neighbour's virtual node or the rate of a link changes.

Spring relaxation: operators as bodies between springs, the continuous part of SBON.

Pietzuch et al., "Network-aware operator placement for stream-processing systems", ICDE 2006, as
papers 000 (sections 2 and 5, equation 21) and 001 (section II) describe it: a stream is a spring
whose force grows with rate and latency, so that rest is the least elastic energy Σ λ·d².

Every operator moves to its Weber point until none wants to: the continuous part of MOPA.

Paper 001, section V, algorithm 1, line 1, and its event-driven execution; clusters as in the proof
of lemma 1 (section VII).
"""

from typing import NamedTuple

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel

from eyewall_papers.cost_space.coordinates import distance
from eyewall_papers.cost_space.operator_graph import (
    NOBODY,
    OperatorGraph,
    are_at_one_position,
    gather,
)
from eyewall_papers.cost_space.weber_point import local_usage, weber_point


class TurnQueue(NamedTuple):
    """Operators that were triggered, first come, first served; all arrays are written.

    Parameters
    ----------
    ring
        [operator]: those that wait.
    waits
        [operator]: 1 for those in the ring.
    ends
        Where the ring begins, and how many wait.
    """

    ring: Places
    waits: Places
    ends: Places


class Moves(NamedTuple):
    """The result of the turns; all arrays are written.

    Parameters
    ----------
    operators
        [move]: who moved; a cluster's move has an entry for each member.
    targets
        [move, dimension]: to where.
    counts
        MOVES, MESSAGES and TURNS so far.
    """

    operators: Places
    targets: Floats
    counts: Places


MOVES, MESSAGES, TURNS = range(3)


@compiled
def has_turns(queue: TurnQueue, moves: Moves) -> bool:
    """Whether somebody waits and there is room to note the moves of a turn."""
    return bool(queue.ends[1] > 0 and moves.counts[MOVES] + len(queue.ring) <= len(moves.operators))


@compiled
def trigger(queue: TurnQueue, operator: int) -> None:
    """Let the operator wait for its turn, once."""
    if queue.waits[operator] == 0:
        queue.waits[operator] = 1
        queue.ring[(queue.ends[0] + queue.ends[1]) % len(queue.ring)] = operator
        queue.ends[1] += 1


@compiled
def next_turn(queue: TurnQueue, moves: Moves) -> int:
    """Return the operator whose turn it is, and count the turn."""
    operator = int(queue.ring[queue.ends[0]])
    queue.ends[0] = (queue.ends[0] + 1) % len(queue.ring)
    queue.ends[1] -= 1
    queue.waits[operator] = 0
    moves.counts[TURNS] += 1
    return operator


@compiled
def move(positions: Floats, operator: int, target: Floats, moves: Moves) -> None:
    """Give the operator another virtual node, and note it."""
    moves.operators[moves.counts[MOVES]] = operator
    for axis in range(len(target)):
        positions[operator, axis] = target[axis]
        moves.targets[moves.counts[MOVES], axis] = target[axis]
    moves.counts[MOVES] += 1


@compiled
def notify(
    graph: OperatorGraph,
    positions: Floats,
    operator: int,
    other: int,
    queue: TurnQueue,
    moves: Moves,
) -> None:
    """Trigger a neighbour, by a message unless both are at one position and so on one node.

    Pinned operators need not know.
    """
    if graph.pinned[other]:
        return
    if not are_at_one_position(positions, operator, other):
        moves.counts[MESSAGES] += 1
    trigger(queue, other)


@kernel
def take_spring_turns(
    graph: OperatorGraph,
    positions: Floats,
    queue: TurnQueue,
    moves: Moves,
    damping: float,
    at_rest: float,
) -> None:
    """Give operators their turns until none waits or `moves` is full.

    In its turn an operator that is not at rest goes a part of the way to where its springs would
    balance, notifies its neighbours and takes another turn.

    Parameters
    ----------
    positions
        [operator, dimension]: virtual nodes; changed.
    damping
        The part of the way, in (0, 1].
    at_rest
        An operator nearer than this to where its springs would balance is at rest; in the unit of
        the positions.
    """
    balance, target = np.empty(positions.shape[1]), np.empty(positions.shape[1])
    while has_turns(queue, moves):
        operator = next_turn(queue, moves)
        here = positions[operator]
        balance[:] = 0.0
        total = 0.0
        for link in range(graph.first[operator], graph.first[operator + 1]):
            total += graph.rates[link]
            for axis in range(len(here)):
                balance[axis] += graph.rates[link] * positions[graph.others[link], axis]
        if total == 0.0 or graph.pinned[operator]:
            continue
        for axis in range(len(here)):
            balance[axis] /= total
            target[axis] = here[axis] + damping * (balance[axis] - here[axis])
        if distance(balance, here) <= at_rest:
            continue
        move(positions, operator, target, moves)
        for link in range(graph.first[operator], graph.first[operator + 1]):
            notify(graph, positions, operator, graph.others[link], queue, moves)
        trigger(queue, operator)


@kernel
def take_weber_turns(
    graph: OperatorGraph,
    positions: Floats,
    queue: TurnQueue,
    moves: Moves,
    least_gain: float,
    threshold: float,
) -> None:
    """Give operators their turns until none waits or `moves` is full.

    In its turn an operator alone moves to its Weber point, or else its cluster moves as one, or
    else the part of the cluster on its side of one of its links. The paper does not say when a
    cluster falls apart again; on trees these three leave nothing that could lower the usage.
    A move notifies the neighbours outside the cluster, link by link.

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
                            notify(graph, positions, member, graph.others[link], queue, moves)
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
    """Write the operators that move together into `members`; return 0 if there are none."""
    if attempt == 0:
        members[0] = operator
        member_of[operator] = mark
        return 0 if graph.pinned[operator] else 1
    without = NOBODY
    if attempt > 1:
        without = graph.others[graph.first[operator] + attempt - 2]
        if not are_at_one_position(positions, operator, without):
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
