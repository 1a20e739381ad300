"""Spring relaxation: operators as bodies between springs, the continuous part of SBON.

Pietzuch et al., "Network-aware operator placement for stream-processing systems", ICDE 2006, as
papers 000 (sections 2 and 5, equation 21) and 001 (section II) describe it: a stream is a spring
whose force grows with rate and latency, so that rest is the least elastic energy Σ λ·d².
"""

import numpy as np
from eyewall_sidecar.model.arrays import Floats
from eyewall_sidecar.model.compilation import kernel

from eyewall_papers.cost_space.distance import distance
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.cost_space.turns import Moves, Queue, has_turns, move, next_turn, tell, trigger


@kernel
def take_spring_turns(
    graph: OperatorGraph,
    positions: Floats,
    queue: Queue,
    moves: Moves,
    damping: float,
    at_rest: float,
) -> None:
    """Give operators their turns until none waits or `moves` is full.

    In its turn an operator that is not at rest goes a part of the way to where its springs would
    balance, tells its neighbours and takes another turn.

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
            tell(graph, positions, operator, graph.others[link], queue, moves)
        trigger(queue, operator)
