"""A first placement that is good where operators need much: balls of near nodes, then small moves.

Around each node operators are put, one after the other, on the nearest node that has room. The
best of these is improved by moving one operator, or swapping two, as long as that helps. Nothing
is proven by it: the branch and bound has something to compare with.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import kernel, subroutine
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objectives.costs import Costs

MOST_WORK = 40_000_000
"""Streams looked at, about a tenth of a second."""

NONE = -1


class PackedProblem(NamedTuple):
    """What packings are valued by; as `ProblemArrays` and `Costs` have it."""

    requirements: Floats
    limits: Floats
    allowed: Flags
    execution_times: Floats
    speedups: Floats
    delays: Matrix
    sources: Indices
    targets: Indices
    data_rates: Floats
    path_order: Indices
    path_sources: Indices
    path_targets: Indices
    response: float
    per_operator: Floats
    per_rate: Matrix
    per_stream: Matrix


def packing(arrays: ProblemArrays, costs: Costs) -> Indices | None:
    """Return [operator]: its node in a placement that no node is too small for, if one is found."""
    largest = arrays.limits.max(axis=1)
    shares = arrays.requirements[largest > 0] / largest[largest > 0, None]
    orders = np.stack(
        (_growing(arrays, costs), np.argsort(-shares.max(axis=0, initial=0.0), kind="stable"))
    )
    near = np.argsort(np.minimum(arrays.delays, arrays.delays.T), axis=1, kind="stable")
    best = np.full(arrays.operators, NONE, dtype=np.int64)
    problem = PackedProblem(
        arrays.requirements,
        arrays.limits,
        arrays.allowed,
        arrays.execution_times,
        arrays.speedups,
        arrays.delays,
        arrays.sources,
        arrays.targets,
        costs.data_rates,
        arrays.path_order,
        arrays.path_sources,
        arrays.path_targets,
        costs.response,
        costs.per_operator,
        costs.per_rate,
        costs.per_stream,
    )
    found = _pack(
        problem,
        orders,
        near,
        np.zeros_like(arrays.limits),
        best.copy(),
        np.zeros(arrays.operators),
        best,
    )
    return best if found else None


def _growing(arrays: ProblemArrays, costs: Costs) -> Indices:
    """Return operators such that each is the one most joined to those before it."""
    joined = np.zeros((arrays.operators, arrays.operators))
    np.add.at(joined, (arrays.sources, arrays.targets), costs.data_rates)
    joined += joined.T
    order, pull = [], joined.sum(axis=1) * 1e-9
    for _ in range(arrays.operators):
        chosen = int(np.argmax(pull))
        order.append(chosen)
        pull += joined[chosen]
        pull[chosen] = -inf
    return np.array(order, dtype=np.int64)


@kernel
def _pack(
    problem: PackedProblem,
    orders: Indices,
    near: Indices,
    free: Floats,
    places: Indices,
    done: Floats,
    best: Indices,
) -> bool:
    """Pack around every node in each order, improve the best, and return whether there is one.

    Parameters
    ----------
    orders
        [order, rank]: operators.
    near
        [node, rank]: nodes by rising delay.
    free, places, done
        Scratch.
    best
        [operator]: its node; written here.
    """
    hops = len(problem.sources) + len(problem.path_sources)
    best_cost, best_sum, work = inf, inf, 0
    for rank in range(len(orders)):
        for node in range(len(near)):
            work += len(near)
            if work >= MOST_WORK:
                break
            if not _fill(problem, orders[rank], near[node], free, places):
                continue
            cost, second = _value(problem, places, done)
            work += hops
            if cost < best_cost or (cost == best_cost and second < best_sum):
                best_cost, best_sum = cost, second
                for operator in range(len(best)):
                    best[operator] = places[operator]
    if best_cost < inf:
        _improve(problem, best_cost, best_sum, work, free, done, best)
    return best_cost < inf


@subroutine
def _fill(
    problem: PackedProblem, order: Indices, near: Indices, free: Floats, places: Indices
) -> bool:
    """Put each operator on the first near node with room; return whether all found one."""
    requirements, allowed = problem.requirements, problem.allowed
    _empty(problem, free)
    for turn in range(len(order)):
        operator, placed = order[turn], False
        for rank in range(len(near)):
            node = near[rank]
            if allowed[operator, node]:
                placed = True
                for resource in range(len(free)):
                    if requirements[resource, operator] > free[resource, node]:
                        placed = False
                if placed:
                    places[operator] = node
                    for resource in range(len(free)):
                        free[resource, node] -= requirements[resource, operator]
                    break
        if not placed:
            return False
    return True


@subroutine
def _improve(
    problem: PackedProblem,
    best_cost: float,
    best_sum: float,
    work: int,
    free: Floats,
    done: Floats,
    places: Indices,
) -> None:
    """Move an operator, or swap two, as long as that helps."""
    operators, nodes = problem.allowed.shape
    hops = len(problem.sources) + len(problem.path_sources)
    _empty(problem, free)
    for operator in range(operators):
        for resource in range(len(free)):
            free[resource, places[operator]] -= problem.requirements[resource, operator]
    improved = True
    while improved:
        improved = False
        for one in range(operators):
            for choice in range(nodes + operators - one - 1):
                home = places[one]
                two = NONE if choice < nodes else one + 1 + choice - nodes
                to = choice if two == NONE else places[two]
                if to == home or not _fits(problem, free, one, two, home, to):
                    continue
                places[one] = to
                if two != NONE:
                    places[two] = home
                cost, second = _value(problem, places, done)
                work += hops
                if cost < best_cost or (cost == best_cost and second < best_sum - 1e-12):
                    best_cost, best_sum, improved = cost, second, True
                    for resource in range(len(free)):
                        more = _more(problem, resource, one, two)
                        free[resource, to] -= more
                        free[resource, home] += more
                else:
                    places[one] = home
                    if two != NONE:
                        places[two] = to
                if work >= MOST_WORK:
                    return


@subroutine
def _empty(problem: PackedProblem, free: Floats) -> None:
    for resource in range(len(free)):
        for node in range(free.shape[1]):
            free[resource, node] = problem.limits[resource, node]


@subroutine
def _more(problem: PackedProblem, resource: int, one: int, two: int) -> float:
    """Return by how much one operator needs more than the other, or than nothing."""
    more = problem.requirements[resource, one]
    if two != NONE:
        more -= problem.requirements[resource, two]
    return float(more)


@subroutine
def _fits(problem: PackedProblem, free: Floats, one: int, two: int, home: int, to: int) -> bool:
    if not problem.allowed[one, to] or (two != NONE and not problem.allowed[two, home]):
        return False
    for resource in range(len(free)):
        more = _more(problem, resource, one, two)
        if more > free[resource, to] or -more > free[resource, home]:
            return False
    return True


@subroutine
def _value(problem: PackedProblem, places: Indices, done: Floats) -> tuple[float, float]:
    """Return the cost, and all delays along paths: of equally long ones the shorter in sum."""
    total, second = 0.0, 0.0
    for operator in range(len(places)):
        total += problem.per_operator[places[operator]]
    for stream in range(len(problem.sources)):
        one, two = places[problem.sources[stream]], places[problem.targets[stream]]
        if one != two:
            total += problem.data_rates[stream] * problem.per_rate[one, two]
            total += problem.per_stream[one, two]
    if problem.response:
        for operator in range(len(places)):
            done[operator] = problem.execution_times[operator] / problem.speedups[places[operator]]
        for edge in range(len(problem.path_sources)):
            one, two = problem.path_sources[edge], problem.path_targets[edge]
            hop = problem.delays[places[one], places[two]]
            second += hop
            work = problem.execution_times[two] / problem.speedups[places[two]]
            done[two] = max(done[two], done[one] + hop + work)
        longest = 0.0
        for at in range(len(problem.path_order)):
            longest = max(longest, done[problem.path_order[at]])
        total += problem.response * longest
    return total, second
