"""The cost of a mapping, and its metrics."""

from dataclasses import replace

from eyewall_sidecar.model import Evaluation, LinkMatrix
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate

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


RESPONSE_TIME = Objective.parse("R=1")


def evaluation(network: TwoKindNetwork, task: Task, mapping: Mapping) -> Evaluation:
    """Value a mapping; its value is the response time R.

    Where two streams between the same two nodes take different routes, both count with the longer
    delay: a placement problem has one link for a pair.
    """
    problem = task.problem(network)
    place = {node.id: at for at, node in enumerate(network.nodes)}
    delays = problem.link_matrix.delays.copy()
    used: dict[tuple[int, int], float] = {}
    for route in mapping.routes:
        ways = (hop_of(network, route.kind, *link) for link in route.links)
        ends = place[route.hops[0]], place[route.hops[-1]]
        used[ends] = max(used.get(ends, 0.0), sum(hop.delay for hop in ways))
    for ends, delay in used.items():
        delays[ends] = delay
    routed = replace(problem, links=LinkMatrix.from_delays(tuple(place), delays))
    return evaluate(routed, mapping.placement, RESPONSE_TIME, {})
