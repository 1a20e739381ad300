"""Virtual nodes in equilibrium: turns until no operator wants to move."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places

from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.cost_space.turns import (
    MESSAGES,
    MOVES,
    TURNS,
    Moves,
    TurnQueue,
    take_spring_turns,
    take_weber_turns,
)

MOST_TURNS = 2_000
"""For each operator; long chains of springs come to rest very slowly."""
ROOM = 4_096
"""Moves between two looks at `stopped`."""


class Turns(Protocol):
    """What operators do in their turns: MOPA or SBON."""

    def __call__(
        self, graph: OperatorGraph, positions: Floats, queue: TurnQueue, moves: Moves
    ) -> None:
        """Give queued operators their turns until none waits or `moves` is full."""
        ...


@dataclass(frozen=True, slots=True)
class WeberTurns:
    """MOPA (paper 001, algorithms 1 and 2).

    Parameters
    ----------
    least_gain
        What is worth a move, as a fraction of the local usage; the paper says "significantly".
        Less makes no better placements on PlanetLab nodes, but more messages and migrations.
    threshold
        δ_t of algorithm 2, as a fraction of the local usage; the paper gives no value.
    """

    least_gain: float = 0.01
    threshold: float = 1e-6

    def __call__(
        self, graph: OperatorGraph, positions: Floats, queue: TurnQueue, moves: Moves
    ) -> None:
        """Give queued operators their turns."""
        take_weber_turns(graph, positions, queue, moves, self.least_gain, self.threshold)


@dataclass(frozen=True, slots=True)
class SpringTurns:
    """SBON (Pietzuch et al. 2006); the papers give neither constant.

    Parameters
    ----------
    damping
        The part of the way to balance that one turn goes.
    at_rest
        Nearer than this to balance is at rest, as a fraction of the extent of the positions.
    """

    damping: float = 0.25
    at_rest: float = 2e-3

    def __call__(
        self, graph: OperatorGraph, positions: Floats, queue: TurnQueue, moves: Moves
    ) -> None:
        """Give queued operators their turns."""
        extent = float(np.linalg.norm(np.ptp(positions, axis=0))) if len(positions) else 0.0
        take_spring_turns(graph, positions, queue, moves, self.damping, self.at_rest * extent)


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """Virtual nodes after operators took turns.

    Parameters
    ----------
    positions
        [operator, dimension]: where they are now.
    movers, targets
        [move] and [move, dimension]: who went where, in this order.
    messages
        Messages about new virtual nodes.
    turns
        How often an operator looked for a better position.
    settled
        Whether none wants to move any more; False if the turns were stopped or too many.
    """

    positions: Floats
    movers: Places
    targets: Floats
    messages: int
    turns: int
    settled: bool


def equilibrium(
    turns: Turns,
    graph: OperatorGraph,
    positions: Floats,
    triggered: Places,
    *,
    stopped: Callable[[], bool] = lambda: False,
) -> Equilibrium:
    """Run turns of triggered operators, and of those they trigger, until none wants to move.

    Where something moved, all look once more at the end: a part of a cluster may want to leave
    although none of its own neighbours moved.

    Parameters
    ----------
    turns
        What an operator does in its turn.
    positions
        [operator, dimension]: where they are at first; left as it is.
    triggered
        Operators; those that are pinned do nothing.
    stopped
        Whether to end now, asked every few thousand moves.
    """
    count = graph.operators
    now = np.array(positions, dtype=np.float64)
    free = np.flatnonzero(~graph.pinned)
    queue = TurnQueue(
        np.zeros(max(count, 1), np.int64), np.zeros(count, np.int64), np.zeros(2, np.int64)
    )
    room = np.empty(ROOM + count, np.int64), np.empty((ROOM + count, now.shape[1]))
    movers, targets = [np.empty(0, np.int64)], [np.empty((0, now.shape[1]))]
    messages = taken = 0
    waiting, settled = np.unique(triggered[~graph.pinned[triggered]]), False
    while not settled and not stopped() and taken <= MOST_TURNS * count:
        if len(waiting):
            queue.ring[: len(waiting)], queue.waits[waiting] = waiting, 1
            queue.ends[:] = 0, len(waiting)
        moves = Moves(*room, np.zeros(3, np.int64))
        turns(graph, now, queue, moves)
        moved = moves.counts[MOVES]
        movers.append(moves.operators[:moved].copy())
        targets.append(moves.targets[:moved].copy())
        messages += int(moves.counts[MESSAGES])
        taken += int(moves.counts[TURNS])
        empty = queue.ends[1] == 0
        settled = bool(empty and not moved)
        waiting = free if empty else free[:0]
    return Equilibrium(
        now, np.concatenate(movers), np.concatenate(targets), messages, taken, settled
    )
