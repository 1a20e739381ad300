"""The integer program in two forms, and with and without its cuts (paper 000, section 7.3).

The first table has the times of PuLP and numpy to hand HiGHS the same program. The second has the
time in which HiGHS proves the response time of twenty operators in a row on twenty nodes with the
cuts, and its gap without them. On a busy machine the CPU time is the better figure.

    python -m benchmarks integer-programs [--nodes 100] [--seeds 5] [--time-limit 20]
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import highspy
from eyewall_papers.experiments.report import Row, show
from eyewall_papers.instances.baseline import GraphShape, baseline
from eyewall_sidecar.exact.cuts import define_path_covers as pulp_path_covers
from eyewall_sidecar.exact.cuts import define_star_capacities as pulp_star_capacities
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.exact.integer_program import create_program
from eyewall_sidecar.exact.sparse_cuts import define_path_covers, define_star_capacities
from eyewall_sidecar.exact.sparse_engine import hand_over, solve_families
from eyewall_sidecar.exact.sparse_program import create_sparse_program, families
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh
from pulp import HiGHS

OPERATORS = 20


def seconds(
    build: Callable[[PlacementProblem], None], problem: PlacementProblem
) -> tuple[float, float]:
    """Return the wall time and the CPU time of building."""
    wall, cpu = perf_counter(), process_time()
    build(problem)
    return perf_counter() - wall, process_time() - cpu


def build_with_numpy(problem: PlacementProblem) -> None:
    """Build the program with numpy, from the problem to HiGHS."""
    arrays = ProblemArrays.of(problem)
    program = create_sparse_program(arrays, weigh(arrays, {Term.R: 1.0}))
    assert program is not None
    define_path_covers(program)
    define_star_capacities(program)
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)  # noqa: FBT003 (HiGHS's way)
    hand_over(highs, program)


def build_with_pulp(problem: PlacementProblem) -> None:
    """Build it with PuLP, which hands the program over row by row."""
    program = create_program(problem, {Term.R: 1.0})
    pulp_path_covers(program)
    pulp_star_capacities(program)
    solver = HiGHS(msg=False)
    solver.createAndConfigureSolver(program.linear)
    solver.buildSolverModel(program.linear)


def prove(problem: PlacementProblem, *, cuts: bool, time_limit: float) -> tuple[Finding, float]:
    """Return HiGHS's finding for R, and its CPU seconds."""
    arrays = ProblemArrays.of(problem)
    added = (define_path_covers, define_star_capacities) if cuts else ()
    began = process_time()
    finding = solve_families(
        arrays,
        weigh(arrays, {Term.R: 1.0}),
        (*families(), *added),
        start=None,
        ends_at=perf_counter() + time_limit,
        clock=perf_counter,
        seed=0,
    )
    return finding, process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=20.0)
    options = parser.parse_args()
    rows: list[Row] = []
    build_with_numpy(baseline(GraphShape.SEQUENTIAL, 4, 4, seed=0))  # imports and first calls
    for shape in GraphShape:
        problem = baseline(shape, OPERATORS, options.nodes, seed=0)
        fast, slow = seconds(build_with_numpy, problem), seconds(build_with_pulp, problem)
        cells = (f"{wall:.2f} ({cpu:.2f})" for wall, cpu in (slow, fast))
        rows.append((shape, str(options.nodes), *cells, f"{slow[1] / fast[1]:.0f}"))
    title = f"Until HiGHS has the program of {OPERATORS} operators, s (CPU)"
    show(("shape", "nodes", "PuLP", "numpy", "ratio of CPU"), rows, title)
    rows = []
    for name, cuts in (("with cuts", True), ("without", False)):
        runs = [
            prove(
                baseline(GraphShape.SEQUENTIAL, OPERATORS, 20, seed=seed),
                cuts=cuts,
                time_limit=options.time_limit,
            )
            for seed in range(options.seeds)
        ]
        taken = [cpu for _, cpu in runs]
        gaps = [1 - it.bound / it.cost for it, _ in runs]
        proven = f"{sum(it.outcome is Outcome.OPTIMAL for it, _ in runs)}/{len(runs)}"
        times = f"{median(taken):.2f}", f"{max(taken):.2f}"
        rows.append((name, proven, *times, f"{median(gaps):.1%}"))
    title = f"R of {OPERATORS} operators in a row on 20 nodes, {options.seeds} seeds"
    show(("form", "proven", "median CPU, s", "max CPU, s", "median gap"), rows, title)


if __name__ == "__main__":
    main()
