"""A placement problem as the branch and bound sees it: numbered by the branching order, in costs.

Delays and execution times are multiplied by what a second of response time costs. If all paths
form one chain, the response time is a sum, and its parts join those of the other costs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.exact.branching_order import branching_order
from eyewall_sidecar.exact.relations import (
    COUNT_BACK,
    COUNT_ON,
    HOP_BACK,
    HOP_ON,
    RATE_BACK,
    RATE_ON,
    Relations,
    merged,
)
from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objectives.costs import Costs

Flags = NDArray[np.bool_]


class Instance(NamedTuple):
    """Operators are numbered by their place in the branching order.

    Parameters
    ----------
    order
        [operator]: its place in the problem.
    requirements
        [resource, operator]: what it needs; only resources that could run out.
    limits
        [resource, node]: what is left beside the pinned operators.
    pinned
        [operator]: whether it has one candidate; its share of that node is set aside.
    allowed
        [operator, node]: whether the node is a candidate.
    own
        [operator, node]: what the operator costs there, whatever the others do.
    work
        [operator, node]: what its execution time costs on a path; 0 if no path is told apart.
    hops
        [node, node]: what a delay on a path costs.
    flow
        Operators on paths, in topological order; none if no path is told apart.
    path_tails, path_heads
        [path edge]: its ends, sorted by tail, then by head.
    relations
        Pairs of operators whose places matter to each other.
    pair_costs
        [pair, node of first, node of second]; no pairs if no pair costs anything by itself.
    """

    order: Places
    requirements: Floats
    limits: Floats
    pinned: Flags
    allowed: Flags
    own: Floats
    work: Floats
    hops: Matrix
    flow: Places
    path_tails: Places
    path_heads: Places
    relations: Relations
    pair_costs: Floats


class Given(NamedTuple):
    """What an instance is made of, as compiled code takes it.

    Parameters
    ----------
    requirements, limits, execution_times, speedups, allowed, delays, sources, targets, rates,
    path_order, path_sources, path_targets
        As `ProblemArrays` has them.
    response, per_operator, per_tuple, per_stream
        As `Costs` has them.
    """

    requirements: Floats
    limits: Floats
    execution_times: Floats
    speedups: Floats
    allowed: Flags
    delays: Matrix
    sources: Places
    targets: Places
    rates: Floats
    path_order: Places
    path_sources: Places
    path_targets: Places
    response: float
    per_operator: Floats
    per_tuple: Matrix
    per_stream: Matrix


def given(arrays: ProblemArrays, costs: Costs) -> Given:
    """Return the arrays of a problem and its costs."""
    return Given(
        arrays.requirements,
        arrays.limits,
        arrays.execution_times,
        arrays.speedups,
        arrays.allowed,
        arrays.delays,
        arrays.sources,
        arrays.targets,
        arrays.rates,
        arrays.path_order,
        arrays.path_sources,
        arrays.path_targets,
        costs.response,
        costs.per_operator,
        costs.per_tuple,
        costs.per_stream,
    )


@compiled
def instance_of(of: Given) -> Instance:
    """Translate the arrays of a problem and its costs."""
    operators, nodes = of.allowed.shape
    by_tuple, by_stream = of.per_tuple.any(), of.per_stream.any()
    hop = 1.0 if of.response > 0 else 0.0

    streams, edges = len(of.sources), len(of.path_sources)
    amounts = np.zeros((streams + edges, 6))
    if by_tuple:
        amounts[:streams, RATE_ON] = of.rates
    if by_stream:
        amounts[:streams, COUNT_ON] = 1.0
    amounts[streams:, HOP_ON] = hop
    ends = merged(
        np.concatenate((of.sources, of.path_sources)),
        np.concatenate((of.targets, of.path_targets)),
        amounts,
    )
    order = branching_order(operators, of.path_order, ends.firsts, ends.seconds)
    place = np.empty(operators, np.int64)
    place[order] = np.arange(operators)
    relations = merged(place[ends.firsts], place[ends.seconds], ends.amounts)

    allowed = of.allowed[order]
    pinned = allowed.sum(axis=1) == 1
    needed, left = _contested(of.requirements[:, order], of.limits, allowed, pinned)

    own = np.empty((operators, nodes))
    own[:] = of.per_operator
    flow = place[of.path_order] if hop else of.path_order[:0]
    tails = place[of.path_sources] if hop else of.path_sources[:0]
    heads = place[of.path_targets] if hop else of.path_targets[:0]
    hops = of.response * of.delays
    work = np.zeros((operators, nodes))
    for operator in flow:
        work[operator] = of.response * of.execution_times[order[operator]] / of.speedups
    folded = _is_chain(flow, tails, heads)
    if folded:
        own += work
        work[:] = 0.0
        flow, tails, heads = flow[:0], tails[:0], heads[:0]
    by_tail = np.argsort(tails * operators + heads, kind="mergesort")

    pairs = len(relations.firsts) if by_tuple or by_stream or folded else 0
    pair_costs = np.zeros((pairs, nodes, nodes))
    for pair in range(pairs):
        amount = relations.amounts[pair]
        _add(pair_costs[pair], amount[RATE_ON], amount[RATE_BACK], of.per_tuple)
        _add(pair_costs[pair], amount[COUNT_ON], amount[COUNT_BACK], of.per_stream)
        if folded:
            _add(pair_costs[pair], amount[HOP_ON], amount[HOP_BACK], hops)
    return Instance(
        order,
        needed,
        left,
        pinned,
        allowed,
        own,
        work,
        hops,
        flow,
        tails[by_tail],
        heads[by_tail],
        relations,
        pair_costs,
    )


@compiled
def starts_of(keys: Places, count: int) -> Places:
    """Return where each key's run starts in sorted keys: `starts[k]` to `starts[k + 1]`."""
    starts = np.zeros(count + 1, np.int64)
    for key in keys:
        starts[key + 1] += 1
    return np.cumsum(starts)


@compiled
def _contested(
    requirements: Floats, limits: Floats, allowed: Flags, pinned: Flags
) -> tuple[Floats, Floats]:
    """Set the pinned operators' share aside, and keep the resources that the others could use up.

    A pinned operator needs nothing afterwards. If the pinned alone need more than a node has, its
    limit is negative.
    """
    resources, operators = requirements.shape
    needed, left = requirements.copy(), limits.copy()
    kept = np.zeros(resources, np.bool_)
    for resource in range(resources):
        for operator in range(operators):
            if pinned[operator]:
                left[resource, np.argmax(allowed[operator])] -= needed[resource, operator]
                needed[resource, operator] = 0.0
        kept[resource] = needed[resource].sum() > left[resource].min() or left[resource].min() < 0
    return needed[kept], left[kept]


@compiled
def _is_chain(flow: Places, tails: Places, heads: Places) -> bool:
    """Whether each operator on a path has just the next one after it."""
    if len(tails) != len(flow) - 1:
        return False
    return bool((tails == flow[:-1]).all() and (heads == flow[1:]).all())


@compiled
def _add(costs: Matrix, on: float, back: float, unit: Matrix) -> None:
    """Add what goes on from first to second, and back; 0 of an infinite cost is nothing."""
    if on:
        costs += on * unit
    if back:
        costs += back * unit.T
