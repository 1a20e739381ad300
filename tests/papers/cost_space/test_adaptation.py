import numpy as np
import pytest
from eyewall_papers.cost_space.adaptation import (
    Relocation,
    Situation,
    adapt,
    all_operators,
    neighbours_of,
    operators_with_new_rates,
)
from eyewall_papers.cost_space.equilibrium import SpringTurns, WeberTurns
from eyewall_papers.cost_space.nearest_node import Sites
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_sidecar.heuristic.remaining_capacity import NOWHERE

# Operator 0 on node 0 and operator 2 on node 2 are pinned; 1 between them is free. The nodes are
# at 0, 10 and 20.
PINNED = np.array([True, False, True])
NOBODY = np.array([NOWHERE, NOWHERE, NOWHERE])


def graph(*rates: float) -> OperatorGraph:
    return OperatorGraph.between(np.array([0, 1]), np.array([1, 2]), rates, PINNED)


def sites(rooms: tuple[float, ...] = (9, 9, 9)) -> Sites:
    allowed = np.array([[True, False, False], [True, True, True], [False, False, True]])
    return Sites(
        np.array([[0.0], [10.0], [20.0]]), np.ones((1, 3)), np.array([rooms], float), allowed
    )


def placed(of: OperatorGraph, at: Sites) -> Situation:
    start = Situation.at_first(of, at, NOBODY)
    return adapt(WeberTurns(), of, at, start, all_operators(of)).situation


def test_at_first_pinned_operators_are_on_their_nodes_and_the_others_come_from_nowhere() -> None:
    # 3 > 2 draws operator 1 to node 0.
    start = Situation.at_first(graph(3, 2), sites(), NOBODY)
    assert start.places.tolist() == [0, NOWHERE, 2]
    found = adapt(WeberTurns(), graph(3, 2), sites(), start, all_operators(graph(3, 2)))
    assert found.situation.places.tolist() == [0, 0, 2]
    assert found.reassignments == (Relocation(1, NOWHERE, 0),)
    assert (found.migrations, found.eager_migrations) == (0, 0)


def test_a_changed_rate_moves_the_operator_that_it_draws() -> None:
    # 5 > 3: from node 0 to node 2. Both neighbours are pinned, so nobody needs a message.
    before, after = graph(3, 2), graph(3, 5)
    triggered = operators_with_new_rates(before, after)
    assert triggered.tolist() == [1, 2]
    found = adapt(WeberTurns(), after, sites(), placed(before, sites()), triggered)
    assert found.reassignments == (Relocation(1, 0, 2),)
    assert (found.migrations, found.messages, found.settled) == (1, 0, True)


def test_a_change_that_draws_nobody_moves_nobody() -> None:
    # 2.9 < 3 still.
    before, after = graph(3, 2), graph(3, 2.9)
    triggered = operators_with_new_rates(before, after)
    found = adapt(WeberTurns(), after, sites(), placed(before, sites()), triggered)
    assert found.reassignments == ()


def test_a_change_below_what_is_significant_triggers_nobody() -> None:
    # From 100 to 104 is 3.8 % of 104.
    assert operators_with_new_rates(graph(100, 1), graph(104, 1), significant=0.05).tolist() == []
    assert operators_with_new_rates(graph(100, 1), graph(104, 1), significant=0.03).tolist() == [
        0,
        1,
    ]


def test_a_stream_that_falls_silent_triggers_both_its_ends() -> None:
    assert operators_with_new_rates(graph(3, 2), graph(3, 0)).tolist() == [1, 2]


def test_a_neighbour_that_moved_draws_the_operator_after_it() -> None:
    # Operator 1 is with 2 (2 < 5) on node 2. Then 2 goes to where node 1 is.
    situation = placed(graph(2, 5), sites())
    assert situation.places.tolist() == [0, 2, 2]
    moved = Situation(np.array([[0.0], [20.0], [10.0]]), np.array([0, 2, 1]))
    triggered = neighbours_of(graph(2, 5), np.array([2]))
    assert triggered.tolist() == [1]
    found = adapt(WeberTurns(), graph(2, 5), sites(), moved, triggered)
    assert found.reassignments == (Relocation(1, 2, 1),)


def test_springs_that_migrate_at_once_stop_on_the_way() -> None:
    # Rest moves from 20 · 1/10 = 2 to 20 · 9/10 = 18, in steps past node 1: two migrations, or one.
    before, after = graph(9, 1), graph(1, 9)
    start = Situation.at_first(before, sites(), NOBODY)
    springs = SpringTurns(damping=0.1)
    rested = adapt(springs, before, sites(), start, all_operators(before)).situation
    found = adapt(springs, after, sites(), rested, operators_with_new_rates(before, after))
    assert found.reassignments == (Relocation(1, 0, 2),)
    assert (found.migrations, found.eager_migrations) == (1, 2)


def test_a_pinned_operator_gets_its_room_before_a_free_one_that_runs_there() -> None:
    # Room for one on node 0: operator 1 runs there, operator 0 is pinned there.
    current = np.array([NOWHERE, 0, NOWHERE])
    start = Situation.at_first(graph(3, 2), sites((1, 9, 9)), current)
    assert start.places.tolist() == [0, NOWHERE, 2]


def test_the_same_step_gives_the_same_result_and_leaves_its_input_alone() -> None:
    before, after = graph(3, 2), graph(3, 5)
    situation = placed(before, sites())
    kept = situation.positions.copy(), situation.places.copy()
    steps = [
        adapt(WeberTurns(), after, sites(), situation, operators_with_new_rates(before, after))
        for _ in range(2)
    ]
    assert steps[0].reassignments == steps[1].reassignments
    assert np.array_equal(situation.positions, kept[0])
    assert np.array_equal(situation.places, kept[1])


def test_parallel_streams_add_up_and_those_that_carry_nothing_do_not_count() -> None:
    # 1 + 2 from 0 to 1 and 4 back make 7; 1 to itself and 0 to 2 count for nothing.
    joined = OperatorGraph.between(
        np.array([0, 0, 1, 1, 0]), np.array([1, 1, 0, 1, 2]), [1, 2, 4, 9, 0], PINNED
    )
    assert joined.neighbours(0).tolist() == [1]
    assert joined.rates_of(0).tolist() == joined.rates_of(1).tolist() == [7]
    assert joined.neighbours(2).tolist() == []


@pytest.mark.parametrize("turns", [WeberTurns(), SpringTurns()])
def test_no_operators_are_placed_at_once(turns: WeberTurns | SpringTurns) -> None:
    none = np.empty(0, dtype=np.int64)
    empty = OperatorGraph.between(none, none, [], np.empty(0, dtype=np.bool_))
    at = Sites(np.zeros((1, 3)), np.ones((1, 0)), np.ones((1, 1)), np.ones((0, 1), dtype=np.bool_))
    start = Situation.at_first(empty, at, none)
    assert adapt(turns, empty, at, start, none).settled
