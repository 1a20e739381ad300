"""The figures quoted in the text of section 7.3, and those of our runs."""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.random import default_rng

from eyewall_papers.experiments.paper_003.figures import mean
from eyewall_papers.experiments.paper_003.workload import (
    BIG,
    HIGH,
    LOW,
    SMALL,
    WorkloadReading,
    WorkloadSetting,
    problem,
)
from eyewall_papers.experiments.report import Row
from eyewall_papers.provisioning import Provision
from eyewall_papers.provisioning.heuristics import HEURISTICS, FailedStep, HeuristicFailure
from eyewall_papers.provisioning.repair import repair

SUBTREE = "subtree-bottom-up"
GREEDY = ("comp-greedy", "comm-greedy", "object-greedy")
ALPHAS = [round(0.1 * it, 1) for it in range(12, 25)]
FLAT = 0.05
"""A median that is at most this much above the one of the smallest α does not rise yet."""
SHARE = 0.1
"""Nothing is feasible where fewer trees than this have any solution."""
TABLE_2 = {
    115: "7947, 13547, 8745 | 7548, 13547, 8745",
    116: "15495, 13547, 7947 | 15096, 13547, 7548",
    117: "7947, 13547, 7947 | 7548, 13547, 7548",
    118: "15495, 13547, 7548 | 15096, 13547, 7548",
    119: "15495, 13547, 8745 | 15096, 13547, 8745",
}
"""N → Comm-Greedy, Object-Greedy, Subtree-Bottom-Up at 1/2 s | the same at 1/50 s."""

Answers = dict[str, list[Provision | HeuristicFailure]]


def rows(reading: WorkloadReading, seeds: range) -> list[Row]:
    """Return (figure, paper, ours) for one reading."""
    hundred = _answers(WorkloadSetting(100), reading, seeds)
    means = {name: mean(_prices(found)) for name, found in hundred.items()}
    ranked = sorted(means, key=lambda it: means[it] or np.inf)
    return [
        ("Random, N = 100, α = 0.9", "above 400,000", _money(means["random"])),
        ("Subtree-Bottom-Up there", "8,745", _all(_prices(hundred[SUBTREE]))),
        (
            "dearest Greedy there",
            "below 50,000",
            _money(max((means[it] or np.inf) for it in GREEDY)),
        ),
        ("ranking there", "Subtree, Greedy, object, Random", ", ".join(ranked)),
        *_thresholds(20, "1.7, 2.2", reading, seeds),
        *_thresholds(60, "1.6, 1.8", reading, seeds),
        *(
            (
                f"feasible, α = 1.7, N = {count}",
                said,
                _share(WorkloadSetting(count, 1.7), reading, seeds),
            )
            for count, said in ((60, "yes"), (80, "limit"), (100, "almost none"))
        ),
        *(
            (
                f"feasible, big, α = {alpha}, N = {count}",
                said,
                _share(WorkloadSetting(count, alpha, BIG), reading, seeds),
            )
            for alpha in (0.9, 1.1)
            for count, said in ((20, "yes"), (40, "yes"), (50, "almost none"), (60, "almost none"))
        ),
        ("one machine suffices, N = 20, α = 0.9", "always", _singles(reading, seeds)),
        ("servers cannot be selected, big, N = 30 to 45", "N = 41, 42", _unserved(reading, seeds)),
        *(
            (f"table 2, N = {count}", said, _table_2(count, reading, seeds[0] + count))
            for count, said in TABLE_2.items()
        ),
    ]


def _answers(setting: WorkloadSetting, reading: WorkloadReading, seeds: range) -> Answers:
    return {
        name: [it(problem(setting, seed, reading), default_rng(seed)) for seed in seeds]
        for name, it in HEURISTICS.items()
    }


def _prices(found: Sequence[Provision | HeuristicFailure]) -> list[float | None]:
    return [it.price if isinstance(it, Provision) else None for it in found]


def _thresholds(count: int, said: str, reading: WorkloadReading, seeds: range) -> list[Row]:
    """Find the smallest α where Subtree-Bottom-Up costs more, and where nothing is feasible."""
    found = {it: _answers(WorkloadSetting(count, it), reading, seeds) for it in ALPHAS}
    typical = {it: _median(_prices(found[it][SUBTREE])) for it in ALPHAS}
    lowest = typical[ALPHAS[0]] * (1 + FLAT)
    rises = next((f"{it}" for it in ALPHAS if typical[it] > lowest), "-")
    ends = next((f"{it}" for it in ALPHAS if _feasible(found[it]) < SHARE), "-")
    return [(f"thresholds of α, N = {count}", said, f"{rises}, {ends}")]


def _median(found: Sequence[float | None]) -> float:
    """Return the median price, what was not found being dearer than anything."""
    return float(np.median([np.inf if it is None else it for it in found]))


def _feasible(found: Answers) -> float:
    """Share of trees for which any of the seven found a solution."""
    trees = zip(*found.values(), strict=True)
    return float(np.mean([any(isinstance(it, Provision) for it in tree) for tree in trees]))


def _share(setting: WorkloadSetting, reading: WorkloadReading, seeds: range) -> str:
    return f"{100 * _feasible(_answers(setting, reading, seeds)):.0f} %"


def _unserved(reading: WorkloadReading, seeds: range) -> str:
    """Say how often Subtree-Bottom-Up has a placement, but no servers for it."""
    shares = []
    for replicas in (None, 1):
        like = WorkloadSetting(0, 0.9, BIG, replicas=replicas)
        found = [
            HEURISTICS[SUBTREE](
                problem(replace(like, operators=count), seed, reading), default_rng(seed)
            )
            for count in range(30, 46, 5)
            for seed in seeds
        ]
        failed = sum(
            isinstance(it, HeuristicFailure) and it.step is FailedStep.SERVERS for it in found
        )
        shares.append(f"{100 * failed / len(found):.0f} %")
    return f"{shares[0]}, one replica {shares[1]}"


def _singles(reading: WorkloadReading, seeds: range) -> str:
    """Return the number of trees with one machine by our method, for small and big objects."""
    shares = []
    for sizes in (SMALL, BIG):
        drawn = [problem(WorkloadSetting(20, 0.9, sizes), seed, reading) for seed in seeds]
        best = [repair(it, time_limit=2.0, seed=1, clock=perf_counter)[1] for it in drawn]
        single = sum(it is not None and len(it.machines) == 1 for it in best)
        shares.append(f"{100 * single / len(best):.0f} %")
    return f"small {shares[0]}, big {shares[1]}"


def _table_2(count: int, reading: WorkloadReading, seed: int) -> str:
    """Return the prices for one tree, another for each N."""
    sides = []
    for frequency in (HIGH, LOW):
        drawn = problem(WorkloadSetting(count, frequency=frequency), seed, reading)
        names = ("comm-greedy", "object-greedy", SUBTREE)
        found = [HEURISTICS[it](drawn, default_rng(seed)) for it in names]
        sides.append(", ".join("-" if it is None else f"{it:.0f}" for it in _prices(found)))
    return " | ".join(sides)


def _money(amount: float | None) -> str:
    return "none" if amount is None or np.isinf(amount) else f"{amount:,.0f}"


def _all(found: Sequence[float | None]) -> str:
    """Return each price that occurs, with how often."""
    known = [it for it in found if it is not None]
    return ", ".join(f"{it:,.0f} ({known.count(it)})" for it in sorted(set(known))) or "none"
