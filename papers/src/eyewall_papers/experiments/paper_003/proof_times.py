"""The time to a proven cheapest platform, and the gap without a proof.

Paper 003's instances (section 7): random trees, 15 objects on 6 servers, all 25 machines of table
1, in both readings of its cards. "20" and "60" are numbers of operators; "paper" is the paper's
own integer program next to ours, on one instance each, for as many machine types as are named.
Times are from the problem to the answer, one thread, without a start from a heuristic.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter

from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.model import Status

from eyewall_papers.experiments.paper_003.formulation import MOST_VARIABLES, paper_program, size
from eyewall_papers.experiments.paper_003.workload import (
    BIG,
    HIGH,
    LOW,
    SMALL,
    Cards,
    Trees,
    WorkloadReading,
    WorkloadSetting,
    problem,
)
from eyewall_papers.experiments.report import CONSOLE, Row, progress_bar, show
from eyewall_papers.provisioning import ProvisioningProblem
from eyewall_papers.provisioning.exact import exact

ALPHAS = {
    "20": (0.9, 1.0, 1.2, 1.4, 1.6, 1.65, 1.7, 1.75, 1.8, 1.9, 2.2),
    "60": (1.0, 1.2, 1.3, 1.4, 1.5, 1.55, 1.6, 1.7),
}
CLASSES = {
    "small, 1/2 s": (SMALL, HIGH),
    "small, 1/50 s": (SMALL, LOW),
    "big, 1/2 s": (BIG, HIGH),
    "big, 1/50 s": (BIG, LOW),
}
PAPER_SIZES = ((5, 1), (5, 5), (10, 1), (10, 5), (20, 1), (20, 5), (20, 25))
"""(operators, machine types) of the comparison with the paper's program."""
PAPER_ALPHA = 1.7


@dataclass(frozen=True, slots=True)
class ProofRun:
    """One answer; `price` and `bound` in $, None without one."""

    part: str
    objects: str
    cards: str
    alpha: float
    seed: int
    status: Status
    decided_by: str
    seconds: float
    price: float | None
    bound: float | None
    gap: float | None
    machines: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The paper's program next to ours; prices are None where there is no proven optimum."""

    operators: int
    types: int
    as_written: int
    needed: int
    paper: str
    paper_seconds: float
    paper_price: float | None
    ours: str
    ours_seconds: float
    ours_price: float | None


COLUMNS = (
    "objects",
    "cards",
    "α",
    "with a platform",
    "machines",
    "proven",
    "median s",
    "worst s",
    "worst gap",
)
COMPARED = (
    "operators",
    "types",
    "variables as written",
    "needed",
    "paper's",
    "s",
    "price",
    "ours",
    "s",
    "price",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=_parts, default=[*ALPHAS, "paper"], help="of 20, 60, paper")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=60.0, help="ours, seconds")
    parser.add_argument("--reference", type=float, default=60.0, help="the paper's, seconds")
    parser.add_argument("--json", type=Path, help="write every run to this file")
    parser.add_argument("--quick", action="store_true", help="one seed, every other α, 5 s at most")


def _parts(text: str) -> list[str]:
    chosen = text.split(",")
    if unknown := set(chosen) - {*ALPHAS, "paper"}:
        names = ", ".join(sorted(unknown))
        raise argparse.ArgumentTypeError(f"{names}: parts are {', '.join(ALPHAS)}, paper")
    return chosen


def run(options: argparse.Namespace) -> None:
    if options.quick:
        options.seeds = 1
        options.time_limit = min(5.0, options.time_limit)
        options.reference = min(5.0, options.reference)
    cases = [it for part in options.parts if part in ALPHAS for it in _cases(part, options)]
    paper = "paper" in options.parts
    sizes = list(PAPER_SIZES[:3] if options.quick else PAPER_SIZES) if paper else []
    runs: list[ProofRun] = []
    comparisons: list[Comparison] = []
    with progress_bar() as progress, suppress(KeyboardInterrupt):
        task = progress.add_task("starting", total=len(cases) + len(sizes))
        for name, solve in cases:
            progress.update(task, description=name)
            runs.append(solve())
            progress.advance(task)
        for operators, types in sizes:
            progress.update(task, description=f"paper's program: {operators} on {types} types")
            comparisons.append(_comparison(operators, types, options.reference))
            progress.advance(task)
        if options.json:
            entries = {"runs": list(map(asdict, runs)), "paper": list(map(asdict, comparisons))}
            options.json.write_text(json.dumps(entries, indent=1))
    for part in (it for it in options.parts if it in ALPHAS):
        mine = [it for it in runs if it.part == part]
        show(COLUMNS, _rows(mine), f"{part} operators: by α, both readings of the cards", left=3)
        CONSOLE.print(_summary(part, mine))
    if comparisons:
        title = f"The paper's integer program next to ours, α = {PAPER_ALPHA:g}"
        show(COMPARED, map(_compared, comparisons), title, left=0)


