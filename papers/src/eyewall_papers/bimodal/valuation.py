"""A mapping valued by the metrics of placements, its routes' delays in the place of links."""

from dataclasses import replace

from eyewall_sidecar.model import Evaluation, LinkMatrix
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate

from eyewall_papers.bimodal.mapping import Mapping
from eyewall_papers.bimodal.mapping_cost import hop_of
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.task import Task

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
