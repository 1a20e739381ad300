import numpy as np
from eyewall_sidecar.exact.search_tree import SearchTree
from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.links import LinkMatrix, Matrix
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh
from search_trees import root_of

NONE = -1


def diamond(
    rates: list[float], delays: Matrix, weights: dict[Term, float], first_works: float = 0.0
) -> SearchTree:
    """Begin with a source, three operators at these rates, a sink; m0 may work longer."""
    names = [f"n{u}" for u in range(len(delays))]
    middle = ["m0", "m1", "m2"]
    problem = PlacementProblem(
        operators=(
            Operator("source"),
            *(Operator(it, execution_time=first_works if it == "m0" else 0.0) for it in middle),
            Operator("sink"),
        ),
        streams=(
            *(Stream("source", it, rate) for it, rate in zip(middle, rates, strict=True)),
            *(Stream(it, "sink", rate) for it, rate in zip(middle, rates, strict=True)),
        ),
        nodes=tuple(Node(it, operators=2, cpu=8) for it in names),
        links=LinkMatrix.from_delays(names, delays),
    )
    arrays = ProblemArrays.of(problem)
    return root_of(arrays, weigh(arrays, weights))[1]


EQUAL = np.full((3, 3), 0.01)
"""Delays that are all the same: every node is like every other."""


def test_parallel_operators_of_one_rate_are_interchangeable() -> None:
    # In the branching order: source, m0, m1, m2, sink.
    search = diamond([5.0, 5.0, 5.0], EQUAL, {Term.N: 1.0})
    assert search.before.tolist() == [NONE, NONE, 1, 2, NONE]


def test_operators_of_different_rates_are_not_interchangeable_where_rates_count() -> None:
    rates = [5.0, 7.0, 5.0]
    assert diamond(rates, EQUAL, {Term.N: 1.0}).before.tolist() == [NONE, NONE, NONE, 1, NONE]
    assert diamond(rates, EQUAL, {Term.R: 1.0}).before.tolist() == [NONE, NONE, 1, 2, NONE]


def test_operators_of_different_execution_times_are_not_interchangeable_where_paths_count() -> None:
    rates = [5.0, 5.0, 5.0]
    by_paths = diamond(rates, EQUAL, {Term.R: 1.0}, first_works=0.5)
    assert by_paths.before.tolist() == [NONE, NONE, NONE, 2, NONE]
    by_use = diamond(rates, EQUAL, {Term.N: 1.0}, first_works=0.5)
    assert by_use.before.tolist() == [NONE, NONE, 1, 2, NONE]


def test_nodes_at_the_same_distance_from_all_others_are_of_a_kind() -> None:
    assert diamond([5.0, 5.0, 5.0], EQUAL, {Term.N: 1.0}).same_node.tolist() == [NONE, 0, 1]


def test_one_longer_way_makes_nodes_differ_unless_only_traffic_between_nodes_counts() -> None:
    # n0 → n2 takes longer than n1 → n2, and than the way back.
    delays = EQUAL.copy()
    delays[0, 2] = 0.02
    rates = [5.0, 5.0, 5.0]
    assert diamond(rates, delays, {Term.N: 1.0}).same_node.tolist() == [NONE, NONE, NONE]
    assert diamond(rates, delays, {Term.R: 1.0}).same_node.tolist() == [NONE, NONE, NONE]
    assert diamond(rates, delays, {Term.T: 1.0}).same_node.tolist() == [NONE, 0, 1]
