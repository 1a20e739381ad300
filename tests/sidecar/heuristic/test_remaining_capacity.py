from dataclasses import replace

import numpy as np
from eyewall_sidecar.heuristic.remaining_capacity import NOWHERE, RemainingCapacity
from eyewall_sidecar.model import PlacementProblem, violations
from eyewall_sidecar.model.arrays import ProblemArrays
from random_problems import Traits, random_problem
from small_problems import graph_of


def test_a_link_holds_what_both_ends_send_over_it_in_each_direction_apart() -> None:
    # Links carry 4 bytes/s each way. a → b 3 and b → c 3: with b on n2, a and c on n1, 3 go each
    # way; a second stream of 3 from n1 to n2, d → b, would be too much.
    streams = {("a", "b"): 3.0, ("b", "c"): 3.0, ("d", "b"): 3.0}
    problem = graph_of(streams, rooms=[9, 9], bandwidth=4.0)
    room = RemainingCapacity(ProblemArrays.of(problem))
    a, b, c, d = range(4)
    room.put(a, 0)
    room.put(b, 1)
    assert room.holding(c).tolist() == [True, True]
    room.put(c, 0)
    assert room.holding(d).tolist() == [False, True]
    room.take_back(a)
    assert room.holding(d).tolist() == [True, True]


def test_further_counts_operators_of_the_same_size() -> None:
    room = RemainingCapacity(ProblemArrays.of(graph_of({("a", "b"): 1.0}, rooms=[3, 1])))
    room.put(0, 0)
    assert np.allclose(room.further(1), [2, 1])


def test_what_is_put_where_it_holds_is_valid_and_no_other_node_would_be() -> None:
    rng = np.random.default_rng(0)
    tried = 0
    for seed in range(150):
        traits = Traits.drawn(rng, bandwidth=True, resources=True)
        problem = random_problem(seed, traits)
        room = RemainingCapacity(ProblemArrays.of(problem))
        for operator in range(len(problem.operators)):
            holding = room.holding(operator)
            for node in range(len(problem.nodes)):
                room.put(operator, node)
                assert holding[node] == (not broken(room, problem)), (seed, operator, node)
                room.take_back(operator)
                tried += 1
            if not holding.any():
                break
            room.put(operator, int(np.argmax(holding)))
    assert tried > 1000


def broken(room: RemainingCapacity, problem: PlacementProblem) -> tuple[str, ...]:
    """Return what those that are placed break among themselves."""
    placed = {
        it.id: problem.nodes[place].id
        for it, place in zip(problem.operators, room.places.tolist(), strict=True)
        if place != NOWHERE
    }
    part = replace(
        problem,
        operators=tuple(it for it in problem.operators if it.id in placed),
        streams=tuple(it for it in problem.streams if {it.source, it.target} <= {*placed}),
    )
    return violations(part, placed)
