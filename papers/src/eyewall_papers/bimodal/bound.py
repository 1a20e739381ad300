"""A lower bound on the cost of every mapping of a task (paper 004, section 4.2).

The paper leaves bandwidths out and looks for the cheapest path through a graph with a stage for
each component and a vertex for each node, subject to node capacities; that is still a knapsack for
every node, as a path may come back. Here capacities are relaxed once more: they hold for each run
of operators that a path puts on a node one after the other, and not for several runs together.

It is a bound: take any feasible mapping and cut its operators into runs on one node. Each run fits
the node's capacity, as all its operators together do. Each stream between runs takes a route of at
most max_null + 1 dedicated hops or one public hop, so it costs at least the cheapest such route;
and it takes a public one, or none, where its budget is below the lowest price of a dedicated one.
Hence the mapping is a path of the relaxed graph that costs no more, and the cheapest path costs at
most as much as the best mapping. Where the cheapest path never comes back to a node, it keeps the
capacities, and is what the paper computes.
"""

from collections.abc import Mapping
from itertools import permutations
from math import isfinite

import numpy as np
from eyewall_sidecar.model.violations import TOLERANCE, exceeds
from numpy.typing import NDArray

from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.metric import Additive
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.valuation import hop_of

Costs = NDArray[np.float64]


def cost_bound(network: TwoKindNetwork, free: Resources, task: Task, metric: Additive) -> float:
    """Return a cost that no mapping is below; infinite if the relaxed task has no mapping.

    Dynamic programming over (operators mapped, node that holds the last one), O(m²·n + m·n²),
    and O(m · max_null · n · dedicated links) for the routes.
    """
    nodes = [node.id for node in network.nodes]
    count = len(task.operators)
    reached: Costs = np.full((count + 1, len(nodes)), np.inf)
    """[operators mapped, node]: least cost with the last run there and ended."""
    arriving: Costs = np.full(len(nodes), np.inf)
    arriving[nodes.index(task.source)] = 0.0
    fits = _longest_runs(network, free, task, nodes)
    for mapped in range(count):
        if mapped:
            routes = _route_costs(network, task, mapped - 1, metric)
            arriving = np.min(reached[mapped][:, None] + routes, axis=0)
        for node, longest in enumerate(fits[mapped]):
            for length in range(1, longest + 1):
                reached[mapped + length, node] = min(reached[mapped + length, node], arriving[node])
    return float(reached[count].min())


def _longest_runs(
    network: TwoKindNetwork, free: Resources, task: Task, nodes: list[str]
) -> list[list[int]]:
    """Return [first operator][node]: the number of operators from there on that the node holds."""
    allowed = [frozenset(task.candidates(it, network)) for it in range(len(task.operators))]
    table = []
    for first in range(len(task.operators)):
        row = []
        for node in nodes:
            cores, length = 0.0, 0
            for operator, hosts in zip(task.operators[first:], allowed[first:], strict=True):
                cores += operator.cpu
                if node not in hosts or exceeds(cores, free.cpu[node]):
                    break
                length += 1
            row.append(length)
        table.append(row)
    return table


def _route_costs(network: TwoKindNetwork, task: Task, stream: int, metric: Additive) -> Costs:
    """Return [sender, receiver]: the cheapest route of max_null + 1 dedicated hops, or public."""
    nodes = [node.id for node in network.nodes]
    place = {node: at for at, node in enumerate(nodes)}
    bandwidth = task.bandwidth(stream)
    costs: dict[tuple[int, int], float] = {}
    prices: dict[tuple[int, int], float] = {}
    for link in network.dedicated:
        for way in link.directions:
            at = place[way[0]], place[way[1]]
            taken = hop_of(network, LinkKind.DEDICATED, *way)
            costs[at], prices[at] = metric.charge(taken, bandwidth), taken.price
    routes = _cheapest(costs, len(nodes), task.max_null)
    if isfinite(budget := task.budgets[stream]):
        paid = _cheapest(prices, len(nodes), task.max_null)
        routes[paid > budget + TOLERANCE * max(1.0, budget)] = np.inf
    if network.public is not None:
        for way in permutations(nodes, 2):
            taken = hop_of(network, LinkKind.PUBLIC, *way)
            at = place[way[0]], place[way[1]]
            routes[at] = min(routes[at], metric.charge(taken, bandwidth))
    np.fill_diagonal(routes, np.inf)
    return routes


def _cheapest(hops: Mapping[tuple[int, int], float], nodes: int, max_null: int) -> Costs:
    """Return [sender, receiver]: the least sum over at most max_null + 1 hops."""
    routes: Costs = np.full((nodes, nodes), np.inf)
    for way, cost in hops.items():
        routes[way] = cost
    for _ in range(max_null):
        longer = routes.copy()
        for (sender, receiver), cost in hops.items():
            reaching = longer[:, receiver]
            np.minimum(reaching, routes[:, sender] + cost, out=reaching)
        routes = longer
    return routes
