"""Section 7.1, figure 4: S-ODP for response time beside S-ODP for availability."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import Floats, ProblemArrays, placement_of
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.availability import availability
from eyewall_sidecar.objectives.response_time import response_time
from numpy.random import Generator

from eyewall_papers.experiments.paper_000.placements import optimum, placement, random_places

LIKE_THE_PAPER = 8
"""Executors on nodes of 99 %."""
DRAWS = 50
"""Placements drawn from all that have the best availability."""


@dataclass(frozen=True, slots=True)
class UserMetrics:
    """One instance.

    Parameters
    ----------
    slower
        R of the placement that odp finds for A, by the least R.
    any_slower
        The same, in the mean of placements drawn from all that are always up: the objective is
        blind for R, so any of them is its answer.
    sure, unsure
        A of the placement for A, and of that for R.
    on_unsure
        Operators that the placement for R has on nodes of 99 %.
    """

    slower: float
    any_slower: float
    sure: float
    unsure: float
    on_unsure: int


def compare(problem: PlacementProblem, rng: Generator) -> UserMetrics:
    """Optimise the instance for R and for A."""
    fast, sure = (placement(optimum(problem, it)) for it in (Term.R, Term.A))
    least = response_time(problem, fast)
    arrays = ProblemArrays.of(problem)
    room = np.array([it.operators if it.availability == 1 else 0 for it in problem.nodes], int)
    drawn = (placement_of(problem, random_places(arrays, room, rng)) for _ in range(DRAWS))
    return UserMetrics(
        slower=response_time(problem, sure) / least,
        any_slower=float(np.mean([response_time(problem, it) for it in drawn])) / least,
        sure=availability(problem, sure),
        unsure=availability(problem, fast),
        on_unsure=sum(problem.node(it).availability < 1 for it in fast.values()),
    )


def rows(found: Iterable[UserMetrics]) -> list[tuple[str, str, str]]:
    """Return (figure, paper, ours)."""
    each = list(found)
    slower = np.array([it.slower for it in each])
    any_slower = np.array([it.any_slower for it in each])
    unsure = np.array([it.on_unsure for it in each])
    like = unsure >= LIKE_THE_PAPER
    return [
        ("R of S-ODP_A by that of S-ODP_R, odp's answer", "1.8", _median(slower)),
        ("the same, any placement as available", "1.8", _median(any_slower)),
        ("A of S-ODP_A", "100 %", f"{min(it.sure for it in each):.2%} at least"),
        (
            "A of S-ODP_R, mean",
            "92.27 %",
            f"{np.mean([it.unsure for it in each]):.2%} (from {min(it.unsure for it in each):.2%})",
        ),
        (
            "executors of S-ODP_R on nodes of 99 %",
            "8 of 12",
            f"8 or more in {like.sum()} of {len(each)}, none in {(unsure == 0).sum()}",
        ),
        ("where 8 or more are: R of S-ODP_A by that of S-ODP_R", "1.8", _median(slower[like])),
        ("the same, any placement as available", "1.8", _median(any_slower[like])),
    ]


def _median(values: Floats) -> str:
    if not len(values):
        return "no such instance"
    return f"{np.median(values):.2f} ({values.min():.2f} to {values.max():.2f})"
