from dataclasses import replace

import numpy as np
import pytest
from eyewall_sidecar.model import (
    LinkMatrix,
    Node,
    Operator,
    PlacementProblem,
    Solution,
    Status,
    Stream,
)
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.greedy import Greedy
from small_problems import chain_of, graph_of


def place(problem: PlacementProblem, objective: str) -> Solution:
    return Greedy()(problem, Objective.parse(objective), time_limit=10, seed=0)


def apart(*nodes: Node) -> LinkMatrix:
    """All 2 ms from each other."""
    return LinkMatrix.from_delays([it.id for it in nodes], np.full((len(nodes), len(nodes)), 0.002))


def test_each_operator_goes_where_it_costs_least_given_those_before_it() -> None:
    # a is pinned to n1, which holds one; n3 is nearer to n1 (2 ms) than n2 (5 ms): b goes there,
    # and c joins it. Only a → b crosses: 10/s · 2 ms.
    delays = {("n1", "n2"): 0.005, ("n1", "n3"): 0.002}
    solution = place(chain_of([10, 10], rooms=[1, 2, 2], pins={"a": "n1"}, delays=delays), "N=1")
    assert solution.placement == {"a": "n1", "b": "n3", "c": "n3"}
    assert solution.evaluation is not None
    assert solution.evaluation.value == pytest.approx(0.02)
    assert (solution.status, solution.decided_by) == (Status.HEURISTIC, "greedy")


@pytest.mark.parametrize("objective", ["R=1", "EE=1"])
def test_a_pinned_sink_draws_what_leads_to_it(objective: str) -> None:
    # a and c are pinned to n1 and n4, which are full. b in between: by n2 1 + 9 ms, by n3 4 + 4 ms;
    # squared 82 against 32.
    delays = {
        ("n1", "n2"): 0.001,
        ("n2", "n4"): 0.009,
        ("n1", "n3"): 0.004,
        ("n3", "n4"): 0.004,
    }
    pins = {"a": "n1", "c": "n4"}
    solution = place(chain_of([1, 1], rooms=[1, 1, 1, 1], pins=pins, delays=delays), objective)
    assert solution.placement == {"a": "n1", "b": "n3", "c": "n4"}


def test_what_is_decided_too_early_is_not_taken_back() -> None:
    # c is pinned to n2, which is full. a knows nothing of it and takes n1, the first of equals; b
    # stays with a as 9 ms cross anyway. Both on n3, 1 ms from n2, would be better.
    delays = {("n1", "n2"): 0.009, ("n2", "n3"): 0.001, ("n1", "n3"): 0.009}
    problem = chain_of([1, 1], rooms=[2, 1, 2], pins={"c": "n2"}, delays=delays)
    solution = place(problem, "N=1")
    assert solution.placement == {"a": "n1", "b": "n1", "c": "n2"}


def test_availability_draws_operators_to_what_is_up_most_and_away_from_what_never_is() -> None:
    nodes = (
        Node("dead", availability=0.0),
        Node("good", operators=1),
        Node("fair", availability=0.9),
    )
    problem = PlacementProblem((Operator("a"), Operator("b")), (), nodes, apart(*nodes))
    assert place(problem, "A=1").placement == {"a": "good", "b": "fair"}


def test_a_dead_node_is_taken_where_no_other_has_room() -> None:
    nodes = Node("full", operators=0), Node("dead", availability=0.0)
    solution = place(PlacementProblem((Operator("a"),), (), nodes, apart(*nodes)), "A=1")
    assert (solution.placement, solution.decided_by) == ({"a": "dead"}, "greedy")
    assert solution.evaluation is not None
    assert solution.evaluation.value == 0


def two_speeds() -> PlacementProblem:
    """a is pinned to slow; b works 10 ms at speed 1, and fast is 2 ms away at twice the speed."""
    nodes = Node("slow"), Node("fast", speedup=2.0)
    operators = Operator("a", candidates=("slow",)), Operator("b", execution_time=0.010)
    return PlacementProblem(operators, (Stream("a", "b", 1.0),), nodes, apart(*nodes))


@pytest.mark.parametrize(
    ("objective", "node"),
    [
        ("R=1", "fast"),  # 2 + 10/2 = 7 ms against 10 ms
        ("N=1", "slow"),  # nothing crosses
        # Best to worst: R from 5 ms (no hop, fast) to 12 ms, N from 0 to 0.002 tuples.
        # fast: 0.8 · 5/7 + 0.2 · 0 = 0.57; slow: 0.8 · 2/7 + 0.2 · 1 = 0.43.
        ("R=0.8,N=0.2", "fast"),
        # fast: 0.6 · 5/7 = 0.43; slow: 0.6 · 2/7 + 0.4 = 0.57. In seconds and tuples as they are it
        # would be the other way round: 0.6 · 7 + 0.4 · 2 = 5.0 against 0.6 · 10 = 6.0, less is
        # better.
        ("R=0.6,N=0.4", "slow"),
    ],
)
def test_terms_are_weighed_after_they_are_normalised(objective: str, node: str) -> None:
    assert place(two_speeds(), objective).placement == {"a": "slow", "b": node}


def test_what_is_on_no_path_gains_nothing_by_a_fast_node() -> None:
    # acker works 1 s at speed 1, but for no path: it stays with a, which it acks to. b goes to the
    # fast node as above.
    problem = two_speeds()
    acks = Stream("a", "acker", 1.0, system=True)
    acker = Operator("acker", execution_time=1.0)
    problem = replace(
        problem, operators=(*problem.operators, acker), streams=(*problem.streams, acks)
    )
    solution = place(problem, "R=0.9,N=0.1")
    assert solution.placement == {"a": "slow", "b": "fast", "acker": "slow"}


def test_a_method_of_one_pass_that_gets_stuck_says_who_placed_the_operators_instead() -> None:
    # a, first in path order, takes n1 (equal to n2). b may only be on n1, now full, or n3, which
    # holds nothing. An exact engine puts a on n2.
    nodes = Node("n1", operators=1), Node("n2", operators=1), Node("n3", operators=0)
    operators = Operator("a"), Operator("b", candidates=("n1", "n3"))
    problem = PlacementProblem(operators, (Stream("a", "b", 1.0),), nodes, apart(*nodes))
    solution = place(problem, "N=1")
    assert solution.placement == {"a": "n2", "b": "n1"}
    assert (solution.status, solution.decided_by) == (Status.HEURISTIC, "branch and bound")
    assert solution.reasons == (
        (
            "no room was left for operator b; branch and bound found a valid placement, "
            "whatever its value"
        ),
    )


def test_without_room_for_all_the_binding_constraint_is_named() -> None:
    solution = place(graph_of({("a", "b"): 1.0}, rooms=[1]), "N=1")
    assert solution.status is Status.INFEASIBLE
    assert solution.reasons == (
        "operators: operators a, b need 2 together and can only be on n1, offering 1",
    )
