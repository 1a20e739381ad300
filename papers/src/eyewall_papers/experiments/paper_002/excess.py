"""How far from the optimum the heuristics of paper 002 are, where every placement can be tried.

8 operators on 5 nodes for 3 each, in the three shapes of paper 000's baseline, varied rates, under
Ecker's score and under R and N. The optimum is the least of all 5^8 = 390,625 placements. What is
printed is value / optimum (median and worst of the seeds), how many are optimal, and seconds.
"""

import argparse
from collections.abc import Iterator
from statistics import median

import numpy as np
from eyewall_sidecar.heuristic.evaluation_state import State, blank, terms_of
from eyewall_sidecar.heuristic.evaluator import cost, put, violations
from eyewall_sidecar.heuristic.ranges import price
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import kernel
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import Policy
from eyewall_sidecar.policies.ant_system import AntSystem
from eyewall_sidecar.policies.hill_climbing import HillClimbing
from eyewall_sidecar.policies.hybrid import Hybrid

from eyewall_papers.experiments.report import Row, show
from eyewall_papers.instances.baseline import GraphShape, baseline

POLICIES: dict[str, Policy] = {
    "hill climbing": HillClimbing(),
    "ant system": AntSystem(),
    "hybrid": Hybrid(),
}


def optimum(problem: PlacementProblem, objective: Objective) -> float:
    arrays = ProblemArrays.of(problem)
    state = blank(terms_of(arrays, price(arrays, objective).costs))
    return least(state, np.zeros(arrays.operators, dtype=np.int64))


@kernel
def least(state: State, places: Places) -> float:
    """Count through all placements."""
    best, nodes = np.inf, len(state.holds)
    while True:
        put(state, places)
        if violations(state) == 0:
            best = min(best, cost(state))
        digit = 0
        while digit < len(places) and places[digit] == nodes - 1:
            places[digit] = 0
            digit += 1
        if digit == len(places):
            return float(best)
        places[digit] += 1


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, default=8)


def run(options: argparse.Namespace) -> None:
    header = ("shape", "objective", "policy", "median", "worst", "optimal", "ms")
    show(header, _rows(range(options.seeds)), left=3)


def _rows(seeds: range) -> Iterator[Row]:
    for shape in GraphShape:
        problems = [baseline(shape, 8, 5, capacity=3, seed=it, varied=True) for it in seeds]
        for text in ("ecker", "R=1", "N=1"):
            objective = Objective.parse(text)
            best = [optimum(it, objective) for it in problems]
            for name, policy in POLICIES.items():
                found = [policy(it, objective, time_limit=5, seed=0) for it in problems]
                ratios = [
                    (it.evaluation.value if it.evaluation else np.inf) / least_cost
                    for it, least_cost in zip(found, best, strict=True)
                ]
                yield (
                    shape,
                    text,
                    name,
                    f"{median(ratios):.4f}",
                    f"{max(ratios):.4f}",
                    f"{sum(it < 1 + 1e-9 for it in ratios)}/{len(ratios)}",
                    f"{1e3 * median(it.seconds for it in found):.1f}",
                )
