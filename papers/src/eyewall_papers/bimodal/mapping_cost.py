"""What a mapping costs, recomputed from its routes."""

from eyewall_papers.bimodal.mapping import Mapping
from eyewall_papers.bimodal.metric import Additive
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.partial_map import Hop
from eyewall_papers.bimodal.task import Task


def mapping_cost(network: TwoKindNetwork, task: Task, mapping: Mapping, metric: Additive) -> float:
    """W of section 3.1: the sum over all hops of all streams; hops must be the network's."""
    return sum(
        metric.charge(hop_of(network, route.kind, sender, receiver), task.bandwidth(stream))
        for stream, route in enumerate(mapping.routes)
        for sender, receiver in route.links
    )


def hop_of(network: TwoKindNetwork, kind: LinkKind, sender: str, receiver: str) -> Hop:
    """Return the link of that kind from one node to another; KeyError if there is none."""
    if kind is LinkKind.PUBLIC and network.public is not None:
        return Hop(receiver, kind, network.public.delay(sender, receiver), 0.0)
    link = network.link(sender, receiver)
    if link is None or kind is LinkKind.PUBLIC:
        raise KeyError(f"no {kind} link from {sender} to {receiver}")
    return Hop(receiver, kind, link.delay, link.price)
