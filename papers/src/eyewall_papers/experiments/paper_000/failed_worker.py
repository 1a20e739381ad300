"""Section 6.2: a worker process fails, and S-ODP computes the optimal placement anew.

The process is a slot of the node that runs the most executors. Until it is back that node has its
other slot only: room for 4 of 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import METRICS
from eyewall_sidecar.policies import load_policy

from eyewall_papers.experiments.paper_000.placements import TIME_LIMIT, optimum, placement

SLOT = 4
"""EPS_max, section 7.1."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One instance and one objective.

    Parameters
    ----------
    seconds
        To solve anew.
    worse
        The objective after by that before.
    moves, at_least
        Executors that run elsewhere afterwards, and those that no longer had room.
    """

    seconds: float
    worse: float
    moves: int
    at_least: int


def fail(problem: PlacementProblem, term: Term) -> Failure:
    """Solve, take a slot away, and solve again from what runs."""
    before = placement(optimum(problem, term))
    loads = {it.id: list(before.values()).count(it.id) for it in problem.nodes}
    fullest = max(loads, key=lambda node: loads[node])
    left = replace(
        problem,
        nodes=tuple(
            replace(it, operators=SLOT) if it.id == fullest else it for it in problem.nodes
        ),
        current=before,
    )
    again = load_policy("odp")(left, Objective({term: 1.0}), time_limit=TIME_LIMIT, seed=1)
    metric = METRICS[term]
    worse = metric(left, placement(again)) / metric(problem, before)
    return Failure(again.seconds, worse, again.moves, max(0, loads[fullest] - SLOT))


def row(term: Term, found: Sequence[Failure]) -> tuple[str, ...]:
    """Return (objective, ms, objective after by before, executors moved, without room)."""
    return (
        f"S-ODP_{term}",
        f"{np.median([it.seconds for it in found]) * 1e3:.2f}",
        f"{np.max([it.seconds for it in found]) * 1e3:.1f}",
        f"{np.median([it.worse for it in found]):.2f}",
        f"{np.mean([it.moves for it in found]):.1f}",
        f"{np.mean([it.at_least for it in found]):.1f}",
    )
