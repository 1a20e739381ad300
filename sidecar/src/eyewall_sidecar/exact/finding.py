"""What an exact engine knows when it stops."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from math import inf

from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.costs import Costs

NO_TIME_TO_BUILD = "there was no time to build the integer program"

Clock = Callable[[], float]
"""Tells the time in seconds."""


Heuristic = Callable[[ProblemArrays, Costs, float], Iterator[Places]]
"""Yields valid placements of a problem, better and better ones, given the costs and the seconds
that it may expect."""


class Outcome(Enum):
    """How a run ended."""

    OPTIMAL = "optimal"
    INCUMBENT = "incumbent"
    """The time was up; there is a placement, and a bound."""
    INFEASIBLE = "infeasible"
    NOTHING = "nothing"
    """The time was up before there was anything."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A placement and what is proven about it, in the units of `Costs`.

    Parameters
    ----------
    outcome
        How the run ended.
    places
        [operator]: the place of its node; None if no placement was found.
    cost
        The placement's cost by `objectives.costs.cost`; infinite if there is none.
    bound
        No placement costs less; infinite if there is none.
    steps
        Placements, branches or nodes that were looked at.
    remark
        What went wrong, as a sentence for a person.
    """

    outcome: Outcome
    places: Places | None = None
    cost: float = inf
    bound: float = 0.0
    steps: int = 0
    remark: str = ""
