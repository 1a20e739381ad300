"""The program of `exact.integer_program` as numpy blocks, which PuLP takes minutes to build.

The families, their names and their mathematics are the same (paper 000, sections 4.2 and 5), for
any mix of terms as `objectives.costs` has it. Beyond that, all streams between two
operators share one y, what one operator or two alone can tell leaves no column, and what cannot
bind leaves no row.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

import numpy as np

from eyewall_sidecar.exact.sparse_rows import ABSENT, Entries, Rows, entries, joined, rows_of
from eyewall_sidecar.exact.stream_pairs import Choices, Pair, choices_of, pairs_of
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.violations import TOLERANCE
from eyewall_sidecar.objectives.costs import Costs

SCALE = 1000.0
"""Solvers' tolerances are absolute: with capacities and ranges scaled to this, 1e-6 is 1e-9."""

OVERFULL = 1000 * SCALE
"""What would fill a capacity more than a thousand times counts as this: HiGHS refuses 1e15."""

LEAST_LIMIT = 1e-100
"""A capacity of 0 counts as this where a load is divided by it."""

ROUNDING = 1e-12
"""Costs that differ by less than this fraction of them are the same."""

Pick = Callable[[Floats], np.float64]
"""`np.min` for the best case, `np.max` for the worst."""


@dataclass(slots=True, eq=False)
class SparseProgram:
    """The program while it grows; every column is at least 0.

    Parameters
    ----------
    arrays, costs
        What is solved.
    pairs
        The pairs of operators with streams between them.
    choices
        [operator, node]: where it can be; somewhere, each of them.
    constant, unit
        A placement costs constant + unit · objective, and no objective is below 0. The unit is a
        thousandth of the way to the worst case (see `SCALE`), 0 if all placements cost the same.
    x
        [operator, node]: the column of x_(i,u). They come first and are binary.
    y
        [pair]: the columns of y_(i,j),(u,v) as [node of one, node of other]. Where one end has a
        single choice, the other's x is the y. Otherwise None if to all terms and links it is
        the same where the two are.
    done
        [operator]: the column of when it has worked on its last input, in units.
    response
        The column of the response time beyond its best case, in units.
    fastest
        The response time of the best case, in seconds.
    objective
        [column]: what it costs, in units.
    columns, fractions
        How many columns there are, and how many come before the first without an upper limit.
    blocks
        Family → its rows.
    """

    arrays: ProblemArrays
    costs: Costs
    pairs: tuple[Pair, ...]
    choices: Choices
    constant: float = 0.0
    unit: float = 0.0
    x: Places = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    y: list[Places | None] = field(default_factory=list)
    done: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    response: int = ABSENT
    fastest: float = 0.0
    objective: Floats = field(default_factory=lambda: np.zeros(0))
    columns: int = 0
    fractions: int = 0
    blocks: dict[str, list[Rows]] = field(default_factory=dict)

    def add(
        self, family: str, *parts: Entries, count: int, lower: Floats | float, upper: Floats | float
    ) -> None:
        """Add `count` rows to a family."""
        rows = rows_of(*parts, count=count, lower=lower, upper=upper)
        self.blocks.setdefault(family, []).append(rows)

    def count(self, family: str) -> int:
        """Return how many rows the family has."""
        return sum(len(rows.lower) for rows in self.blocks.get(family, ()))

    def new_columns(self, where: Choices) -> Places:
        """Return new columns where they are wanted, `ABSENT` elsewhere."""
        found = np.full(where.shape, ABSENT, dtype=np.int64)
        count = int(where.sum())
        found[where] = np.arange(self.columns, self.columns + count)
        self.columns += count
        return found

    def between(self, pair: Pair) -> tuple[Places, Places]:
        """Return an index of matrices over a pair's nodes: the choices of both."""
        one, other = np.ix_(self.choices[pair.one], self.choices[pair.other])
        return one, other


