"""Exact engines against brute force on small random problems, over all objectives.

Prints the number of answers compared and agreed, and every disagreement with the seed of its
problem; exits with 1 if there is any. The policy and the PuLP form take about 0.1 s for an answer,
so they get each problem with one objective only, in turn.

    python -m benchmarks engines-agree --problems 1000 [--first 0] [--operators 6] [--nodes 4]
"""

import argparse
import sys
from collections import Counter

from brute_force import brute_force
from engine_agreement import ENGINES, OBJECTIVES, cases_of, complaint, problem_of
from eyewall_papers.experiments.report import show
from eyewall_sidecar.exact.finding import Outcome

IN_TURN = ("PuLP", "policy odp")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--operators", type=int, default=6)
    parser.add_argument("--nodes", type=int, default=4)
    options = parser.parse_args()
    compared: Counter[tuple[str, str]] = Counter()
    agreed: Counter[tuple[str, str]] = Counter()
    infeasible = 0
    differing: list[str] = []
    for seed in range(options.first, options.first + options.problems):
        problem = problem_of(seed, operators=options.operators, nodes=options.nodes)
        for place, case in enumerate(cases_of(problem, OBJECTIVES)):
            truth = brute_force(case.arrays, case.costs)
            infeasible += place == 0 and truth.outcome is Outcome.INFEASIBLE
            for name, engine in ENGINES.items():
                if name in IN_TURN and place != seed % len(OBJECTIVES):
                    continue
                finding = engine(case)
                if finding is None:
                    continue
                cell = name, str(case.objective)
                compared[cell] += 1
                if wrong := complaint(case, truth, name, finding):
                    differing.append(f"seed {seed}, {case.objective}, {name}: {wrong}")
                    print(differing[-1], file=sys.stderr, flush=True)
                else:
                    agreed[cell] += 1
    rows = [
        (
            str(objective),
            *(
                f"{agreed[name, str(objective)]:,} / {compared[name, str(objective)]:,}"
                for name in ENGINES
            ),
        )
        for objective in OBJECTIVES
    ]
    title = f"{options.problems} problems ({infeasible} without a placement): agreed / compared"
    show(("objective", *ENGINES), rows, title)
    for line in differing:
        print(line)
    print(f"{len(differing)} disagreements in {compared.total():,} answers")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
