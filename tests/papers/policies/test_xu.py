import pytest
from eyewall_papers.policies.xu import BestFitByTraffic
from eyewall_sidecar.model import PlacementProblem, Solution, Status
from eyewall_sidecar.objective import Objective, ObjectiveError
from small_problems import chain_of, graph_of


def place(problem: PlacementProblem, objective: str = "T=1") -> Solution:
    return BestFitByTraffic()(problem, Objective.parse(objective), time_limit=10, seed=0)


def test_operators_join_those_they_exchange_most_with_in_descending_order_of_traffic() -> None:
    # a ─1─▶ b ─5─▶ c ─2─▶ d, two fit on a node. Traffic: c 7, b 6, d 2, a 1.
    # c first, on n1; b joins it; d and a find n1 full: n2 for both. 1 + 2 tuples/s leave a node.
    solution = place(chain_of([1, 5, 2], rooms=[2, 2]))
    assert solution.placement == {"b": "n1", "c": "n1", "a": "n2", "d": "n2"}
    assert solution.evaluation is not None
    assert solution.evaluation.value == 3
    assert (solution.status, solution.decided_by) == (Status.HEURISTIC, "xu")


def test_without_anybody_to_join_an_operator_takes_the_node_with_most_room() -> None:
    # b has most traffic (2): n2 has room for three, so all follow.
    solution = place(chain_of([1, 1], rooms=[1, 3]))
    assert solution.placement == {"a": "n2", "b": "n2", "c": "n2"}


def test_pinned_operators_come_first_whatever_their_traffic() -> None:
    # Without pins b, with traffic 11, would be first and take n1; a, pinned to n2, draws it there.
    solution = place(chain_of([10, 1], rooms=[3, 3], pins={"a": "n2"}))
    assert solution.placement == {"a": "n2", "b": "n2", "c": "n2"}


def test_a_link_that_would_carry_too_much_is_not_used() -> None:
    # One fits on each node; links carry 4 bytes/s, a → b needs 5: nothing is valid.
    solution = place(graph_of({("a", "b"): 5.0}, rooms=[1, 1], bandwidth=4.0))
    assert solution.status is Status.INFEASIBLE
    assert "bandwidth of link" in solution.reasons[0]


def test_an_objective_other_than_traffic_is_declined() -> None:
    for objective in ("R=1", "T=0.5,N=0.5"):
        with pytest.raises(ObjectiveError, match="policy xu optimises T alone"):
            place(chain_of([1], rooms=[1, 1]), objective)
