"""What normalises an objective when no optimum is known: best and worst cases.

The worse end of a range is the formula that every policy uses (`objectives.extremes`), the better
end the same formula's best case: a bound, `proven=False`, not the optimum that `odp` proves. Values
of a weighted sum are therefore a little lower here than `odp` reports for the same placement.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eyewall_sidecar.model import Range
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.costs import Costs, weigh
from eyewall_sidecar.objectives.ecker import EckerCosts, ecker_costs
from eyewall_sidecar.objectives.extremes import Extremes


@dataclass(frozen=True, slots=True, eq=False)
class Pricing:
    """An objective as costs, and how to read them.

    Parameters
    ----------
    costs
        What a search minimises.
    least, most
        No placement costs less, and none (of finite cost) more.
    """

    costs: Costs | EckerCosts
    least: float
    most: float

    def scaled(self, costs: Floats) -> Floats:
        """Return costs as shares of the way from the least to the most; 0 if they are one."""
        width = self.most - self.least
        return (costs - self.least) / width if width > 0 else np.zeros_like(costs)


def ranges_of(arrays: ProblemArrays, objective: Objective) -> dict[Term, Range]:
    """Return each term's range; nothing for one term alone and for Ecker's score."""
    if len(objective.weights) < 2:
        return {}
    extremes = Extremes(arrays)
    return {
        term: Range(extremes.best(term), extremes.worst(term), proven=False)
        for term in objective.weights
    }


def weights_of(objective: Objective, ranges: Mapping[Term, Range]) -> dict[Term, float]:
    """Return term → what one of its units costs, so that several add up normalised.

    One term costs what it is; a term whose range is a point costs nothing.
    """
    if objective.single:
        return {objective.single: 1.0}
    return {
        term: 0.0 if it.coincide else objective.weights[term] / abs(it.worse - it.better)
        for term, it in ranges.items()
    }


def price(arrays: ProblemArrays, objective: Objective) -> Pricing:
    """Return any objective as costs to minimise.

    One term costs what it is (A: −log A). Several cost their weight times the share of their range:
    1 less the weighted sum, where no ranges coincide. Ecker's score is not scaled: its least is 0
    and its most 1.
    """
    if objective.ecker:
        return Pricing(ecker_costs(arrays, objective.ecker), 0.0, 1.0)
    weights = weights_of(objective, ranges_of(arrays, objective))
    extremes = Extremes(arrays)
    least = sum(it * abs(extremes.best(term)) for term, it in weights.items() if it)
    most = sum(it * abs(extremes.worst(term)) for term, it in weights.items() if it)
    return Pricing(weigh(arrays, weights), least, most)
