"""What a policy answers: a placement with its value, or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isinf

from eyewall_contracts.objective_terms import DataUnit, Term

from eyewall_sidecar.model.problem import Placement


class Status(StrEnum):
    """How much is known about the answer."""

    OPTIMAL = "optimal"
    """|value − bound| ≤ 1e-6 · max(1, |value|), constants left out."""
    FEASIBLE = "feasible"
    """The time limit, or a failure among `reasons`, ended the search; `bound` and `gap` say how
    good the placement is at least."""
    HEURISTIC = "heuristic"
    """A placement without a bound."""
    INFEASIBLE = "infeasible"
    """No placement exists; `reasons` names the constraints that bind."""
    TIMED_OUT = "timed out"
    """The time limit ended the search before any placement was found."""
    FAILED = "failed"
    """The solver failed before any placement was found; `reasons` has its words."""


@dataclass(frozen=True, slots=True)
class Range:
    """What normalises one term of a weighted objective (paper 000, equation 9).

    For availability both are log A, as in the equation.

    Parameters
    ----------
    better
        The optimum of the term alone, or its proven bound.
    worse
        A value that no placement exceeds, by a formula that depends on the problem only.
    proven
        Whether `better` is an optimum.
    """

    better: float
    worse: float
    proven: bool = True

    @property
    def coincide(self) -> bool:
        """Whether every placement is as good as any other: the term then counts 0."""
        if isinf(self.better):
            return True
        return abs(self.worse - self.better) <= 1e-9 * max(1.0, abs(self.worse))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The objective's value for a placement, and every metric of that placement.

    Parameters
    ----------
    value
        One term: that term. Several: the weighted sum of equation (9), extended by Z.
    metrics
        Every term → its metric.
    distinct_availability
        Availability with every node and link in use counted once.
    ranges
        Term → what normalised it; empty for an objective of one term.
    data_unit
        What T, N and EE count.
    """

    value: float
    metrics: Mapping[Term, float]
    distinct_availability: float
    ranges: Mapping[Term, Range] = field(default_factory=dict)
    data_unit: DataUnit = DataUnit.TUPLES


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Each operator by itself on each node where it is not, the others staying where they are.

    Parameters
    ----------
    possible
        How many of these moves break no constraint; their value is another matter.
    rejected
        Constraint → how many moves it forbids; a move counts for the first that does.
    """

    possible: int
    rejected: Mapping[str, int]

    @property
    def considered(self) -> int:
        """How many there are."""
        return self.possible + sum(self.rejected.values())


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer of a policy.

    Parameters
    ----------
    status
        How much is known about it.
    policy
        The policy that was asked.
    decided_by
        What in that policy found it ("integer program").
    placement, evaluation
        None if there is no placement.
    bound, gap
        No placement has a better value than `bound`; gap = |value − bound| / max(|value|, 1e-9).
        None where nothing is proven.
    seconds
        From the problem to the answer, bounds and model building included.
    moves
        Operators that run now and would run elsewhere.
    evaluated
        Placements that the policy looked at, whole or in part; what counts as one is the policy's
        own (docs/user/policies.md).
    alternatives
        What the constraints leave next to the placement; without one, for each operator alone on
        empty nodes. None until `heuristic.alternatives` adds them.
    reasons
        Sentences for a person: what binds, what was assumed, what ended the search.
    """

    status: Status
    policy: str
    decided_by: str
    placement: Placement | None = None
    evaluation: Evaluation | None = None
    bound: float | None = None
    gap: float | None = None
    seconds: float = 0.0
    moves: int = 0
    evaluated: int = 0
    alternatives: Alternatives | None = None
    reasons: tuple[str, ...] = ()
