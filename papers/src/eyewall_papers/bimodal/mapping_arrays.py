"""A network with two kinds of links, and a task for it, as arrays: what compiled code works on.

Nodes, services, operators and streams are known by their place; a dedicated link by the place of
one of its directions among the outgoing links of all nodes, one node after the other.
"""

from typing import NamedTuple

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from numpy.typing import NDArray

from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.task import Task

Flags = NDArray[np.bool_]
NONE = -1
"""The place of something absent."""


class NetworkArrays(NamedTuple):
    """A network.

    Parameters
    ----------
    cpu
        [node]: C, cores when nothing runs.
    serves
        [node, service]: S.
    ranks
        [node]: the rank of its name in alphabetical order.
    first_link
        [node], and the end: the place of its first outgoing link.
    receivers, prices
        [link]: the node that it leads to, and what a byte costs.
    first_provider, providers
        [service], and the end: the place of its first node in `providers`; none without a public
        network, which alone needs them.
    public
        Whether there is a public network.
    """

    cpu: Floats
    serves: Flags
    ranks: Places
    first_link: Places
    receivers: Places
    prices: Floats
    first_provider: Places
    providers: Places
    public: bool


class FreeArrays(NamedTuple):
    """Free resources: cores, uplinks and downlinks [node], and dedicated bandwidth [link]."""

    cpu: Floats
    dedicated: Floats
    uplinks: Floats
    downlinks: Floats


class TaskArrays(NamedTuple):
    """A task.

    Parameters
    ----------
    source, sink
        Nodes.
    services
        [operator]: NONE for both ends and for a service without provider.
    cpu
        [operator]: cores.
    bandwidths, budgets
        [stream]: bytes/s, and what a byte may cost.
    max_null
        The most nodes that may forward a stream.
    """

    source: int
    sink: int
    services: Places
    cpu: Floats
    bandwidths: Floats
    budgets: Floats
    max_null: int


def service_places(network: TwoKindNetwork) -> dict[str, int]:
    """Service → its place among all that are served."""
    served = {service for services in network.services.values() for service in services}
    return {service: place for place, service in enumerate(sorted(served))}


def link_places(network: TwoKindNetwork) -> dict[tuple[str, str], int]:
    """(sender, receiver) → the place of that direction of a dedicated link."""
    ways = [(node.id, other) for node in network.nodes for other in network.neighbours(node.id)]
    return {way: place for place, way in enumerate(ways)}


def network_arrays(network: TwoKindNetwork) -> NetworkArrays:
    """Turn a network into arrays, in the order of its nodes and of their neighbours."""
    names = [node.id for node in network.nodes]
    place = {name: at for at, name in enumerate(names)}
    services = service_places(network)
    ways = link_places(network)
    serves = np.zeros((len(names), len(services)), np.bool_)
    for name, served in network.services.items():
        serves[place[name], [services[it] for it in served]] = True
    offered = [network.providers(it) if network.public is not None else () for it in services]
    order = sorted(names)
    ranks = np.empty(len(names), np.int64)
    ranks[[place[name] for name in order]] = np.arange(len(names))
    return NetworkArrays(
        cpu=np.array([node.cpu for node in network.nodes]),
        serves=serves,
        ranks=ranks,
        first_link=_firsts([len(network.neighbours(name)) for name in names]),
        receivers=np.array([place[receiver] for _, receiver in ways], np.int64),
        prices=np.array([_price(network, way) for way in ways], np.float64),
        first_provider=_firsts([len(nodes) for nodes in offered]),
        providers=np.array([place[node] for nodes in offered for node in nodes], np.int64),
        public=network.public is not None,
    )


def free_arrays(network: TwoKindNetwork, free: Resources) -> FreeArrays:
    """Return the free resources of a network as arrays."""
    names = [node.id for node in network.nodes]
    return FreeArrays(
        np.array([free.cpu[it] for it in names]),
        np.array([free.dedicated[it] for it in link_places(network)], np.float64),
        np.array([free.uplinks[it] for it in names]),
        np.array([free.downlinks[it] for it in names]),
    )


def task_arrays(network: TwoKindNetwork, task: Task) -> TaskArrays:
    """Turn a task for a network into arrays."""
    place = {node.id: at for at, node in enumerate(network.nodes)}
    services = service_places(network)
    return TaskArrays(
        place[task.source],
        place[task.sink],
        np.array([NONE, *(services.get(it, NONE) for it in task.services), NONE], np.int64),
        np.array([operator.cpu for operator in task.operators]),
        np.array([task.bandwidth(it) for it in range(len(task.streams))]),
        np.array(task.budgets),
        task.max_null,
    )


def _price(network: TwoKindNetwork, way: tuple[str, str]) -> float:
    link = network.link(*way)
    return link.price if link is not None else 0.0


def _firsts(counts: list[int]) -> Places:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
