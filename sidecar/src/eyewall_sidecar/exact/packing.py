"""A first placement that is good where operators need much: balls of near nodes, then small moves.

Around each node operators are put, one after the other, on the nearest node that has room. The
best of these is improved by moving one operator, or swapping two, as long as that helps. Nothing
is proven by it: the branch and bound has something to compare with.
"""

from math import inf

import numpy as np

from eyewall_sidecar.exact.instance import Flags, Given, given
from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.objectives.costs import Costs

MOST_WORK = 40_000_000
"""Streams looked at, about a tenth of a second."""

NONE = -1


def packing(arrays: ProblemArrays, costs: Costs) -> Places | None:
    """Return [operator]: its node in a placement that no node is too small for, if one is found."""
    places = _packed(given(arrays, costs))
    return None if places[:1].tolist() == [NONE] else places


@compiled
def _packed(of: Given) -> Places:
    """Pack around every node in two orders, and improve the best."""
    requirements, limits, allowed, delays = of.requirements, of.limits, of.allowed, of.delays
    hops = len(of.sources) + len(of.path_sources)
    operators, nodes = allowed.shape
    orders = np.empty((2, operators), np.int64)
    orders[0] = _growing(of.sources, of.targets, of.rates, operators)
    largest = np.zeros(operators)
    for resource in range(len(limits)):
        most = limits[resource].max()
        if most > 0:
            largest = np.maximum(largest, requirements[resource] / most)
    orders[1] = np.argsort(-largest, kind="mergesort")
    best, best_cost, best_sum = np.full(operators, NONE, np.int64), inf, inf
    scratch = np.empty(operators)
    least = inf
    places = best.copy()
    work = 0
    for rank in range(2):
        for node in range(nodes):
            near = np.argsort(np.minimum(delays[node], delays[:, node]), kind="mergesort")
            work += nodes
            if work >= MOST_WORK:
                break
            if not _fill(orders[rank], near, requirements, limits, allowed, places):
                continue
            least, second = _value(places, of, scratch)
            work += hops
            if least < best_cost or (least == best_cost and second < best_sum):
                best, best_cost, best_sum = places.copy(), least, second
    if best_cost == inf:
        return np.full(operators, NONE, np.int64)
    free = limits.copy()
    for operator in range(operators):
        free[:, best[operator]] -= requirements[:, operator]
    places = best
    improved = True
    while improved and work < MOST_WORK:
        improved = False
        for one in range(operators):
            for choice in range(nodes + operators - one - 1):
                home = places[one]
                two = NONE if choice < nodes else one + 1 + choice - nodes
                to = choice if two == NONE else places[two]
                if to == home or not allowed[one, to]:
                    continue
                if two != NONE and not allowed[two, home]:
                    continue
                fits = True
                for resource in range(len(limits)):
                    more = requirements[resource, one]
                    if two != NONE:
                        more -= requirements[resource, two]
                    if more > free[resource, to] or -more > free[resource, home]:
                        fits = False
                if not fits:
                    continue
                places[one] = to
                if two != NONE:
                    places[two] = home
                least, second = _value(places, of, scratch)
                work += hops
                if least < best_cost or (least == best_cost and second < best_sum - 1e-12):
                    best_cost, best_sum, improved = least, second, True
                    for resource in range(len(limits)):
                        more = requirements[resource, one]
                        if two != NONE:
                            more -= requirements[resource, two]
                        free[resource, to] -= more
                        free[resource, home] += more
                else:
                    places[one] = home
                    if two != NONE:
                        places[two] = to
                if work >= MOST_WORK:
                    return places
    return places


@compiled
def _growing(sources: Places, targets: Places, rates: Floats, operators: int) -> Places:
    """Return operators such that each is the one most joined to those before it."""
    joined = np.zeros((operators, operators))
    for stream in range(len(sources)):
        joined[sources[stream], targets[stream]] += rates[stream]
        joined[targets[stream], sources[stream]] += rates[stream]
    order = np.empty(operators, np.int64)
    pull, taken = joined.sum(axis=1) * 1e-9, np.zeros(operators, np.bool_)
    for rank in range(operators):
        chosen = NONE
        for operator in range(operators):
            if not taken[operator] and (chosen == NONE or pull[operator] > pull[chosen]):
                chosen = operator
        order[rank] = chosen
        taken[chosen] = True
        pull += joined[chosen]
    return order


@compiled
def _fill(
    order: Places,
    near: Places,
    requirements: Floats,
    limits: Floats,
    allowed: Flags,
    places: Places,
) -> bool:
    """Put each operator on the first near node with room; return whether all found one."""
    free = limits.copy()
    for operator in order:
        placed = False
        for node in near:
            if allowed[operator, node] and (requirements[:, operator] <= free[:, node]).all():
                free[:, node] -= requirements[:, operator]
                places[operator] = node
                placed = True
                break
        if not placed:
            return False
    return True


@compiled
def _value(places: Places, of: Given, done: Floats) -> tuple[float, float]:
    """Return the cost, and all delays along paths: of equally long ones the shorter in sum."""
    total, second = 0.0, 0.0
    for operator in range(len(places)):
        total += of.per_operator[places[operator]]
    for stream in range(len(of.sources)):
        one, two = places[of.sources[stream]], places[of.targets[stream]]
        if one != two:
            total += of.rates[stream] * of.per_tuple[one, two] + of.per_stream[one, two]
    if of.response:
        longest = 0.0
        for operator in range(len(places)):
            done[operator] = of.execution_times[operator] / of.speedups[places[operator]]
        for edge in range(len(of.path_sources)):
            one, two = of.path_sources[edge], of.path_targets[edge]
            hop = of.delays[places[one], places[two]]
            second += hop
            work = of.execution_times[two] / of.speedups[places[two]]
            done[two] = max(done[two], done[one] + hop + work)
        for operator in of.path_order:
            longest = max(longest, done[operator])
        total += of.response * longest
    return total, second
