"""The value of every valid placement of a small problem, term by term."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from brute_force import carried, costs_of, every_placement, fits
from eyewall_contracts.objective_terms import PAPER_TERMS
from eyewall_sidecar.model import PlacementProblem, Range
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.costs import weigh
from eyewall_sidecar.objectives.ecker import ecker_score
from eyewall_sidecar.objectives.weighted_sum import weighted_sum


@dataclass(frozen=True, slots=True, eq=False)
class EveryPlacement:
    """All that is valid.

    Parameters
    ----------
    problem
        What is placed.
    places
        [placement, operator]: the node's place.
    values
        Term → [placement]: its value; for A log A, −∞ for what fails for certain.
    """

    problem: PlacementProblem
    places: Places
    values: dict[Term, Floats]

    @classmethod
    def of(cls, problem: PlacementProblem) -> Self:
        """Try every placement."""
        arrays = ProblemArrays.of(problem)
        tried = every_placement(arrays)
        valid = tried[fits(arrays, tried) & carried(arrays, tried)]
        values: dict[Term, Floats] = {
            term: costs_of(arrays, weigh(arrays, {term: 1.0}), valid) for term in PAPER_TERMS
        }
        return cls(problem, valid, values | {Term.A: -values[Term.A]})

    @property
    def count(self) -> int:
        """How many placements are valid."""
        return len(self.places)

    def best(self, objective: Objective, ranges: dict[Term, Range]) -> float:
        """Return the objective's best value, under these ranges if it has several terms."""
        if objective.ecker:
            return min(
                ecker_score(self.problem, placement_of(self.problem, places), objective.ecker)
                for places in self.places
            )
        if term := objective.single:
            if term is Term.A:
                return float(np.exp(self.values[term].max()))
            return float(self.values[term].min())
        return max(
            weighted_sum(
                objective,
                {term: float(self.values[term][place]) for term in objective.weights},
                ranges,
            )
            for place in range(self.count)
        )
