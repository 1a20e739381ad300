"""The clock of section 7.2: who runs where from when on, and what that was worth.

The text gives the moment of S-ODP's second step (100 s), the interval that it averages over (800 to
2000 s) and that the runs go on beyond. The rest of the clock is ours: see `PERIOD` and `END`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from eyewall_sidecar.model import Placement, PlacementProblem
from eyewall_sidecar.model.arrays import Floats
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import METRICS

from eyewall_papers.experiments.paper_000.placements import mean_latency, optimum, placement

RATES_KNOWN = 100.0
"""Seconds: the second step of S-ODP, and Xu's first reassignment."""
AVERAGED = 800.0, 2000.0
PERIOD = 30.0
"""Seconds between two looks of a decentralised scheduler: an assumption."""
END = 3000.0
"""Seconds. What happens after 2000 s is mentioned, so the paper's axis ends later: assumed."""

Metric = Callable[[PlacementProblem, Placement], float]


@dataclass(frozen=True, slots=True)
class Step:
    """A placement from this second on, until the next step."""

    since: float
    chosen: Placement


@dataclass(frozen=True, slots=True)
class Run:
    """All placements of one application, in order of time; each differs from the one before."""

    problem: PlacementProblem
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, problem: PlacementProblem, steps: list[Step]) -> "Run":
        changed = [
            it
            for before, it in zip([None, *steps], steps, strict=False)
            if before is None or dict(before.chosen) != dict(it.chosen)
        ]
        return cls(problem, tuple(changed))

    @property
    def reassignments(self) -> tuple[float, ...]:
        """When operators were moved, in seconds; several at once are one reassignment."""
        return tuple(it.since for it in self.steps[1:])

    @property
    def moves(self) -> int:
        """How many operators were moved, all reassignments together."""
        pairs = zip(self.steps, self.steps[1:], strict=False)
        return sum(
            after.chosen[name] != node for old, after in pairs for name, node in old.chosen.items()
        )

    def values(self, metric: Metric) -> Floats:
        """Return [step]: the metric of each placement, by the true delays and rates."""
        return np.array([metric(self.problem, it.chosen) for it in self.steps])

    def mean(self, metric: Metric, begin: float, end: float) -> float:
        """Return the metric's mean over an interval of time."""
        since = np.clip([*(it.since for it in self.steps), END], begin, end)
        return float(self.values(metric) @ np.diff(since) / (end - begin))

    def settled(self, still: float = 500.0) -> float:
        """Return from when on nothing was moved for that many seconds."""
        gaps = np.diff([*(it.since for it in self.steps), END + still])
        return self.steps[int(np.argmax(gaps >= still))].since


def in_two_steps(problem: PlacementProblem, term: Term) -> Run:
    """S-ODP: w_a = 1 as long as no rates are known, then w_z = 1."""
    early = placement(optimum(problem, Term.A))
    known = placement(optimum(problem, term))
    return Run.of(problem, [Step(0.0, early), Step(RATES_KNOWN, known)])


def by_optimum(run: Run, best: Run, metric: Metric) -> float:
    """Return a run's mean over the paper's interval, by that of S-ODP's run."""
    return run.mean(metric, *AVERAGED) / best.mean(metric, *AVERAGED)


LATENCY: Metric = mean_latency
TRAFFIC: Metric = METRICS[Term.T]
