"""Constants for the ant system of paper 002, which gives none.

Generated problems (paper 000's baseline with varied rates), each under Ecker's score and under R;
all runs build the same number of placements, no clock is involved. One constant after the other is
tried with the others as they are, the best value kept, until a pass changes nothing or after the
passes asked for. What is printed is the mean over all runs of the score over the best score that
any run or hill climbing from it found; 1 is the best. Constants are then compared on problems
that they were not tuned on, and against the ones that are built in.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from eyewall_sidecar.heuristic.ant_colony import Colony
from eyewall_sidecar.heuristic.evaluation_state import State, blank, terms_of
from eyewall_sidecar.heuristic.evaluator import cost, put, violations
from eyewall_sidecar.heuristic.hill_climbing import climb
from eyewall_sidecar.heuristic.neighbourhoods import MOVE, MOVE_ALL, SWAP
from eyewall_sidecar.heuristic.ranges import Pricing, price
from eyewall_sidecar.heuristic.stopping_criteria import After, never
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective
from numpy.random import default_rng

from eyewall_papers.experiments.report import CONSOLE, show
from eyewall_papers.instances.baseline import GraphShape, baseline

OBJECTIVES = ("ecker", "R=1")
CHOICES: Mapping[str, Sequence[float]] = {
    "ants": (5, 10, 20, 50),
    "alpha": (0.5, 1.0, 1.5, 2.0, 3.0),
    "beta": (0.5, 1.0, 2.0, 3.0, 4.0, 6.0),
    "rho": (0.5, 0.7, 0.8, 0.9, 0.95, 0.98),
    "initial": (0.01, 0.1, 1.0, 10.0, 100.0),
    "least": (0.001, 0.01, 0.1, 1.0),
    "constant": (0.01, 0.1, 1.0, 10.0),
}
"""Constant → the values tried. p_c needs a current placement, which these problems lack."""


@dataclass(frozen=True, slots=True)
class AntCase:
    """One problem under one objective, ready for ants."""

    name: str
    pricing: Pricing
    state: State

    @classmethod
    def of(cls, name: str, problem: PlacementProblem, objective: str) -> "AntCase":
        arrays = ProblemArrays.of(problem)
        pricing = price(arrays, Objective.parse(objective))
        state = blank(terms_of(arrays, pricing.costs))
        return cls(f"{name}, {objective}", pricing, state)

    def run(self, colony: Colony, placements: int, seed: int) -> tuple[float, float]:
        """Return the score of the ants' placement, and of that after hill climbing."""
        rounds = After(max(1, placements // colony.ants), placements)
        best = colony.search(self.state, self.pricing, None, default_rng(seed), rounds).places
        put(self.state, best)
        ants = self._score()
        climb(self.state, (MOVE, SWAP, MOVE_ALL), never)
        return ants, self._score()

    def _score(self) -> float:
        return cost(self.state) if violations(self.state) == 0 else float("inf")


def cases(seed: int) -> Iterator[AntCase]:
    """Five problems under each objective."""
    for shape, operators, nodes in (
        (GraphShape.SEQUENTIAL, 20, 20),
        (GraphShape.FAT, 20, 20),
        (GraphShape.LAYERS, 20, 20),
        (GraphShape.SEQUENTIAL, 40, 20),
        (GraphShape.FAT, 12, 8),
    ):
        problem = baseline(shape, operators, nodes, seed=seed, varied=True)
        for objective in OBJECTIVES:
            yield AntCase.of(f"{shape} {operators} × {nodes}", problem, objective)


class AntTrials:
    """Runs that share the best score of each case."""

    def __init__(self, seeds: Sequence[int], placements: int) -> None:
        self._cases = [(case, seed) for seed in seeds for case in cases(seed)]
        self._placements = placements
        self._scores: dict[Colony, list[tuple[float, float]]] = {}

    def run(self, colony: Colony) -> None:
        if colony not in self._scores:
            self._scores[colony] = [
                case.run(colony, self._placements, seed) for case, seed in self._cases
            ]

    def excess(self, colony: Colony) -> tuple[float, float]:
        """Return the mean score over the best known, of ants alone and with hill climbing."""
        self.run(colony)
        best = [
            min(min(it) for it in scores) for scores in zip(*self._scores.values(), strict=True)
        ]
        count = len(best)
        ratios = [
            (ants / least, climbed / least)
            for (ants, climbed), least in zip(self._scores[colony], best, strict=True)
        ]
        return sum(it for it, _ in ratios) / count, sum(it for _, it in ratios) / count


def tune(trials: AntTrials, colony: Colony, passes: int) -> Colony:
    """Set one constant at a time to its best value with the others unchanged."""
    for number in range(1, passes + 1):
        before = colony
        for name, values in CHOICES.items():
            choices = [replace(colony, **{name: type(getattr(colony, name))(it)}) for it in values]
            for choice in choices:
                trials.run(choice)
            colony = min([colony, *choices], key=lambda it: trials.excess(it)[0])
            shown = ", ".join(
                f"{value:g} → {trials.excess(choice)[0]:.3f}"
                for value, choice in zip(values, choices, strict=True)
            )
            CONSOLE.print(f"pass {number}, {name}: {shown}", highlight=False)
        if colony == before:
            break
    return colony


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--placements", type=int, default=2000)
    parser.add_argument("--passes", type=int, default=2)


def run(options: argparse.Namespace) -> None:
    trials = AntTrials([1, 4], options.placements)
    found = tune(trials, Colony(), options.passes)
    others = AntTrials([2, 3], options.placements)
    contenders = {"tuned here": found, "built in": Colony()}
    for colony in contenders.values():
        others.run(colony)
    rows = []
    for name, colony in contenders.items():
        values = ", ".join(f"{key} {value:g}" for key, value in asdict(colony).items())
        figures = (*trials.excess(colony), *others.excess(colony))
        rows.append((name, values, *(f"{it:.3f}" for it in figures)))
    show(("constants", "values", "tuned on: ants", "climbed", "others: ants", "climbed"), rows)
