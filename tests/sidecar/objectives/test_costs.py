from itertools import permutations
from random import Random

import numpy as np
import pytest
from eyewall_contracts.objective_terms import PAPER_TERMS
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of, places_of
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import METRICS
from eyewall_sidecar.objectives.availability import log_availability
from eyewall_sidecar.objectives.costs import cost, weigh


def problem_of(seed: int) -> PlacementProblem:
    """Return operators in any graph, cycles, loops and system streams included."""
    draw = Random(seed)
    nodes = [f"n{place}" for place in range(5)]
    operators = [f"o{place}" for place in range(7)]
    return PlacementProblem(
        operators=tuple(Operator(it, execution_time=draw.uniform(0, 0.01)) for it in operators),
        streams=tuple(
            Stream(
                draw.choice(operators),
                draw.choice(operators),
                draw.uniform(0, 10),
                system=draw.random() < 0.2,
            )
            for _ in range(12)
        ),
        nodes=tuple(
            Node(it, speedup=draw.uniform(0.5, 2), availability=draw.uniform(0.9, 1))
            for it in nodes
        ),
        links={
            pair: Link(draw.uniform(0.001, 0.1), draw.uniform(0.9, 1))
            for pair in permutations(nodes, 2)
        },
    )


@pytest.mark.parametrize("term", PAPER_TERMS)
@pytest.mark.parametrize("seed", range(20))
def test_the_cost_of_one_term_is_its_metric(seed: int, term: Term) -> None:
    problem, draw = problem_of(seed), Random(seed)
    arrays = ProblemArrays.of(problem)
    places = np.array([draw.randrange(5) for _ in problem.operators])
    placement = placement_of(problem, places)
    metric = METRICS[term](problem, placement)
    expected = -log_availability(problem, placement) if term is Term.A else metric
    assert cost(arrays, weigh(arrays, {term: 1.0}), places) == pytest.approx(expected, abs=1e-12)
    assert np.array_equal(places_of(problem, placement), places)


def test_weighted_terms_add_up() -> None:
    problem = problem_of(1)
    arrays = ProblemArrays.of(problem)
    places = np.array([0, 1, 2, 3, 4, 0, 1])
    weights = {Term.R: 2.0, Term.A: 0.5, Term.T: 0.1, Term.N: 3.0, Term.EE: 7.0}
    parts = [
        weight * cost(arrays, weigh(arrays, {term: 1.0}), places)
        for term, weight in weights.items()
    ]
    assert cost(arrays, weigh(arrays, weights), places) == pytest.approx(sum(parts))


def test_a_with_weight_0_forbids_what_is_never_up_and_costs_nothing() -> None:
    problem = PlacementProblem(
        operators=(Operator("a"),),
        streams=(),
        nodes=(Node("dead", availability=0), Node("n1", availability=0.5)),
        links={("dead", "n1"): Link(0.1, 0.0), ("n1", "dead"): Link(0.1)},
    )
    costs = weigh(ProblemArrays.of(problem), {Term.A: 0.0, Term.R: 1.0})
    assert costs.per_operator.tolist() == [np.inf, 0.0]
    assert costs.per_stream.tolist() == [[0.0, np.inf], [0.0, 0.0]]