def _cases(part: str, options: argparse.Namespace) -> Iterator[tuple[str, Callable[[], ProofRun]]]:
    alphas = ALPHAS[part][::2] if options.quick else ALPHAS[part]
    for cards, objects, alpha in product(Cards, CLASSES, alphas):
        for seed in range(options.seeds):

            def solve(
                cards: Cards = cards, objects: str = objects, alpha: float = alpha, seed: int = seed
            ) -> ProofRun:
                return _run(part, cards, objects, alpha, seed, options.time_limit)

            yield f"{part} operators, {objects}, α = {alpha:g}, {cards}", solve


def _drawn(
    operators: int, objects: str, alpha: float, seed: int, cards: Cards
) -> ProvisioningProblem:
    """Draw a problem; with even seeds objects are on several servers, with odd ones on one."""
    sizes, frequency = CLASSES[objects]
    replicas = 1 if seed % 2 else None
    setting = WorkloadSetting(operators, alpha, sizes, frequency, replicas)
    return problem(setting, seed, WorkloadReading(Trees.OPERATORS, cards))


def _run(part: str, cards: Cards, objects: str, alpha: float, seed: int, limit: float) -> ProofRun:
    drawn = _drawn(int(part), objects, alpha, seed, cards)
    began = perf_counter()
    solution, provision = exact(drawn, time_limit=limit, seed=0, clock=perf_counter)
    return ProofRun(
        part,
        objects,
        str(cards),
        alpha,
        seed,
        solution.status,
        solution.decided_by,
        perf_counter() - began,
        provision.price if provision else None,
        solution.bound,
        solution.gap,
        len(provision.machines) if provision else 0,
    )


def _comparison(operators: int, types: int, limit: float) -> Comparison:
    drawn = _drawn(operators, "small, 1/2 s", PAPER_ALPHA, 1, Cards.GIGABYTE)
    # Of 25 types every fifth has the widest card: with one type it is the largest of all.
    chosen = drawn.types[::-1][:: 25 // types][:types]
    drawn = replace(drawn, types=chosen)
    began = perf_counter()
    solution, provision = exact(drawn, time_limit=limit, seed=0, clock=perf_counter)
    ours = perf_counter() - began
    counted = size(drawn)
    paper, price, seconds = "not built", None, 0.0
    if counted.needed <= MOST_VARIABLES:
        began = perf_counter()
        linear = paper_program(drawn)
        run = minimise(linear, ends_at=began + limit, clock=perf_counter, seed=0)
        seconds = perf_counter() - began
        paper = run.outcome.value
        if run.outcome is Outcome.OPTIMAL:
            price = linear.objective.value() * max(it.price for it in chosen)
    return Comparison(
        operators,
        types,
        counted.as_written,
        counted.needed,
        paper,
        seconds,
        price,
        str(solution.status),
        ours,
        provision.price if provision else None,
    )


def _rows(runs: Sequence[ProofRun]) -> Iterator[Row]:
    for key in dict.fromkeys((it.objects, it.cards, it.alpha) for it in runs):
        asked = [it for it in runs if (it.objects, it.cards, it.alpha) == key]
        times = [it.seconds for it in asked]
        gaps = [it.gap for it in asked if it.gap is not None]
        machines = [it.machines for it in asked if it.machines]
        yield (
            key[0],
            key[1],
            f"{key[2]:g}",
            f"{sum(it.price is not None for it in asked)}/{len(asked)}",
            f"{min(machines)}–{max(machines)}" if machines else "",
            f"{sum(_proven(it) for it in asked)}/{len(asked)}",
            f"{median(times):.2f}",
            f"{max(times):.2f}",
            f"{max(gaps):.1%}" if gaps else "",
        )


def _summary(part: str, runs: Sequence[ProofRun]) -> str:
    several = [it for it in runs if it.machines > 1]
    gaps = [it.gap for it in several if it.gap is not None]
    times = [it.seconds for it in several]
    if not several:
        return f"{part} operators: no instance needs several machines."
    return (
        f"{part} operators: {len(several)} of {len(runs)} instances need several machines; of "
        f"these {sum(_proven(it) for it in several)} proven, median {median(times):.2f} s, worst "
        f"{max(times):.2f} s; gap: median {median(gaps):.1%}, worst {max(gaps):.1%}. Of all "
        f"{len(runs)}, {sum(_proven(it) for it in runs)} ended with a proof."
    )


def _proven(run: ProofRun) -> bool:
    return run.status in (Status.OPTIMAL, Status.INFEASIBLE)


def _compared(it: Comparison) -> Row:
    return (
        str(it.operators),
        str(it.types),
        f"{it.as_written:,}",
        f"{it.needed:,}",
        it.paper,
        f"{it.paper_seconds:.1f}",
        _price(it.paper_price),
        it.ours,
        f"{it.ours_seconds:.2f}",
        _price(it.ours_price),
    )


def _price(price: float | None) -> str:
    return "–" if price is None else f"{price:,.0f}"
