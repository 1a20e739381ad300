import numpy as np
import pytest
from brute_force import brute_force
from eyewall_papers.experiments.paper_000.formulation import (
    NotBuiltError,
    number_of_paths,
    paper_program,
    paths,
)
from eyewall_papers.instances.baseline import GraphShape, baseline
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import cost, weigh
from pulp import HiGHS
from pulp.constants import LpSolutionInfeasible
from random_problems import Traits, random_problem


def never() -> bool:
    return False


def always() -> bool:
    return True


@pytest.mark.parametrize(
    "weights",
    [
        {Term.R: 1.0},
        {Term.A: 1.0},
        {Term.T: 1.0},
        {Term.N: 1.0},
        {Term.EE: 1.0},
        {Term.R: 2.0, Term.A: 0.5, Term.N: 3.0},
    ],
    ids=lambda weights: "+".join(weights),
)
@pytest.mark.parametrize("seed", range(8))
def test_its_optimum_is_that_of_trying_every_placement(
    weights: dict[Term, float], seed: int
) -> None:
    traits = Traits.drawn(np.random.default_rng(seed), dead=False, bandwidth=False, asymmetric=True)
    problem = random_problem(seed, traits, operators=5, nodes=3)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, weights)
    best = brute_force(arrays, costs)
    program = paper_program(problem, weights, never)
    program.linear.solve(HiGHS(msg=False, threads=1, gapRel=1e-9))
    if best.outcome is Outcome.INFEASIBLE:
        assert program.linear.sol_status == LpSolutionInfeasible
        return
    placement = {
        operator: max(choices, key=lambda node: choices[node].value())
        for operator, choices in program.x.items()
    }
    assert cost(arrays, costs, places_of(problem, placement)) == pytest.approx(best.cost)


def test_every_path_is_a_row_and_they_are_counted_without_being_walked() -> None:
    # Source, four layers of two, sink: 2^4 paths of 6 operators.
    problem = baseline(GraphShape.LAYERS, 10, 3, seed=0)
    assert number_of_paths(problem) == 16
    walked = list(paths(problem))
    assert len(set(walked)) == 16
    assert {len(path) for path in walked} == {6}


def test_a_program_with_too_many_paths_is_not_written_out() -> None:
    with pytest.raises(NotBuiltError, match="524288 paths"):  # 2^19
        paper_program(baseline(GraphShape.LAYERS, 40, 2, seed=0), {Term.R: 1.0}, never)


def test_building_ends_when_the_time_is_up() -> None:
    with pytest.raises(NotBuiltError, match="not built in time"):
        paper_program(baseline(GraphShape.FAT, 10, 3, seed=0), {Term.R: 1.0}, always)


def test_a_path_takes_the_way_that_its_streams_take_and_not_the_way_back() -> None:
    # a on n1 sends to b on n2: 10 ms; the way back would be 50 ms.
    problem = PlacementProblem(
        operators=(Operator("a", candidates=("n1",)), Operator("b", candidates=("n2",))),
        streams=(Stream("a", "b"),),
        nodes=(Node("n1"), Node("n2")),
        links={("n1", "n2"): Link(0.010), ("n2", "n1"): Link(0.050)},
    )
    program = paper_program(problem, {Term.R: 1.0}, never)
    program.linear.solve(HiGHS(msg=False, threads=1))
    assert program.linear.objective.value() == pytest.approx(0.010)
