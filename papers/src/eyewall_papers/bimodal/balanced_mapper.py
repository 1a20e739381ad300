"""Maps tasks one after the other as a network's agents do, fast enough for simulations."""

from collections.abc import Callable

from eyewall_papers.bimodal.compiled_maps import Maps, visits
from eyewall_papers.bimodal.compiled_negotiation import negotiated
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.mapping_arrays import NONE, free_arrays, network_arrays, task_arrays
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.partial_map import PartialMap, Visit
from eyewall_papers.bimodal.task import Task

KINDS = (LinkKind.DEDICATED, LinkKind.PUBLIC)
"""In the order of `compiled_maps`."""
FIRST_CAPACITY = 1 << 15
"""Partial maps that there is room for at first; twice as many while that is not enough."""


def balanced_mapper(network: TwoKindNetwork) -> Callable[[Resources, Task], PartialMap | None]:
    """Return what maps tasks as agents with LeastCostMap and the balanced metric do.

    What it returns takes what is left of the network and a task, and gives the map that the agents
    settle on; None if they find none.
    """
    arrays = network_arrays(network)

    def settled(free: Resources, task: Task) -> PartialMap | None:
        now, wanted = free_arrays(network, free), task_arrays(network, task)
        capacity = FIRST_CAPACITY
        while not (ended := negotiated(arrays, now, wanted, capacity)).finished:
            capacity *= 2
        return None if ended.best == NONE else _partial_map(network, ended.maps, ended.best)

    return settled


def _partial_map(network: TwoKindNetwork, maps: Maps, row: int) -> PartialMap:
    return PartialMap(
        visits=tuple(
            Visit(network.nodes[maps.node[it]].id, int(maps.operators[it]), KINDS[maps.arrived[it]])
            for it in visits(maps, row)
        ),
        length=int(maps.length[row]),
        loads=tuple(
            (network.nodes[maps.loaded[row, at]].id, float(maps.load[row, at]))
            for at in range(maps.loads[row])
        ),
    )
