import numpy as np
import pytest
from brute_force import brute_force
from eyewall_papers.experiments.paper_001.trials import least_usage
from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh
from numpy.random import default_rng


def test_the_operator_in_the_middle_is_where_rate_times_delay_is_least() -> None:
    # Operator 1 between source 2 on node 0 (10/s) and the sink on node 1 (4/s). There: 10 · 9 = 90;
    # at the source: 4 · 9 = 36; on node 2: 10 · 1 + 4 · 5 = 30.
    delays = np.array([[0.0, 9, 1], [9, 0, 5], [1, 5, 0]])
    least = least_usage(np.array([0, 1]), np.array([4.0, 10]), np.array([1, -1, 0]), delays)
    assert least == pytest.approx(30)


def test_it_is_the_least_of_all_placements() -> None:
    for seed in range(40):
        rng = default_rng(seed)
        count, nodes = int(rng.integers(2, 7)), int(rng.integers(1, 5))
        parents = np.array([rng.integers(0, it) for it in range(1, count)])
        rates = rng.uniform(1, 100, count - 1)
        delays = rng.uniform(0, 0.1, (nodes, nodes))
        np.fill_diagonal(delays, 0.0)
        pins = np.where(rng.random(count) < 0.5, rng.integers(0, nodes, count), -1)
        pins[0] = rng.integers(0, nodes)
        names = [f"n{u}" for u in range(nodes)]
        problem = PlacementProblem(
            tuple(
                Operator(str(it), candidates=None if pins[it] < 0 else (names[pins[it]],))
                for it in range(count)
            ),
            tuple(Stream(str(it), str(parents[it - 1]), rates[it - 1]) for it in range(1, count)),
            tuple(map(Node, names)),
            LinkMatrix.from_delays(names, delays),
        )
        arrays = ProblemArrays.of(problem)
        best = brute_force(arrays, weigh(arrays, {Term.N: 1.0}))
        assert least_usage(parents, rates, pins, delays) == pytest.approx(best.cost)
