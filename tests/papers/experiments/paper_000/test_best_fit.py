from typing import cast

import numpy as np
from eyewall_papers.experiments.paper_000 import best_fit
from eyewall_sidecar.model.arrays import Floats
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import METRICS
from numpy.random import Generator, default_rng
from small_problems import chain_of

PROBLEM = chain_of([1, 9], [2, 2])
"""a ─1/s─▶ b ─9/s─▶ c on two nodes with room for two."""


def test_best_fit_keeps_together_what_exchanges_most() -> None:
    # b comes first with 10/s, c joins it for 9/s, and a has no room there: 1/s is left.
    fitted = best_fit.best_fit(PROBLEM)
    assert fitted["b"] == fitted["c"] != fitted["a"]
    assert METRICS[Term.T](PROBLEM, fitted) == 1


def test_xus_scheduler_goes_from_round_robin_to_best_fit_when_rates_are_known() -> None:
    # Round robin has a and c on n1, b on n2: all 10/s travel. After 100 s about 100 and 900 tuples
    # were counted, so b and c come together; more tuples do not change that.
    run = best_fit.run(PROBLEM, default_rng(0))
    assert run.reassignments == (100.0,)
    assert run.values(METRICS[Term.T]).tolist() == [10, 1]


class Counted:
    """Tuples that arrive as the test says, first those of 50 s, then those of every 50 s."""

    def __init__(self, *counts: tuple[int, int]) -> None:
        self.counts = iter(counts)

    def poisson(self, expected: Floats) -> Floats:
        return np.array(next(self.counts, (0, 0)))


def test_xus_scheduler_corrects_itself_when_more_tuples_were_counted() -> None:
    # 90 and 10 tuples in 100 s bring a and b together, 100 and 900 in 150 s b and c; what comes
    # after that changes no order.
    run = best_fit.run(PROBLEM, cast("Generator", Counted((90, 10), (0, 0), (10, 890))))
    assert run.reassignments == (100.0, 150.0)
    assert run.values(METRICS[Term.T]).tolist() == [10, 9, 1]
