import numpy as np
import pytest
from brute_force import every_placement, fits
from eyewall_papers.experiments.paper_002.ecker_optimum import least_score
from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Stream, violations
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.model.problem import Placement
from eyewall_sidecar.objective import EckerWeights
from eyewall_sidecar.objectives.ecker import ecker_score, with_headroom
from numpy.random import Generator, default_rng

ENOUGH = 1_000_000
WEIGHTS = (
    EckerWeights(),
    EckerWeights(lat=0.05, sup=1.0, co=0.5, event=2.0),
    EckerWeights(lat=1.0, sup=0.1, co=0.0, event=0.3),
)


def drawn(rng: Generator) -> PlacementProblem:
    """Few values, so that operators and nodes often change places; sometimes a cycle."""
    count, nodes = int(rng.integers(2, 7)), int(rng.integers(1, 5))
    names = [f"n{it}" for it in range(nodes)]
    pairs = [(i, j) for j in range(1, count) for i in range(j) if rng.random() < 0.5]
    pairs += [(j, i) for i, j in pairs if rng.random() < 0.05]
    delays = rng.choice([0.001, 0.004], (nodes, nodes))
    return PlacementProblem(
        tuple(
            Operator(str(it), cpu=float(rng.choice([0.2, 0.4])), memory=1.0) for it in range(count)
        ),
        tuple(Stream(str(i), str(j), float(rng.choice([1.0, 3.0]))) for i, j in pairs),
        tuple(Node(it, cpu=float(rng.choice([0.9, 1.8])), memory=4.3) for it in names),
        LinkMatrix.from_delays(names, np.maximum(delays, delays.T)),
    )


def tried(problem: PlacementProblem, weights: EckerWeights) -> dict[float, Placement]:
    arrays = ProblemArrays.of(with_headroom(problem))
    every = every_placement(arrays)
    valid = [placement_of(problem, it) for it in every[fits(arrays, every)]]
    return {ecker_score(problem, it, weights): it for it in valid}


def test_it_is_the_least_of_all_placements_whatever_it_starts_from() -> None:
    solved = 0
    for seed in range(90):
        problem, weights = drawn(default_rng(seed)), WEIGHTS[seed % len(WEIGHTS)]
        scores = tried(problem, weights)
        if not scores:
            continue
        solved += 1
        found = least_score(problem, weights, scores[max(scores)], visits=ENOUGH)
        assert found.proven, seed
        assert found.score == pytest.approx(min(scores), abs=1e-9), seed
        assert found.score == ecker_score(problem, found.placement, weights)
        assert not violations(with_headroom(problem), found.placement)
    assert solved > 60


def test_stopped_early_it_has_a_lower_bound() -> None:
    for seed in range(30):
        problem = drawn(default_rng(seed))
        scores = tried(problem, WEIGHTS[0])
        if not scores:
            continue
        for visits in (1, 10, 20, 40, 80):
            found = least_score(problem, WEIGHTS[0], scores[max(scores)], visits=visits)
            assert found.bound - 1e-9 <= min(scores) <= found.score + 1e-9, (seed, visits)
            assert not violations(with_headroom(problem), found.placement), (seed, visits)


def test_what_it_does_not_provide_for_is_refused() -> None:
    problem = PlacementProblem(
        (Operator("a", candidates=("n0",)), Operator("b")),
        (Stream("a", "b"),),
        (Node("n0"), Node("n1")),
        LinkMatrix.from_delays(["n0", "n1"], np.zeros((2, 2))),
    )
    with pytest.raises(ValueError, match="not provided for"):
        least_score(problem, WEIGHTS[0], {"a": "n0", "b": "n0"}, visits=10)
