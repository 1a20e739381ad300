"""The integer program built by numpy and run by HiGHS: the exact engine that covers everything.

Bandwidth, several resources, any mix of terms: what the other engines leave out. It reads the
placement back, checks it and values it afresh, and trusts HiGHS for its bound alone.
"""

from collections.abc import Callable
from dataclasses import replace

import highspy
import numpy as np

from eyewall_sidecar.exact.finding import NO_TIME_TO_BUILD, Clock, Finding, Outcome
from eyewall_sidecar.exact.sparse_cuts import define_path_covers, define_star_capacities
from eyewall_sidecar.exact.sparse_program import (
    ROUNDING,
    SparseProgram,
    begin,
    define_assignment,
    define_bandwidth,
    define_capacities,
    define_linking,
    define_placements,
    define_stream_placements,
    families,
    soften_capacities,
)
from eyewall_sidecar.exact.sparse_rows import ABSENT, stacked
from eyewall_sidecar.exact.stream_pairs import choices_of, pair_keys, pairs_of
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.violations import TOLERANCE
from eyewall_sidecar.objectives.costs import Costs, cost, weigh

SECONDS_PER_COLUMN = 1e-5
"""What it takes to build the program and until HiGHS looks at the clock, for one column."""

MOST_COLUMNS = 5_000_000
"""Beyond this the program alone takes gigabytes, and its first relaxation hours."""

RELATIVE_GAP = 1e-7
"""The default of 1e-4 would call 160.676 optimal where 160.400 is."""

AMPLE = 1e300
"""Of a bandwidth that is limited and never exceeded."""

PROVEN = 1e-6
"""HiGHS's word counts if the placement's own cost meets its bound to this fraction."""

ROW_WISE, MINIMISE, NO_OFFSET = 2, 1, 0.0

_OPTIONS: dict[str, bool | int | float | str] = {
    "log_to_console": False,
    "threads": 1,
    "presolve": "off",
    "mip_rel_gap": RELATIVE_GAP,
    "mip_allow_restart": False,
    "mip_heuristic_run_feasibility_jump": False,
}

_INFEASIBLE = (
    highspy.HighsModelStatus.kInfeasible,
    highspy.HighsModelStatus.kUnboundedOrInfeasible,
)
"""No cost is negative, so nothing is unbounded."""

_EXPECTED = (
    highspy.HighsModelStatus.kOptimal,
    highspy.HighsModelStatus.kTimeLimit,
    highspy.HighsModelStatus.kInterrupt,
)

Define = Callable[[SparseProgram], None]


def integer_program(
    arrays: ProblemArrays,
    costs: Costs,
    *,
    start: Places | None,
    ends_at: float,
    clock: Clock,
    seed: int,
) -> Finding:
    """Find the placement of least cost, or the best within the time and its bound.

    Parameters
    ----------
    start
        [operator]: the place of its node, to begin with; None if there is none. One that breaks a
        constraint is passed over.
    ends_at
        When it must be done, building included, in seconds of `clock`.
    """
    return solve_families(
        arrays,
        costs,
        (*families(), define_path_covers, define_star_capacities),
        start=start,
        ends_at=ends_at,
        clock=clock,
        seed=seed,
    )


def solve_families(
    arrays: ProblemArrays,
    costs: Costs,
    defines: tuple[Define, ...],
    *,
    start: Places | None,
    ends_at: float,
    clock: Clock,
    seed: int,
) -> Finding:
    """Do what `integer_program` does with families of one's own choice."""
    if not arrays.operators:
        nowhere = np.zeros(0, dtype=np.int64)
        return Finding(Outcome.OPTIMAL, nowhere, cost(arrays, costs, nowhere))
    columns = most_columns(arrays)
    if columns > MOST_COLUMNS:
        return Finding(
            Outcome.NOTHING,
            remark=f"the integer program would have {columns:,} columns; it takes up to "
            f"{MOST_COLUMNS:,}",
        )
    if columns * SECONDS_PER_COLUMN > ends_at - clock():
        return Finding(Outcome.NOTHING, remark=NO_TIME_TO_BUILD)
    program = begin(arrays, costs)
    if program is None:
        return Finding(Outcome.INFEASIBLE, bound=np.inf)
    for define in defines:
        define(program)
        if clock() >= ends_at:
            return Finding(Outcome.NOTHING, remark=NO_TIME_TO_BUILD)
    if start is not None and broken(arrays, costs, start):
        start = None
    return _run(program, start, ends_at=ends_at, clock=clock, seed=seed)