def create_sparse_program(arrays: ProblemArrays, costs: Costs) -> SparseProgram | None:
    """Build the program; None if it can be seen that no placement exists."""
    program = begin(arrays, costs)
    if program is not None:
        for define in families():
            define(program)
    return program


def begin(arrays: ProblemArrays, costs: Costs) -> SparseProgram | None:
    """Return a program without columns and rows; None if an operator can be nowhere."""
    pairs = pairs_of(arrays, costs)
    choices = choices_of(arrays, costs, pairs)
    if not choices.any(axis=1).all():
        return None
    return SparseProgram(arrays, costs, pairs, choices)


def families() -> tuple[Callable[[SparseProgram], None], ...]:
    """Return what the program consists of, in the order in which it is built."""
    return (
        define_units,
        define_placements,
        define_stream_placements,
        define_assignment,
        define_capacities,
        define_linking,
        define_bandwidth,
        define_response_time,
        define_objective,
    )


def define_units(program: SparseProgram) -> None:
    """Count costs from the best case, each operator and pair by itself, to the worst."""
    best, worst = (_extreme_cost(program, pick) for pick in (np.min, np.max))
    program.constant = best
    if worst - best > ROUNDING * abs(best):
        program.unit = (worst - best) / SCALE


def define_placements(program: SparseProgram) -> None:
    """Equation (15): x_(i,u) ∈ {0, 1} for every operator i and node u that it can be on."""
    program.x = program.new_columns(program.choices)


def define_stream_placements(program: SparseProgram) -> None:
    """Relax equation (16) to 0 ≤ y_(i,j),(u,v) ≤ 1, for every pair of operators that matters."""
    alone = program.choices.sum(axis=1) == 1
    for pair in program.pairs:
        at = program.between(pair)
        y = np.full(pair.costs.shape, ABSENT, dtype=np.int64)
        if alone[pair.one]:
            y[at] = program.x[pair.other][at[1]]
        elif alone[pair.other]:
            y[at] = program.x[pair.one][at[0]]
        elif _matters(program, pair):
            y[at] = program.new_columns(np.isfinite(pair.costs[at]))
        else:
            program.y.append(None)
            continue
        program.y.append(y)
    program.fractions = program.columns


def define_assignment(program: SparseProgram) -> None:
    """Equation (12): Σ_u x_(i,u) = 1 for every operator i."""
    operators = program.arrays.operators
    rows = np.arange(operators)[:, np.newaxis]
    program.add("assignment", entries(rows, program.x, 1.0), count=operators, lower=1.0, upper=1.0)


def define_capacities(program: SparseProgram) -> None:
    """Equation (11): Σ_i C_i x_(i,u) ≤ C_u for every node u and resource, in thousandths of C_u."""
    for needs, limits in zip(program.arrays.requirements, program.arrays.limits, strict=True):
        tight = np.flatnonzero(needs @ program.choices > limits)
        if len(tight):
            share = SCALE / np.maximum(limits[tight], LEAST_LIMIT)
            factors = np.minimum(needs[:, np.newaxis] * share, OVERFULL)
            load = entries(np.arange(len(tight)), program.x[:, tight], factors)
            program.add("capacity", load, count=len(tight), lower=-inf, upper=SCALE)


def define_linking(program: SparseProgram) -> None:
    """Equations (13) and (14), y_(i,j),(u,v) = x_(i,u) ∧ x_(j,v).

    x_(i,u) = Σ_v y_(i,j),(u,v) for every u, and x_(j,v) = Σ_u y_(i,j),(u,v) for every v.
    """
    alone = program.choices.sum(axis=1) == 1
    for pair, y in zip(program.pairs, program.y, strict=True):
        if y is None or alone[pair.one] or alone[pair.other]:
            continue
        both = y[program.between(pair)]
        for operator, columns in ((pair.one, both), (pair.other, both.T)):
            place = np.arange(len(columns))
            program.add(
                "linking",
                entries(place[:, np.newaxis], columns, 1.0),
                entries(place, program.x[operator, program.choices[operator]], -1.0),
                count=len(columns),
                lower=0.0,
                upper=0.0,
            )


