from itertools import permutations
from math import log

import numpy as np
import pytest
from eyewall_sidecar.heuristic.ranges import price, ranges_of
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Range, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.costs import Costs, cost

NODES = ("n1", "n2", "n3")
PROBLEM = PlacementProblem(
    operators=(Operator("a", execution_time=0.002), Operator("b")),
    streams=(Stream("a", "b", 10),),
    nodes=tuple(Node(it, availability=p) for it, p in zip(NODES, (1, 0.9, 0.8), strict=True)),
    links={pair: Link(0.03 if "n3" in pair else 0.01) for pair in permutations(NODES, 2)},
)
ARRAYS = ProblemArrays.of(PROBLEM)


def test_a_range_goes_from_the_best_case_to_the_worst_case_and_is_not_proven() -> None:
    # R: both on one node 2 ms, over the longest link 2 + 30 ms. A: both on n1, both on n3.
    ranges = ranges_of(ARRAYS, Objective.parse("R=0.5,A=0.5"))
    assert ranges[Term.R] == Range(0.002, 0.032, proven=False)
    assert ranges[Term.A] == Range(0.0, ranges[Term.A].worse, proven=False)
    assert ranges[Term.A].worse == pytest.approx(2 * log(0.8))


@pytest.mark.parametrize("objective", ["R=1", "ecker"])
def test_one_term_and_ecker_need_no_ranges(objective: str) -> None:
    assert ranges_of(ARRAYS, Objective.parse(objective)) == {}


def test_what_several_terms_cost_is_what_the_weighted_sum_falls_short_of_1() -> None:
    objective = Objective.parse("R=0.5,A=0.2,N=0.3")
    pricing, ranges = price(ARRAYS, objective), ranges_of(ARRAYS, objective)
    assert isinstance(pricing.costs, Costs)
    for places in ([0, 0], [0, 1], [2, 1]):
        placement = placement_of(PROBLEM, np.array(places))
        value = evaluate(PROBLEM, placement, objective, ranges).value
        scaled = pricing.scaled(np.array([cost(ARRAYS, pricing.costs, np.array(places))]))
        assert scaled == pytest.approx([1 - value])


def test_a_cost_is_scaled_to_0_at_best_and_1_at_worst() -> None:
    # R from 2 ms to 32 ms: 12 ms are a third of the way.
    pricing = price(ARRAYS, Objective.parse("R=1"))
    assert pricing.scaled(np.array([0.002, 0.012, 0.032])) == pytest.approx([0, 1 / 3, 1])


def test_a_score_of_ecker_is_not_scaled() -> None:
    assert price(ARRAYS, Objective.parse("ecker")).scaled(np.array([2.5])) == [2.5]


def test_where_every_placement_costs_the_same_all_are_at_0() -> None:
    alone = PlacementProblem((Operator("a"),), (), (Node("n1"),), {})
    assert price(ProblemArrays.of(alone), Objective.parse("N=1")).scaled(np.zeros(1)) == [0.0]