def broken(arrays: ProblemArrays, costs: Costs, places: Places) -> str:
    """Return which constraint the placement breaks, as words; nothing if it is valid."""
    if not arrays.allowed[np.arange(arrays.operators), places].all():
        return "an operator is on a node that is not among its candidates"
    for needs, limits in zip(arrays.requirements, arrays.limits, strict=True):
        if (np.bincount(places, needs, minlength=arrays.nodes) > limits).any():
            return "a node holds more than it can"
    ends = places[arrays.sources], places[arrays.targets]
    limited = np.isfinite(arrays.bandwidths[ends])
    loads = np.zeros_like(arrays.bandwidths)
    np.add.at(loads, (ends[0][limited], ends[1][limited]), (arrays.rates * arrays.sizes)[limited])
    limits = arrays.bandwidths + TOLERANCE * np.maximum(1.0, arrays.bandwidths)
    if (loads > limits).any():
        return "a link carries more than it can"
    if not np.isfinite(cost(arrays, costs, places)):
        return "what is never available is used"
    return ""


def most_columns(arrays: ProblemArrays) -> int:
    """Return how many x and y there are if nothing can be left out."""
    choices = arrays.allowed.sum(axis=1)
    one, other = np.divmod(pair_keys(arrays), arrays.operators)
    return int(choices.sum() + choices[one] @ choices[other])


def completed(program: SparseProgram, places: Places) -> Floats:
    """Return [column]: the values of a placement."""
    values = np.zeros(program.columns)
    values[program.x[np.arange(len(places)), places]] = 1.0
    for pair, y in zip(program.pairs, program.y, strict=True):
        if y is not None:
            values[y[places[pair.one], places[pair.other]]] = 1.0
    if program.response != ABSENT:
        arrays, seconds = program.arrays, program.costs.response / program.unit
        work = arrays.execution_times / arrays.speedups[places]
        hops = arrays.delays[places[arrays.path_sources], places[arrays.path_targets]]
        done = work.copy()
        ways = (arrays.path_sources.tolist(), arrays.path_targets.tolist(), hops.tolist())
        for source, target, hop in zip(*ways, strict=True):
            done[target] = max(done[target], done[source] + hop + work[target])
        values[program.done[arrays.path_order]] = done[arrays.path_order] * seconds
        values[program.response] = (done[arrays.path_order].max() - program.fastest) * seconds
    return values


def _run(
    program: SparseProgram, start: Places | None, *, ends_at: float, clock: Clock, seed: int
) -> Finding:
    said: list[str] = []
    highs = _solver(said, seed)
    if hand_over(highs, program) == highspy.HighsStatus.kError:
        return Finding(Outcome.FAILED, remark=_complaint(said))
    if start is not None:
        values = completed(program, start)
        highs.setSolution(len(values), np.arange(len(values), dtype=np.int32), values)
    highs.setOptionValue("time_limit", max(0.0, ends_at - clock()))
    highs.run()
    return _finding(program, highs, start)


def least_overload(
    arrays: ProblemArrays, *, ends_at: float, clock: Clock, seed: int
) -> tuple[Places | None, str]:
    """Return the placement that exceeds capacities least, or None and why none was found.

    Every capacity may be exceeded, and the sum of excesses, each as a fraction of its capacity, is
    the least possible (or, when the time is up, the least found).
    """
    limited = np.isfinite(arrays.bandwidths)
    columns = most_columns(arrays) if limited.any() else int(arrays.allowed.sum())
    if columns > MOST_COLUMNS:
        return None, NO_TIME_TO_BUILD
    costs = weigh(arrays, {})
    ample = replace(
        arrays,
        limits=np.full_like(arrays.limits, np.inf),
        bandwidths=np.where(limited, AMPLE, np.inf),
    )
    pairs = pairs_of(ample, costs)
    program = SparseProgram(arrays, costs, pairs, choices_of(ample, costs, pairs))
    for define in (
        define_placements,
        define_stream_placements,
        define_assignment,
        define_capacities,
        define_linking,
        define_bandwidth,
        soften_capacities,
    ):
        define(program)
    said: list[str] = []
    highs = _solver(said, seed)
    if hand_over(highs, program) == highspy.HighsStatus.kError:
        return None, _complaint(said)
    highs.setOptionValue("time_limit", max(0.0, ends_at - clock()))
    highs.run()
    if highs.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        return _places(program, np.array(highs.getSolution().col_value)), ""
    status = highs.getModelStatus()
    if status in _EXPECTED:
        return None, ""
    return None, f"the solver failed: {highs.modelStatusToString(status)}"


