"""A placement problem as the branch and bound reads it: operators in branching order, all in costs.

Delays and execution times are multiplied by what a second of response time costs. If all paths
form one chain, the response time is a sum, and its parts join those of the other costs.
"""

from dataclasses import dataclass

import numpy as np

from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objectives.costs import Costs

RATE_ON, RATE_BACK, COUNT_ON, COUNT_BACK, HOP_ON, HOP_BACK = range(6)
"""What a pair has in each direction: tuples/s, streams, and whether a path leads along it."""
TURNED = [RATE_BACK, RATE_ON, COUNT_BACK, COUNT_ON, HOP_BACK, HOP_ON]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Operators whose nodes matter to each other; each pair once, sorted by first, then second.

    Parameters
    ----------
    firsts, seconds
        [pair]: operators, first < second.
    amounts
        [pair, amount]: as `RATE_ON` and the others say; "on" leads from first to second.
    """

    firsts: Indices
    seconds: Indices
    amounts: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """Operators are numbered by their place in the branching order.

    Parameters
    ----------
    order
        [operator]: its index in the problem.
    requirements
        [resource, operator]: what it needs; only resources that could run out.
    limits
        [resource, node]: what pinned operators leave.
    pinned
        [operator]: whether it has one candidate; its share of that node is set aside.
    allowed
        [operator, node]: whether the node is a candidate.
    own
        [operator, node]: what the operator costs there, whatever the others do.
    work
        [operator, node]: what its execution time costs on a path; 0 if paths are one chain.
    hops
        [node, node]: what a delay on a path costs.
    flow
        Operators on paths, in topological order; none if paths are one chain.
    path_tails, path_heads
        [path edge]: its ends, sorted by tail, then by head.
    pairs
        Operators whose nodes matter to each other.
    pair_costs
        [pair, node of first, node of second]; no pairs if no pair costs anything by itself.
    """

    order: Indices
    requirements: Floats
    limits: Floats
    pinned: Flags
    allowed: Flags
    own: Floats
    work: Floats
    hops: Matrix
    flow: Indices
    path_tails: Indices
    path_heads: Indices
    pairs: Pairs
    pair_costs: Floats

    @property
    def operators(self) -> int:
        """How many operators there are."""
        return len(self.order)

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return int(self.allowed.shape[1])

    @property
    def takes(self) -> Indices:
        """[operator]: how many places it takes on a node: 0 if it is pinned, else 1."""
        return np.where(self.pinned, 0, 1)


def instance_of(arrays: ProblemArrays, costs: Costs) -> Instance:
    """Translate a problem and its costs."""
    operators, nodes = arrays.operators, arrays.nodes
    by_rate, by_stream = costs.per_rate.any(), costs.per_stream.any()
    on_paths = bool(costs.response > 0)

    streams, edges = len(arrays.sources), len(arrays.path_sources)
    amounts = np.zeros((streams + edges, 6))
    amounts[:streams, RATE_ON] = costs.data_rates if by_rate else 0.0
    amounts[:streams, COUNT_ON] = 1.0 if by_stream else 0.0
    amounts[streams:, HOP_ON] = 1.0 if on_paths else 0.0
    sources = np.concatenate((arrays.sources, arrays.path_sources))
    targets = np.concatenate((arrays.targets, arrays.path_targets))
    order = branching_order(operators, arrays.path_order)
    place = np.empty(operators, dtype=np.int64)
    place[order] = np.arange(operators)
    pairs = merge_pairs(place[sources], place[targets], amounts)

    allowed = arrays.allowed[order]
    pinned = allowed.sum(axis=1) == 1
    needed, left = _contested(arrays.requirements[:, order], arrays.limits, allowed, pinned)

    own = np.tile(costs.per_operator, (operators, 1))
    used = slice(None) if on_paths else slice(0)
    flow = place[arrays.path_order][used]
    tails, heads = place[arrays.path_sources][used], place[arrays.path_targets][used]
    hops = costs.response * arrays.delays
    work = np.zeros((operators, nodes))
    times = arrays.execution_times[order[flow]]
    work[flow] = costs.response * times[:, None] / arrays.speedups
    is_chain = (
        len(tails) == len(flow) - 1
        and np.array_equal(tails, flow[:-1])
        and np.array_equal(heads, flow[1:])
    )
    if is_chain:
        own += work
        work[:] = 0.0
        flow, tails, heads = flow[:0], tails[:0], heads[:0]
    by_tail = np.lexsort((heads, tails))

    count = len(pairs.firsts) if by_rate or by_stream or is_chain else 0
    pair_costs = np.zeros((count, nodes, nodes))
    for amount, cost in zip(pairs.amounts, pair_costs, strict=False):
        _add(cost, amount[RATE_ON], amount[RATE_BACK], costs.per_rate)
        _add(cost, amount[COUNT_ON], amount[COUNT_BACK], costs.per_stream)
        if is_chain:
            _add(cost, amount[HOP_ON], amount[HOP_BACK], hops)
    return Instance(
        order=order,
        requirements=needed,
        limits=left,
        pinned=pinned,
        allowed=allowed,
        own=own,
        work=work,
        hops=hops,
        flow=flow,
        path_tails=tails[by_tail],
        path_heads=heads[by_tail],
        pairs=pairs,
        pair_costs=pair_costs,
    )


def merge_pairs(firsts: Indices, seconds: Indices, amounts: Floats) -> Pairs:
    """Merge what is between the same two operators, whichever comes first.

    Pairs of one operator with itself, and those with nothing but zeros, are left out: a node
    reaches itself at no cost.
    """
    kept = (firsts != seconds) & amounts.any(axis=1)
    firsts, seconds, amounts = firsts[kept], seconds[kept], amounts[kept]
    amounts = np.where((firsts > seconds)[:, None], amounts[:, TURNED], amounts)
    base = int(max(firsts.max(initial=0), seconds.max(initial=0))) + 1
    keys = np.minimum(firsts, seconds) * base + np.maximum(firsts, seconds)
    keys, pair = np.unique(keys, return_inverse=True)
    merged = np.zeros((len(keys), 6))
    np.add.at(merged, pair, amounts)
    return Pairs(keys // base, keys % base, merged)


def branching_order(operators: int, flow: Indices) -> Indices:
    """Return [place in the order]: operator. They come as data flows.

    So all that an operator waits for is known when its turn comes.

    Parameters
    ----------
    flow
        Operators on paths, in topological order; the others follow them by number.
    """
    return np.append(flow, np.setdiff1d(np.arange(operators), flow))


def starts_of(keys: Indices, count: int) -> Indices:
    """Return where each key's run starts in sorted keys: `starts[k]` to `starts[k + 1]`."""
    return np.searchsorted(keys, np.arange(count + 1)).astype(np.int64)


def _contested(
    requirements: Floats, limits: Floats, allowed: Flags, pinned: Flags
) -> tuple[Floats, Floats]:
    """Set the pinned operators' share aside, and keep the resources that the others could use up.

    A pinned operator needs nothing afterwards. If the pinned alone need more than a node has, its
    limit is negative.
    """
    needed, left = requirements.copy(), limits.copy()
    for operator in np.flatnonzero(pinned):
        left[:, np.argmax(allowed[operator])] -= needed[:, operator]
    needed[:, pinned] = 0.0
    least = left.min(axis=1)
    kept = (needed.sum(axis=1) > least) | (least < 0)
    return needed[kept], left[kept]


def _add(costs: Matrix, on: float, back: float, unit: Matrix) -> None:
    """Add what goes on from first to second, and back; 0 of an infinite cost is nothing."""
    if on:
        costs += on * unit
    if back:
        costs += back * unit.T
