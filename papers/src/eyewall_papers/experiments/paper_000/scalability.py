"""Section 7.3, figures 9 and 10: how long odp takes, one factor varied at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np
from eyewall_sidecar.exact.sampling import sampled
from eyewall_sidecar.model import PlacementProblem, Status
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies import load_policy
from numpy.random import default_rng

from eyewall_papers.experiments.report import Line, Panel, Row, show
from eyewall_papers.instances.baseline import GraphShape, baseline

OPERATORS = NODES = 20
CAPACITY = 4
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
LIMITS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02)
"""Seconds: each a run of its own, for the gap over time."""
OBJECTIVE = Objective({Term.R: 1.0})
LONGEST = {GraphShape.SEQUENTIAL: 50.0, GraphShape.FAT: 3.0}
"""Seconds on the longest path of 50 operators with the paper's R_i = 1 s."""
TIME = "solving time, ms"


@dataclass(frozen=True, slots=True)
class ScalingCase:
    """A point of a figure: a problem for each seed.

    Parameters
    ----------
    factor
        What is varied: operators, nodes, capacity, load, candidates or limit. The text does not
        say how it varied the load: by larger operators or fewer nodes.
    amount
        Its value.
    limit
        Seconds for each run.
    """

    factor: str
    shape: GraphShape
    amount: float
    draw: Callable[[int], PlacementProblem]
    limit: float


@dataclass(frozen=True, slots=True)
class ScalingRun:
    """The answer of odp to one problem; the gap is infinite without a bound."""

    seconds: float
    value: float
    gap: float
    proven: bool


def solve(case: ScalingCase, seed: int) -> ScalingRun:
    """Ask odp; its time counts from the problem to the answer."""
    found = load_policy("odp")(case.draw(seed), OBJECTIVE, time_limit=case.limit, seed=1)
    value = found.evaluation.value if found.evaluation else inf
    gap = inf if found.gap is None else found.gap
    return ScalingRun(found.seconds, value, gap, found.status is Status.OPTIMAL)


def cases(*, full: bool, limit: float) -> Iterator[ScalingCase]:
    """Yield all points; `full` has every size between the ends of the paper's axes."""
    for shape in GraphShape:
        for count in (10, 20, 30, 40, 50):
            draw = partial(_draw, shape, operators=count)
            yield ScalingCase("operators", shape, count, draw, limit)
        for count in range(10, 101, 10) if full else (10, 20, 50, 100):
            yield ScalingCase("nodes", shape, count, partial(_draw, shape, nodes=count), limit)
        for room in range(2, 11) if full else (2, 4, 6, 8, 10):
            yield ScalingCase("capacity", shape, room, partial(_draw, shape, capacity=room), limit)
        for cores in (1, 2, 4):
            draw = partial(baseline_with_load, shape, cores)
            yield ScalingCase("load, by C_i", shape, cores / CAPACITY, draw, limit)
        for nodes in (20, 10, 7, 5):
            share = OPERATORS / (nodes * CAPACITY)
            draw = partial(_draw, shape, nodes=nodes)
            yield ScalingCase("load, by nodes", shape, share, draw, limit)
        for seconds in LIMITS:
            yield ScalingCase("limit", shape, seconds, partial(_draw, shape, nodes=100), seconds)
        for share in SHARES if shape is not GraphShape.LAYERS else ():
            yield ScalingCase("candidates", shape, share, partial(_sample, shape, share), limit)


def _draw(
    shape: GraphShape,
    seed: int,
    *,
    operators: int = OPERATORS,
    nodes: int = NODES,
    capacity: int = CAPACITY,
) -> PlacementProblem:
    return baseline(shape, operators, nodes, capacity=capacity, seed=seed)


def _sample(shape: GraphShape, share: float, seed: int) -> PlacementProblem:
    whole = baseline(shape, 50, NODES, seed=seed)
    return sampled(whole, share, default_rng([seed, int(share * 100)]))


def baseline_with_load(shape: GraphShape, cores: int, seed: int) -> PlacementProblem:
    """Return the baseline with C_i = cores."""
    problem = _draw(shape, seed)
    return replace(
        problem,
        operators=tuple(replace(it, cpu=float(cores)) for it in problem.operators),
        nodes=tuple(replace(it, cpu=float(CAPACITY)) for it in problem.nodes),
    )


def variables(problem: PlacementProblem) -> tuple[int, int]:
    """Return the numbers of x and y in the paper's formulation."""
    nodes = len(problem.nodes)
    return len(problem.operators) * nodes, len(problem.streams) * nodes**2


def median_ms(found: Sequence[ScalingRun]) -> float:
    return float(np.median([it.seconds for it in found])) * 1e3


