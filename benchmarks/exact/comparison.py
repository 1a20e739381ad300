"""The answers of every contender to one case, seed by seed, and their contradictions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from benchmarks.exact.cases import GROUPS, BenchmarkCase
from benchmarks.exact.contender_process import ContenderProcess
from benchmarks.exact.contenders import ContenderRun, Question
from benchmarks.exact.engines import ENGINES

OURS = "odp"
COMPILED = (OURS, *ENGINES)
WARM_WITHIN = 900.0
"""Seconds that an unmeasured run may take: code is compiled once after it was changed."""
SAME = 2e-6
"""Relative difference of two proven costs that solvers' gaps explain."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how often contenders are asked.

    Parameters
    ----------
    seeds, ours
        Seeds of all but PuLP, and seconds each.
    open_seeds
        The same for cases of the group `open`: each may take all its seconds.
    reference_seeds, reference
        The same for the integer program of the paper, which seldom ends beyond S-ODP.
    """

    seeds: int
    open_seeds: int
    ours: float
    reference_seeds: int
    reference: float

    def of(self, contender: str, case: BenchmarkCase) -> tuple[int, float]:
        """Return seeds and seconds."""
        seeds = min(self.seeds, self.open_seeds) if case in GROUPS["open"] else self.seeds
        if not contender.startswith("PuLP"):
            return seeds, self.ours
        small = case in GROUPS["sodp"]
        return (seeds if small else min(seeds, self.reference_seeds)), self.reference


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """What every contender answered on one case: contender → seed → run."""

    case: BenchmarkCase
    runs: dict[str, list[ContenderRun]] = field(default_factory=dict)

    def milliseconds(self, contender: str) -> float | None:
        """Return the median over seeds; None for a contender that did not run."""
        runs = self.runs.get(contender)
        return median(it.seconds for it in runs) * 1e3 if runs else None

    def proven(self, contender: str) -> int:
        """Return on how many seeds it proved its answer optimal."""
        return sum(it.proven for it in self.runs.get(contender, []))

    def gaps(self, contender: str) -> list[float]:
        """Return the gap of each answer without a proof; 1 where the contender gives none."""
        runs = self.runs.get(contender, [])
        return [1.0 if it.gap is None else it.gap for it in runs if not it.proven]

    def complaints(self) -> list[str]:
        """Return a sentence for each contender that failed, and each contradiction."""
        broken = [
            f"{self.case.name} {self.case.objective} seed {seed}: {one}: {run.remark[:200]}"
            for one, runs in self.runs.items()
            for seed, run in enumerate(runs)
            if run.failed
        ]
        return broken + self.contradictions()

    def contradictions(self) -> list[str]:
        """Return a sentence for each answer that is better than a proven optimum."""
        found = []
        for one, runs in self.runs.items():
            for seed, run in enumerate(runs):
                if not run.proven or run.cost is None:
                    continue
                for other, answers in self.runs.items():
                    cost = answers[seed].cost if seed < len(answers) else None
                    if cost is not None and run.cost - cost > SAME * max(abs(run.cost), 1e-9):
                        found.append(
                            f"{self.case.name} {self.case.objective} seed {seed}: {one} proves "
                            f"{run.cost:.9g}, {other} has {cost:.9g}"
                        )
        return found


def compare(
    case: BenchmarkCase,
    contenders: Sequence[str],
    limits: Limits,
    workers: Callable[[str], ContenderProcess],
    step: Callable[[str], None],
) -> ComparisonRow:
    """Run every contender; `odp` comes first, since the others need the ranges that it finds.

    Parameters
    ----------
    workers
        Contender → the process that runs it.
    step
        Called with the contender before each run.
    """
    row = ComparisonRow(case)
    ranges: list[ContenderRun] = []
    for contender in contenders:
        count, seconds = limits.of(contender, case)
        runs = row.runs.setdefault(contender, [])
        for seed in range(count):
            step(contender)
            question = Question(case.problem(seed), case.objective, seconds, seed, {})
            if contender != OURS:
                found = ranges[seed].ranges
                if found is None and not case.objective.single:
                    runs.append(ContenderRun(0.0, remark=f"{OURS} found nothing to normalise with"))
                    continue
                question = replace(question, ranges=found or {})
            if contender in COMPILED:  # compiling and loading code for such a case is not timed
                untimed = replace(question, time_limit=min(1.0, seconds))
                workers(contender).ask(contender, untimed, WARM_WITHIN)
            runs.append(workers(contender).ask(contender, question, 3 * seconds + 30))
        if contender == OURS:
            ranges = runs
    return row


def seconds_to_load(worker: ContenderProcess) -> float:
    """Return how much longer the first answer of a new process takes: compiled code is loaded."""
    case = GROUPS["table"][0]
    question = Question(case.problem(0), case.objective, 10.0, 0, {})
    worker.ask(OURS, question, WARM_WITHIN)  # compiles what is not compiled yet
    worker.end()
    first, second = (worker.ask(OURS, question, WARM_WITHIN).seconds for _ in range(2))
    return first - second
