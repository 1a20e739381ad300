"""The excess of every policy over the optimum after 50 ms, 200 ms and 1 s, or other limits.

Excess over the optimum, median and greatest over seeds, in per cent of the optimum (of −log A for
availability, of the normalised cost for several terms). The optimum is the one that `odp` proves
within --optimum seconds; without a proof it is the best answer of all policies, marked "~". A
policy that declines the objective has a "–". "Worse than another" counts the answers, of cases and
seeds, that another policy's of the same limit is better than by more than 0.1 %. Each policy has
one thread and one untimed run first.

    python -m benchmarks heuristics [--groups …] [--policies …] [--plot FILE.svg] [--quick]
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from statistics import median

from eyewall_papers.experiments.report import Row, progress_bar, show
from eyewall_sidecar.policies import policy_catalogue

from benchmarks.exact.cases import GROUPS, BenchmarkCase
from benchmarks.exact.comparison import OURS, SAME, WARM_WITHIN
from benchmarks.exact.contender_process import ContenderProcess
from benchmarks.exact.contenders import ContenderRun, Question
from benchmarks.heuristic.excess_plot import Point, draw

WORSE = 1e-3
"""Relative difference from which an answer counts as worse than another policy's."""
NOTHING = 1e-9
"""A cost that counts as 0."""
DECLINED = "ObjectiveError"
SUMMARY = (
    *("policy", "ms", "such cases", "of", "worst median, %", "worst, %", "latest, ms"),
    *("worse than another", "of", "most, times"),
)
CLOSE, WORST = 0.01, 0.05
"""Bounds of a close answer: median excess, and greatest excess."""


@dataclass(frozen=True, slots=True)
class Excesses:
    """One case: the optimum of each seed, and the answers by policy and time limit."""

    case: BenchmarkCase
    optima: list[ContenderRun]
    runs: dict[tuple[str, float], list[ContenderRun]] = field(default_factory=dict)

    @property
    def proven(self) -> bool:
        """Whether the optimum of every seed is proven."""
        return all(it.proven for it in self.optima)

    def of(self, policy: str, limit: float) -> list[float] | None:
        """Return the excess on each seed as a fraction, infinite without a placement.

        None if the policy declined the objective.
        """
        runs = self.runs.get((policy, limit), [])
        if not runs or all(it.remark.startswith(DECLINED) for it in runs):
            return None
        return [_excess(run.cost, self._least(seed)) for seed, run in enumerate(runs)]

    def against_others(self, policy: str, limit: float) -> list[float]:
        """Return its cost by the least of the other policies', by seed; infinite without one.

        Empty if it declined the objective; a seed that no other answers is left out.
        """
        if self.of(policy, limit) is None:
            return []
        others = [
            [inf if it.cost is None else it.cost for it in runs]
            for (other, asked), runs in self.runs.items()
            if asked == limit and other != policy
        ]
        return [
            1.0 + _excess(run.cost, least)
            for run, *costs in zip(self.runs[policy, limit], *others, strict=True)
            if (least := min(costs, default=inf)) < inf
        ]

    def _least(self, seed: int) -> float:
        optimum = self.optima[seed]
        if optimum.proven and optimum.cost is not None:
            return optimum.cost
        answers = [optimum, *(runs[seed] for runs in self.runs.values())]
        return min((it.cost for it in answers if it.cost is not None), default=inf)