def median_gap(found: Sequence[ScalingRun]) -> float:
    return float(np.median([it.gap for it in found]))


def degradation(found: Sequence[ScalingRun], whole: Sequence[ScalingRun], longest: float) -> float:
    """Return R with a sample of candidates by R with all of them, median of seeds.

    `longest` is how many seconds of execution the longest path has in addition to delays.
    """
    ratios = [
        (longest + it.value) / (longest + all_of.value)
        for it, all_of in zip(found, whole, strict=True)
    ]
    return float(np.median(ratios))


def show_tables(solved: Mapping[ScalingCase, Sequence[ScalingRun]]) -> None:
    """Print times, gaps after each limit, samples of candidates, and quoted values."""
    apart = ("limit", "candidates")
    points = {(it.factor, it.amount, it.shape): it for it in solved}
    amounts = dict.fromkeys((it.factor, it.amount) for it in solved)

    def by_shape(cell: Callable[[ScalingCase], str], factors: Callable[[str], bool]) -> None:
        rows = [
            (factor, f"{amount:.3g}", *(cell(points[factor, amount, it]) for it in GraphShape))
            for factor, amount in amounts
            if factors(factor)
        ]
        show(("varied", "to", *GraphShape), rows)

    by_shape(lambda it: _time(solved[it]), lambda factor: factor not in apart)
    by_shape(lambda it: _gap(median_gap(solved[it])), lambda factor: factor == "limit")
    samples: list[Row] = []
    for case in (it for it in solved if it.factor == "candidates"):
        found, optimal = solved[case], solved[points["candidates", 1.0, case.shape]]
        worse = f"{degradation(found, optimal, 0.0):.2f}"
        with_work = f"{degradation(found, optimal, LONGEST[case.shape]):.3f}"
        samples.append((f"{case.amount:.0%}", case.shape, _time(found), worse, with_work))
    show(("candidates", "shape", "ms", "R / optimum", "with R_i = 1 s"), samples)
    quoted: list[Row] = []
    for shape in GraphShape:
        sizes = (variables(baseline(shape, *it, seed=1)) for it in ((50, 20), (20, 100)))
        times = [median_ms(solved[points[it, 50, shape]]) for it in ("operators", "nodes")]
        counts = (f"{xs} x, {ys} y" for xs, ys in sizes)
        quoted.append((shape, *counts, f"{times[0] / times[1]:.1f}"))
    show(("shape", "50 × 20", "20 × 100", "ms for 50 × 20 by those for 20 × 50"), quoted)


def _time(found: Sequence[ScalingRun]) -> str:
    """Return ms to the answer; if not all are proven, also their number and the median gap."""
    proven = sum(it.proven for it in found)
    shown = f"{median_ms(found):.1f}"
    if proven == len(found):
        return shown
    rest = float(np.median([it.gap for it in found if not it.proven]))
    return f"{shown} ({proven} of {len(found)} proven, gap of the rest {_gap(rest)})"


def _gap(gap: float) -> str:
    return f"{gap:.1%}" if np.isfinite(gap) else "none yet"


def panels(solved: Mapping[ScalingCase, Sequence[ScalingRun]]) -> list[Panel]:
    """Draw figures 9a to 9c and 10a to 10c."""
    ms = {it: median_ms(found) for it, found in solved.items()}
    gaps = {it: min(median_gap(found), 1.0) for it, found in solved.items()}
    whole = {it.shape: found for it, found in solved.items() if it.amount == 1}
    worse = {
        it: degradation(found, whole[it.shape], 0.0)
        for it, found in solved.items()
        if it.factor == "candidates"
    }

    def panel(
        x: str, y: str, factor: str, value: Mapping[ScalingCase, float], *scales: str
    ) -> Panel:
        lines: dict[str, Line] = {}
        for shape in GraphShape:
            cases = [it for it in value if (it.factor, it.shape) == (factor, shape)]
            if cases:
                lines[shape] = [it.amount for it in cases], [value[it] for it in cases]
        return Panel(x, y, lines, scales=(scales[0], scales[1]) if scales else ("linear", "log"))

    capacity = "capacity of each of 20 nodes, 20 operators"
    sample = "share of 20 candidates, 50 operators"
    limit = "time limit, s; 20 operators on 100 nodes"
    return [
        panel("operators, on 20 nodes", TIME, "operators", ms),
        panel("nodes, for 20 operators", TIME, "nodes", ms),
        panel(capacity, TIME, "capacity", ms),
        panel(sample, TIME, "candidates", ms),
        panel(sample, "R by the optimum's", "candidates", worse, "linear", "linear"),
        panel(limit, "gap, 1 if greater", "limit", gaps, "log", "linear"),
    ]