def _solver(said: list[str], seed: int) -> highspy.Highs:
    """Return HiGHS with our options; it writes its messages to `said`."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in _OPTIONS.items():
        highs.setOptionValue(option, value)
    highs.setOptionValue("random_seed", seed % 2**31)
    highs.cbLogging.subscribe(lambda event: said.append(event.message))
    return highs


def hand_over(highs: highspy.Highs, program: SparseProgram) -> highspy.HighsStatus:
    """Give HiGHS the program, and return whether it takes it."""
    stack = stacked([rows for block in program.blocks.values() for rows in block], program.columns)
    upper = np.full(program.columns, np.inf)
    upper[: program.fractions] = 1.0
    integral = np.zeros(program.columns, dtype=np.int32)
    integral[program.x[program.x != ABSENT]] = 1
    return highs.passModel(
        program.columns,
        len(stack.lower),
        len(stack.values),
        ROW_WISE,
        MINIMISE,
        NO_OFFSET,
        program.objective,
        np.zeros(program.columns),
        upper,
        stack.lower,
        stack.upper,
        stack.starts,
        stack.columns,
        stack.values,
        integral,
    )


def _finding(program: SparseProgram, highs: highspy.Highs, start: Places | None) -> Finding:
    """Translate what HiGHS says; a placement is valued afresh, and optimal if its bound agrees."""
    arrays, costs = program.arrays, program.costs
    status, info = highs.getModelStatus(), highs.getInfo()
    steps = max(0, info.mip_node_count)
    if status in _INFEASIBLE and start is None:
        return Finding(Outcome.INFEASIBLE, bound=np.inf, steps=steps)
    remark = ""
    if status not in _EXPECTED:
        remark = f"the solver failed: {highs.modelStatusToString(status)}"
    bound = program.constant
    if program.unit and np.isfinite(info.mip_dual_bound):
        bound += program.unit * max(0.0, info.mip_dual_bound)
    places = start
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        read = _places(program, np.array(highs.getSolution().col_value))
        wrong = broken(arrays, costs, read)
        if wrong:
            remark = f"the solver failed: its placement is none, for {wrong}"
        elif start is None or cost(arrays, costs, read) <= cost(arrays, costs, start):
            places = read
    if places is None:
        return Finding(
            Outcome.FAILED if remark else Outcome.NOTHING, bound=bound, steps=steps, remark=remark
        )
    value = cost(arrays, costs, places)
    doubt = PROVEN * max(value - program.constant, program.unit) + 2 * ROUNDING * abs(value)
    optimal = status == highspy.HighsModelStatus.kOptimal
    if bound > value + doubt:
        remark = f"the solver failed: its bound is {bound:g}, but a placement costs {value:g}"
        bound = program.constant
    elif optimal and value > bound + doubt:
        remark = remark or f"the solver failed: its optimum costs {value:g}, its bound is {bound:g}"
    return Finding(
        Outcome.OPTIMAL if optimal and not remark else Outcome.INCUMBENT,
        places=places,
        cost=value,
        bound=min(bound, value),
        steps=steps,
        remark=remark,
    )


def _places(program: SparseProgram, values: Floats) -> Places:
    """Read the placement: for every operator the u with the greatest x_(i,u)."""
    chosen: Places = np.where(program.x == ABSENT, -1.0, values[program.x]).argmax(axis=1)
    return chosen


def _complaint(said: list[str]) -> str:
    errors = [line.removeprefix("ERROR:").strip() for line in said if line.startswith("ERROR")]
    return f"the solver failed: {'; '.join(errors) or 'no reason given'}"