def main() -> None:
    options = _options()
    cases = [case for group in options.groups.split(",") for case in GROUPS[group]]
    policies = options.policies.split(",")
    seeds = 1 if options.quick else options.seeds
    limits = options.limits
    found: list[Excesses] = []
    with ContenderProcess() as worker, progress_bar() as progress, suppress(KeyboardInterrupt):
        task = progress.add_task("loading", total=len(cases) * (1 + len(policies)))
        for case in cases:

            def step(what: str, name: str = f"{case.name} {case.objective}") -> None:
                progress.update(task, description=f"{name}: {what}", advance=1)

            found.append(_measure(worker, case, policies, seeds, options.optimum, limits, step))
            if options.json:
                entries = [it for one in found for it in _entries(one)]
                options.json.write_text(json.dumps(entries, indent=1))
    for limit in limits:
        title = (
            f"Excess over the optimum after {limit * 1e3:g} ms, in %: median / greatest of seeds"
        )
        show(("case", "objective", *policies), _rows(found, policies, limit), title, left=2)
    title = f"Cases with a median ≤ {CLOSE:.0%} and all ≤ {WORST:.0%}, of those it takes"
    show(SUMMARY, _summary(found, policies, limits), title)
    if options.plot:
        points = [it for one in found for it in _points(one, policies, limits)]
        draw(points, [f"{limit * 1e3:g} ms" for limit in limits], options.plot)
    complaints = [it for one in found for it in _complaints(one)]
    print("\n".join(complaints) or "No policy is better than a proven optimum.")
    raise SystemExit(1 if complaints else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--groups", default="sodp,table,open", help=f"of {', '.join(GROUPS)}")
    parser.add_argument("--policies", default=",".join(policy_catalogue()))
    parser.add_argument("--limits", type=_seconds, default=(0.05, 0.2, 1.0), help="0.05,0.2,1")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--optimum", type=float, default=30.0, help="seconds to prove it in")
    parser.add_argument("--plot", type=Path, help="write a picture to this SVG file")
    parser.add_argument("--json", type=Path, help="write every run to this file, case by case")
    parser.add_argument("--quick", action="store_true", help="one seed")
    options = parser.parse_args()
    for name, known in (("groups", GROUPS), ("policies", policy_catalogue())):
        if unknown := set(getattr(options, name).split(",")) - set(known):
            parser.error(f"--{name} {', '.join(sorted(unknown))}: there are {', '.join(known)}")
    return options


def _seconds(text: str) -> tuple[float, ...]:
    return tuple(float(it) for it in text.split(","))


def _measure(
    worker: ContenderProcess,
    case: BenchmarkCase,
    policies: Sequence[str],
    seeds: int,
    optimum: float,
    limits: Sequence[float],
    step: Callable[[str], None],
) -> Excesses:
    questions = [Question(case.problem(it), case.objective, optimum, it, {}) for it in range(seeds)]
    step("optimum")
    optima = [worker.ask(OURS, it, 3 * optimum + WARM_WITHIN) for it in questions]
    asked = [replace(q, ranges=it.ranges or {}) for q, it in zip(questions, optima, strict=True)]
    found = Excesses(case, optima)
    if not case.objective.single and not all(it.ranges for it in optima):
        return found  # without ranges answers cannot be compared
    for policy in policies:
        step(policy)
        worker.ask(policy, replace(asked[0], time_limit=1.0), WARM_WITHIN)
        for limit in limits:
            found.runs[policy, limit] = [
                worker.ask(policy, replace(it, time_limit=limit), 3 * limit + 30) for it in asked
            ]
    return found


def _excess(cost: float | None, least: float) -> float:
    if cost is None:
        return inf
    if abs(least) < NOTHING:
        return 0.0 if abs(cost) < NOTHING else inf
    return (cost - least) / abs(least)


def _times(ratio: float) -> str:
    return "none" if ratio == inf else f"{ratio:.3f}"


def _rows(found: Sequence[Excesses], policies: Sequence[str], limit: float) -> Iterator[Row]:
    for one in found:
        name = f"{'' if one.proven else '~ '}{one.case.name}"
        cells = [_cell(one.of(policy, limit)) for policy in policies]
        yield name, str(one.case.objective), *cells


def _cell(excesses: list[float] | None) -> str:
    if excesses is None:
        return "–"
    return f"{_percent(median(excesses))} / {_percent(max(excesses))}"


def _percent(value: float) -> str:
    return "none" if value == inf else f"{max(0.0, value) * 100:.1f}"


def _summary(
    found: Sequence[Excesses], policies: Sequence[str], limits: Sequence[float]
) -> Iterator[Row]:
    for policy in policies:
        for limit in limits:
            each = [it for one in found if (it := one.of(policy, limit)) is not None]
            if not each:
                continue
            good = sum(median(it) <= CLOSE and max(it) <= WORST for it in each)
            late = [run.seconds for one in found for run in one.runs.get((policy, limit), [])]
            ratios = [it for one in found for it in one.against_others(policy, limit)]
            yield (
                policy,
                f"{limit * 1e3:g}",
                f"{good}",
                f"{len(each)}",
                _percent(max(median(it) for it in each)),
                _percent(max(max(it) for it in each)),
                f"{max(late) * 1e3:.0f}",
                f"{sum(it > 1.0 + WORSE for it in ratios)}",
                f"{len(ratios)}",
                _times(max(ratios, default=1.0)),
            )


def _points(one: Excesses, policies: Sequence[str], limits: Sequence[float]) -> Iterator[Point]:
    for limit in limits:
        for policy in policies:
            if (excesses := one.of(policy, limit)) is not None:
                case = f"{one.case.name} {one.case.objective}"
                yield Point(case, policy, f"{limit * 1e3:g} ms", median(excesses), max(excesses))


def _complaints(one: Excesses) -> Iterator[str]:
    for (policy, limit), runs in one.runs.items():
        for seed, run in enumerate(runs):
            least = one.optima[seed]
            if run.failed and not run.remark.startswith(DECLINED):
                yield f"{one.case.name} {one.case.objective} seed {seed}: {policy}: {run.remark}"
            if least.proven and _excess(run.cost, least.cost or 0.0) < -SAME:
                yield (
                    f"{one.case.name} {one.case.objective} seed {seed}: {policy} has {run.cost} "
                    f"after {limit:g} s, the proven optimum is {least.cost}"
                )


def _entries(one: Excesses) -> Iterator[dict[str, object]]:
    for (policy, limit), runs in one.runs.items():
        yield {
            "case": one.case.name,
            "objective": str(one.case.objective),
            "policy": policy,
            "limit": limit,
            "optima": [{"cost": it.cost, "proven": it.proven} for it in one.optima],
            "runs": [{"cost": it.cost, "seconds": it.seconds, "remark": it.remark} for it in runs],
        }


if __name__ == "__main__":
    main()
