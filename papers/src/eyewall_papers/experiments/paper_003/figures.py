"""Figures 2 to 9: the problems of each point, and the price that each method finds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from eyewall_sidecar.model import Status
from numpy.random import default_rng

from eyewall_papers.experiments.paper_003.workload import (
    BIG,
    HIGH,
    LOW,
    WorkloadReading,
    WorkloadSetting,
    problem,
)
from eyewall_papers.experiments.report import Panel
from eyewall_papers.provisioning import Provision, ProvisioningProblem
from eyewall_papers.provisioning.exact import exact
from eyewall_papers.provisioning.heuristics import HEURISTICS
from eyewall_papers.provisioning.repair import repair

OURS = "repairing"
OPTIMUM = "optimum"
REPLICATED = 3
"""Of 6 servers: 50 %."""

Prices = dict[str, list[float | None]]
"""Method → a price for each tree, None where it found nothing."""


@dataclass(frozen=True, slots=True)
class PriceFigure:
    """One picture of the paper.

    Parameters
    ----------
    name
        Its number and letter.
    title
        What is fixed.
    x
        What is varied.
    points
        Its values, each with the problems there.
    homogeneous
        Whether only the most expensive machine is available, and the optimum is shown.
    """

    name: str
    title: str
    x: str
    points: Sequence[tuple[float, WorkloadSetting]]
    homogeneous: bool = False

    def panel(self, found: Sequence[Prices]) -> Panel:
        """Draw means over the trees for which a method found something."""
        lines = {}
        for method in found[0]:
            means = [(x, mean(prices[method])) for (x, _), prices in self.drawn(found)]
            known = [(x, y / 1000) for x, y in means if y is not None]
            if known:
                lines[method] = ([x for x, _ in known], [y for _, y in known])
        scales = ("linear", "log")
        return Panel(f"{self.name}: {self.title}; {self.x}", "1,000 $", lines, scales=scales)

    def drawn(
        self, found: Sequence[Prices]
    ) -> Iterator[tuple[tuple[float, WorkloadSetting], Prices]]:
        """Yield each point with what was found there."""
        return zip(self.points, found, strict=True)


def figures(*, quick: bool) -> tuple[PriceFigure, ...]:
    """Return all of them; `quick` has a third of the points."""
    every = 3 if quick else 1
    many = range(20, 141, 20)[::every]
    few = range(5, 61, 5)[::every]
    small_alphas = (0.5, 0.9, 1.3, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3)[::every]
    big_alphas = (0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7)[::every]
    periods = (2, 4, 7, 10, 20, 50)[::every]
    return (
        _by_operators("2a", "small, α = 0.9", many, WorkloadSetting(0, 0.9)),
        _by_operators("2b", "small, α = 1.7", many, WorkloadSetting(0, 1.7)),
        _by_alpha("3a", "small, N = 20", small_alphas, WorkloadSetting(20)),
        _by_alpha("3b", "small, N = 60", small_alphas, WorkloadSetting(60)),
        _by_operators("4a", "big, α = 0.9", few, WorkloadSetting(0, 0.9, BIG)),
        _by_operators("4b", "big, α = 1.1", few, WorkloadSetting(0, 1.1, BIG)),
        _by_alpha("5a", "big, N = 20", big_alphas, WorkloadSetting(20, sizes=BIG)),
        _by_alpha("5b", "big, N = 40", big_alphas, WorkloadSetting(40, sizes=BIG)),
        _by_operators("6a", "big, f = 1/50 s", few, WorkloadSetting(0, 0.9, BIG, LOW)),
        _by_operators("6b", "big, f = 1/2 s", few, WorkloadSetting(0, 0.9, BIG, HIGH)),
        _by_period("7a", "small, N = 140", periods, WorkloadSetting(140)),
        _by_period("7b", "small, N = 160", periods, WorkloadSetting(160)),
        _by_period("8a", "N = 160, 1 replica", periods, WorkloadSetting(160, replicas=1)),
        _by_period("8b", "N = 160, 50 %", periods, WorkloadSetting(160, replicas=REPLICATED)),
        replace(
            _by_operators("9a", "one type, big, α = 0.9", few[:8], WorkloadSetting(0, 0.9, BIG)),
            homogeneous=True,
        ),
        replace(
            _by_operators("9b", "one type, big, α = 1.1", few[:8], WorkloadSetting(0, 1.1, BIG)),
            homogeneous=True,
        ),
    )


def prices(
    drawn: ProvisioningProblem, seed: int, *, limit: float, optimum: bool = False
) -> dict[str, float | None]:
    """Return what each method pays for a problem.

    Parameters
    ----------
    limit
        Seconds for our own method, and for the optimum; one that is not proven by then is None.
    """
    paid: dict[str, float | None] = {}
    for name, heuristic in HEURISTICS.items():
        found = heuristic(drawn, default_rng(seed))
        paid[name] = found.price if isinstance(found, Provision) else None
    _, ours = repair(drawn, time_limit=limit, seed=seed, clock=perf_counter)
    paid[OURS] = ours.price if ours else None
    if optimum:
        solution, best = exact(drawn, time_limit=limit, seed=seed, clock=perf_counter, start=ours)
        proven = best is not None and solution.status is Status.OPTIMAL
        paid[OPTIMUM] = best.price if best and proven else None
    return paid


def solve(
    figure: PriceFigure,
    reading: WorkloadReading,
    *,
    seeds: range,
    limit: float,
    advance: Callable[[], None],
) -> list[Prices]:
    """Solve all problems of a figure; one seed is one tree at every point."""
    solved = []
    for _, setting in figure.points:
        runs = []
        for seed in seeds:
            drawn = problem(setting, seed, reading)
            if figure.homogeneous:
                drawn = replace(drawn, types=(max(drawn.types, key=lambda it: it.price),))
            runs.append(prices(drawn, seed, limit=limit, optimum=figure.homogeneous))
            advance()
        solved.append({method: [it[method] for it in runs] for method in runs[0]})
    return solved


def mean(found: Sequence[float | None]) -> float | None:
    """Return the mean of what was found; None if nothing was."""
    known = [it for it in found if it is not None]
    return float(np.mean(known)) if known else None


def _by_operators(
    name: str, title: str, counts: Sequence[int], like: WorkloadSetting
) -> PriceFigure:
    points = [(float(it), replace(like, operators=it)) for it in counts]
    return PriceFigure(name, title, "N", points)


def _by_alpha(name: str, title: str, alphas: Sequence[float], like: WorkloadSetting) -> PriceFigure:
    return PriceFigure(name, title, "α", [(it, replace(like, alpha=it)) for it in alphas])


def _by_period(name: str, title: str, periods: Sequence[int], like: WorkloadSetting) -> PriceFigure:
    points = [(float(it), replace(like, frequency=1 / it)) for it in periods]
    return PriceFigure(name, title, "1/f, s", points)
