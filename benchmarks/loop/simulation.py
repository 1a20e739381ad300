"""Many random cases of the simulated loop, and what the sidecar makes of them next to RAS.

A case is below RAS if, in the last third, less than 0.99 of RAS's tuples come out, or if they take
5 % and 0.5 ms longer on average; where a host is slowed for a minute, from the first minute on.
Cases are the same for every contender: they follow from their seeds.
"""

from __future__ import annotations

import logging
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import geometric_mean, mean
from typing import TYPE_CHECKING

from benchmarks.loop.simulated_cases import BRIEFLY, random_case
from benchmarks.loop.simulated_loop import (
    RAS,
    Contender,
    LoopResult,
    carried_by,
    run_case,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SETTLED = 60.0
"""Seconds after the first placement from which on a move counts."""
LEAST_THROUGHPUT = 0.99
MOST_LATENCY = 1.05
JITTER = 0.0005
"""Seconds by which latencies may differ in addition."""


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """A contender's result in one case, and RAS's."""

    seed: int
    kind: str
    shape: str
    offered: float
    result: LoopResult
    ras: LoopResult

    @property
    def late_moves(self) -> int:
        """Moves after the first minute."""
        return sum(it > SETTLED for it in self.result.moves)

    @property
    def is_below_ras(self) -> bool:
        """Whether fewer tuples come out than under RAS, or later."""
        own, ras = self.result, self.ras
        (throughput, latency), (its, its_latency) = (
            # At the end a host that was slowed for a minute is as before.
            it.overall if self.kind == BRIEFLY else (it.throughput, it.latency)
            for it in (own, ras)
        )
        # What comes out beyond what is offered had waited before.
        if throughput < LEAST_THROUGHPUT * min(1.0, its):
            return True
        return latency > MOST_LATENCY * its_latency + JITTER

    @property
    def times_longer(self) -> float:
        """How many times as long tuples take as under RAS, from the first minute to the end.

        0 where nothing came out.
        """
        if not self.ras.overall[1]:
            return 0.0
        return self.result.overall[1] / self.ras.overall[1]


def log_nothing() -> None:
    """Keep decisions out of this process's log."""
    logging.getLogger("eyewall").setLevel(logging.CRITICAL)


def simulate(seed: int, kind: str, contender: Contender, seconds: float) -> CaseOutcome:
    """Run one case under a contender and under RAS."""
    case = random_case(seed, kind)
    offered = case.load * carried_by(case, RAS)
    result = run_case(case, contender, seconds, offered)
    return CaseOutcome(
        seed, kind, case.shape, offered, result, run_case(case, RAS, seconds, offered)
    )


def simulate_all(
    seeds: Iterable[int], kind: str, contender: Contender, seconds: float, jobs: int = 1
) -> Iterator[CaseOutcome]:
    """Run cases, several at a time if `jobs` says so."""
    if jobs == 1:
        for seed in seeds:
            yield simulate(seed, kind, contender, seconds)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=log_nothing) as pool:
        under_way = [pool.submit(simulate, seed, kind, contender, seconds) for seed in seeds]
        for it in under_way:
            yield it.result()


def summary_table(outcomes: Sequence[CaseOutcome], contender: str) -> str:
    """Return one row for each kind of case."""
    lines = [
        (
            "| cases | contender | moves after 1 min, mean (most) | s without output, mean (most) "
            "| cases below RAS | throughput / RAS, mean (least) | time / RAS, overall (most) |"
        ),
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for kind in dict.fromkeys(it.kind for it in outcomes):
        of = [it for it in outcomes if it.kind == kind]
        moves = [it.late_moves for it in of]
        lost = [it.result.lost_seconds for it in of]
        below = sum(it.is_below_ras for it in of)
        ratios = [it.result.throughput / max(it.ras.throughput, 1e-9) for it in of]
        longer = [it.times_longer for it in of if it.times_longer > 0]  # something came out
        lines.append(
            f"| {len(of)} × {kind} | {contender} | {mean(moves):.2f} ({max(moves)}) "
            f"| {mean(lost):.1f} ({max(lost):.0f}) | {below} ({100 * below / len(of):.1f} %) "
            f"| {mean(ratios):.2f} ({min(ratios):.2f}) "
            f"| {geometric_mean(longer or [1.0]):.2f} ({max(longer, default=1.0):.2f}) |"
        )
    return "\n".join(lines)


def case_figures(outcome: CaseOutcome) -> dict[str, object]:
    """Return what tells a case from others, for a file."""
    own, ras = outcome.result, outcome.ras
    return {
        "seed": outcome.seed,
        "kind": outcome.kind,
        "shape": outcome.shape,
        "offered": outcome.offered,
        "moves": own.moves,
        "lost_seconds": own.lost_seconds,
        "throughput": [own.throughput, ras.throughput],
        "latency": [own.latency, ras.latency],
        "overall": [own.overall, ras.overall],
        "below_ras": outcome.is_below_ras,
    }