def define_bandwidth(program: SparseProgram) -> None:
    """Equation (17): Σ_(i,j) λ_(i,j) y_(i,j),(u,v) ≤ B_(u,v), λ in bytes/s, for every link (u, v).

    Counted in thousandths of B_(u,v); a stream that exceeds it alone has no y there.
    """
    bandwidths = program.arrays.bandwidths
    share = SCALE / (bandwidths + TOLERANCE * np.maximum(1.0, bandwidths))
    link = np.arange(share.size).reshape(share.shape)
    parts = []
    for pair, y in zip(program.pairs, program.y, strict=True):
        if y is not None:
            parts.append(entries(link, y, np.minimum(pair.forth * share, OVERFULL)))
            parts.append(entries(link, y.T, np.minimum(pair.back * share, OVERFULL)))
    load = joined(parts)
    tight = np.bincount(load.rows, load.values, minlength=share.size) > SCALE
    number = np.cumsum(tight) - 1
    kept = tight[load.rows]
    rows = Entries(number[load.rows[kept]], load.columns[kept], load.values[kept])
    program.add("bandwidth", rows, count=int(tight.sum()), lower=-inf, upper=SCALE)


def define_response_time(program: SparseProgram) -> None:
    """Equation (10), as node potentials: t_i is when operator i has worked on its last input.

    t_j ≥ t_i + Σ_(u,v) d_(u,v) y_(i,j),(u,v) + Σ_u R_j / S_u x_(j,u) for every (i, j) on a path,
    and r + best case ≥ t_i. What every choice has in common is on the right-hand side.
    """
    arrays, unit = program.arrays, program.unit
    if not (program.costs.response and unit and len(arrays.path_order)):
        return
    seconds = program.costs.response / unit
    program.fastest = _response_time(program, np.min)
    on_path = np.zeros(arrays.operators, dtype=np.bool_)
    on_path[arrays.path_order] = True
    program.done = program.new_columns(on_path)
    program.response = program.columns
    program.columns += 1
    work = arrays.execution_times[:, np.newaxis] / arrays.speedups * seconds
    least = np.where(program.choices, work, inf).min(axis=1)
    done, x = program.done[:, np.newaxis], program.x
    late = least[:, np.newaxis] - work
    of_pair = {(pair.one, pair.other): place for place, pair in enumerate(program.pairs)}
    for i, j in zip(arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True):
        place = of_pair[min(i, j), max(i, j)]
        y, hops = program.y[place], _hops(program, program.pairs[place]) * seconds
        soonest = hops.min()
        parts = [entries(0, done[j], 1.0), entries(0, done[i], -1.0), entries(0, x[j], late[j])]
        if y is not None:
            at = program.between(program.pairs[place])
            parts.append(entries(0, y[at], np.where(np.isfinite(hops), soonest - hops, 0.0)))
        program.add("path", *parts, count=1, lower=float(soonest + least[j]), upper=inf)
    first = np.setdiff1d(arrays.path_order, arrays.path_targets)
    last = np.setdiff1d(arrays.path_order, arrays.path_sources)
    rows = np.arange(len(first))[:, np.newaxis]
    program.add(
        "source",
        entries(rows, done[first], 1.0),
        entries(rows, x[first], late[first]),
        count=len(first),
        lower=least[first],
        upper=inf,
    )
    rows = np.arange(len(last))
    program.add(
        "sink",
        entries(rows, np.full(len(last), program.response), 1.0),
        entries(rows, program.done[last], -1.0),
        count=len(last),
        lower=-program.fastest * seconds,
        upper=inf,
    )


