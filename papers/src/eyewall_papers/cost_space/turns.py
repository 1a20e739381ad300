"""Event-driven execution: operators that were triggered take turns, and what came of it.

Paper 001, section V: "the algorithm is executed in an event-driven manner", triggered where a
neighbour's virtual node or the rate of a link changes.
"""

from typing import NamedTuple

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled

from eyewall_papers.cost_space.clusters import at_one_position
from eyewall_papers.cost_space.operator_graph import OperatorGraph


class Queue(NamedTuple):
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
    """What the turns came to; all arrays are written.

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
def has_turns(queue: Queue, moves: Moves) -> bool:
    """Whether somebody waits and there is room to note the moves of a turn."""
    return bool(queue.ends[1] > 0 and moves.counts[MOVES] + len(queue.ring) <= len(moves.operators))


@compiled
def trigger(queue: Queue, operator: int) -> None:
    """Let the operator wait for its turn, once."""
    if queue.waits[operator] == 0:
        queue.waits[operator] = 1
        queue.ring[(queue.ends[0] + queue.ends[1]) % len(queue.ring)] = operator
        queue.ends[1] += 1


@compiled
def next_turn(queue: Queue, moves: Moves) -> int:
    """Return whose turn it is, and count the turn."""
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
def tell(
    graph: OperatorGraph, positions: Floats, operator: int, other: int, queue: Queue, moves: Moves
) -> None:
    """Trigger a neighbour, by a message unless both are at one position and so on one node.

    Pinned operators need not know.
    """
    if graph.pinned[other]:
        return
    if not at_one_position(positions, operator, other):
        moves.counts[MESSAGES] += 1
    trigger(queue, other)
