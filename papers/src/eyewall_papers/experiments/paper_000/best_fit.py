"""Xu's scheduler over time: round robin, then best fit by the rates that were measured so far.

Assumed, since the text gives 100 s and 750 s only: from 100 s on it looks every 50 s; a stream's
rate is its mean since the start, of tuples that arrive at random; executors are reassigned if best
fit by those rates leaves less traffic between nodes than they have now.
"""

from dataclasses import replace

import numpy as np
from eyewall_sidecar.model import Placement, PlacementProblem
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import METRICS
from eyewall_sidecar.policies import load_policy
from numpy.random import Generator

from eyewall_papers.experiments.paper_000.decentralised import spread
from eyewall_papers.experiments.paper_000.over_time import END, RATES_KNOWN, Run, Step
from eyewall_papers.experiments.paper_000.placements import placement

EVERY = 50.0


def best_fit(problem: PlacementProblem) -> Placement:
    """Return where Xu's policy puts operators by the problem's rates."""
    found = load_policy("xu")(problem, Objective({Term.T: 1.0}), time_limit=5.0, seed=1)
    return placement(found)


def run(problem: PlacementProblem, rng: Generator) -> Run:
    """Let the scheduler work until the end of the experiment."""
    steps = [spread(problem)]
    rates = np.array([it.rate for it in problem.streams])
    tuples = rng.poisson(rates * (RATES_KNOWN - EVERY)).astype(np.float64)
    for now in np.arange(RATES_KNOWN, END, EVERY).tolist():
        tuples += rng.poisson(rates * EVERY)
        measured = replace(
            problem,
            streams=tuple(
                replace(it, rate=rate)
                for it, rate in zip(problem.streams, (tuples / now).tolist(), strict=True)
            ),
        )
        fitted = best_fit(measured)
        traffic = METRICS[Term.T]
        if now == RATES_KNOWN or traffic(measured, fitted) < traffic(measured, steps[-1].chosen):
            steps.append(Step(now, fitted))
    return Run.of(problem, steps)
