import numpy as np
from eyewall_papers.cost_space.nearest_node import Sites, admit, follow, map_to_nodes
from eyewall_sidecar.heuristic.remaining_capacity import NOWHERE
from eyewall_sidecar.model.array_types import Floats, Places


def on_a_line(nodes: list[float], rooms: list[float], operators: int) -> Sites:
    """Nodes at these positions with room for so many operators."""
    return Sites(
        coordinates=np.array(nodes, dtype=np.float64)[:, None],
        requirements=np.ones((1, operators)),
        limits=np.array([rooms], dtype=np.float64),
        allowed=np.ones((operators, len(nodes)), dtype=np.bool_),
    )


def positions(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)[:, None]


def places(*values: int) -> Places:
    return np.array(values, dtype=np.int64)


def test_an_operator_goes_to_the_node_nearest_to_its_virtual_node() -> None:
    found = map_to_nodes(on_a_line([0, 10, 20], [1, 1, 1], 1), positions(14), places(0), places(0))
    assert (found.places.tolist(), found.migrations, found.second_choices) == ([1], 1, 0)


def test_where_the_nearest_is_full_the_next_nearest_is_taken_and_counted() -> None:
    # All three want 9: room for one at 10, then 0 is 9 away and 20 is 11 away.
    sites = on_a_line([0, 10, 20], [1, 1, 1], 3)
    nowhere = places(NOWHERE, NOWHERE, NOWHERE)
    found = map_to_nodes(sites, positions(9, 9, 9), nowhere, places(2, 0, 1))
    assert (found.places.tolist(), found.second_choices) == ([0, 2, 1], 2)
    assert found.migrations == 0, "who was nowhere does not migrate"


def test_a_node_that_is_no_candidate_is_not_taken_however_near() -> None:
    sites = on_a_line([0, 10, 20], [1, 1, 1], 1)
    sites.allowed[0, 1] = False
    found = map_to_nodes(sites, positions(12), places(NOWHERE), places(0))
    assert (found.places.tolist(), found.second_choices) == ([2], 0)


def test_who_waited_for_room_takes_it_when_it_is_left() -> None:
    # Operator 1 comes first and wants 0, where 0 still is; that one then goes to 10.
    sites = on_a_line([0, 10], [1, 2], 2)
    found = map_to_nodes(sites, positions(10, 0), places(0, 1), places(1, 0))
    assert (found.places.tolist(), found.migrations, found.second_choices) == ([1, 0], 2, 0)


def test_an_equally_near_node_is_no_reason_to_migrate() -> None:
    sites = on_a_line([0, 10], [1, 1], 1)
    for current in (0, 1):
        found = map_to_nodes(sites, positions(5), places(current), places(0))
        assert (found.places.tolist(), found.migrations) == ([current], 0)


def test_without_room_anywhere_an_operator_stays_nowhere() -> None:
    sites = on_a_line([0, 10], [1, 0], 2)
    found = map_to_nodes(sites, positions(0, 0), places(0, NOWHERE), places(1))
    assert found.places.tolist() == [0, NOWHERE]


def test_migrating_with_every_move_counts_each_node_on_the_way() -> None:
    # From 0 by way of 10 and 20 to 30, where lazy migration goes once.
    sites = on_a_line([0, 10, 20, 30], [1, 1, 1, 1], 1)
    way = positions(9, 18, 24, 31)
    eager = follow(sites, places(0, 0, 0, 0), way, places(0))
    lazy = map_to_nodes(sites, way[-1:], places(0), places(0))
    assert (eager.places.tolist(), eager.migrations) == ([3], 3)
    assert (lazy.places.tolist(), lazy.migrations) == ([3], 1)


def test_who_may_not_be_where_it_runs_or_finds_no_room_there_is_nowhere() -> None:
    # Operators 1 and 0 fill node 0, 2 comes too late; 3 may not be on node 1.
    sites = on_a_line([0, 10], [2, 2], 4)
    sites.allowed[3, 1] = False
    found = admit(sites, places(0, 0, 0, 1), places(1, 0, 2, 3))
    assert found.tolist() == [0, 0, NOWHERE, NOWHERE]