def soften_capacities(program: SparseProgram) -> None:
    """Let every capacity and bandwidth be exceeded, and minimise the sum of what exceeds them.

    Each overload counts as a fraction of its capacity.
    """
    first = program.columns
    for family in ("capacity", "bandwidth"):
        blocks = program.blocks.get(family, [])
        for place, rows in enumerate(blocks):
            slack = program.new_columns(np.ones(len(rows.lower), dtype=np.bool_))
            excess = entries(np.arange(len(slack)), slack, -1.0)
            blocks[place] = Rows(joined((rows.entries, excess)), rows.lower, rows.upper)
    program.objective = np.zeros(program.columns)
    program.objective[first:] = 1.0


def define_objective(program: SparseProgram) -> None:
    """Equations (9) and (22): minimise what a placement costs beyond the best case, in units.

    Where that leaves nothing to minimise, nodes listed first are preferred: HiGHS 1.10 to 1.15 can
    run for ever on a program without costs, whatever its time limit.
    """
    program.objective = np.zeros(program.columns)
    if not program.unit:
        usable = program.x != ABSENT
        program.objective[program.x[usable]] = np.cumsum(usable, axis=1)[usable]
        return
    parts = [(program.x, np.where(program.choices, program.costs.per_operator, inf))]
    for pair, y in zip(program.pairs, program.y, strict=True):
        if y is not None:
            at = program.between(pair)
            parts.append((y[at].reshape(1, -1), pair.costs[at].reshape(1, -1)))
    for columns, costs in parts:
        excess = costs - costs.min(axis=1, keepdims=True)
        kept = (columns != ABSENT) & np.isfinite(excess)
        np.add.at(program.objective, columns[kept], excess[kept] / program.unit)
    if program.response != ABSENT:
        program.objective[program.response] = 1.0


def _matters(program: SparseProgram, pair: Pair) -> bool:
    """Whether a cost, the response time or a link depends on where the two are."""
    at = program.between(pair)
    costs = pair.costs[at]
    if costs.max() > costs.min():
        return True
    if program.costs.response and pair.delays is not None and np.ptp(pair.delays[at]) > 0:
        return True
    limited = np.isfinite(program.arrays.bandwidths)
    return bool((pair.forth and limited[at].any()) or (pair.back and limited.T[at].any()))


def _hops(program: SparseProgram, pair: Pair) -> Floats:
    """Return the delays between the choices of a pair on a path; infinite where it cannot be."""
    at = program.between(pair)
    delays = np.zeros_like(pair.costs) if pair.delays is None else pair.delays
    return np.where(np.isfinite(pair.costs[at]), delays[at], inf)


def _extreme_cost(program: SparseProgram, pick: Pick) -> float:
    """Return the cost with the picked choice of each operator and each pair by itself."""
    total = 0.0
    for places in program.choices:
        total += float(pick(program.costs.per_operator[places]))
    for pair in program.pairs:
        costs = pair.costs[program.between(pair)]
        total += float(pick(costs[np.isfinite(costs)]))
    if program.costs.response:
        total += program.costs.response * _response_time(program, pick)
    return total


def _response_time(program: SparseProgram, pick: Pick) -> float:
    """Return R in seconds with the picked R_i / S_u of each operator, the picked d of each pair."""
    arrays = program.arrays
    work = [
        time * float(pick(1.0 / arrays.speedups[places]))
        for time, places in zip(arrays.execution_times.tolist(), program.choices, strict=True)
    ]
    hops = {}
    for pair in program.pairs:
        if pair.delays is not None:
            delays = _hops(program, pair)
            hops[pair.one, pair.other] = float(pick(delays[np.isfinite(delays)]))
    done = dict(enumerate(work))
    for i, j in zip(arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True):
        done[j] = max(done[j], done[i] + hops[min(i, j), max(i, j)] + work[j])
    return max((done[i] for i in arrays.path_order.tolist()), default=0.0)
