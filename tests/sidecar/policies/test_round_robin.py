from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.round_robin import RoundRobin
from small_problems import chain_of


def place(problem: PlacementProblem, objective: str = "N=1") -> Solution:
    return RoundRobin()(problem, Objective.parse(objective), time_limit=10, seed=0)


def test_operators_go_to_one_node_after_the_other_and_around_again() -> None:
    solution = place(chain_of([1, 1, 1, 1], rooms=[9, 9, 9]))
    assert solution.placement == {"a": "n1", "b": "n2", "c": "n3", "d": "n1", "e": "n2"}


def test_nodes_with_more_slots_come_first_and_stay_in_turn_longer() -> None:
    # EvenScheduler sorts supervisors by free slots and interleaves: n2, n1, n3, n2, n1, n2.
    solution = place(chain_of([1] * 5, rooms=[2, 3, 1]))
    assert solution.placement == {
        "a": "n2",
        "b": "n1",
        "c": "n3",
        "d": "n2",
        "e": "n1",
        "f": "n2",
    }


def test_the_turn_goes_on_after_the_node_that_a_pinned_operator_took() -> None:
    # b first, as it is pinned; then a on n3, c on n1.
    solution = place(chain_of([1, 1], rooms=[9, 9, 9], pins={"b": "n2"}))
    assert solution.placement == {"a": "n3", "b": "n2", "c": "n1"}


def test_the_objective_is_reported_but_not_looked_at() -> None:
    problem = chain_of([5, 7], rooms=[9, 9])
    placements = []
    for objective, value in (("T=1", 12), ("N=1", 0.12), ("R=1", 0.02)):
        solution = place(problem, objective)
        placements.append(solution.placement)
        assert solution.evaluation is not None
        # a on n1, b on n2, c on n1: both streams cross, 10 ms each.
        assert abs(solution.evaluation.value - value) < 1e-12
    assert placements == [placements[0]] * 3
