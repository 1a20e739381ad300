"""Why a task can have no mapping at all, found before anything is searched."""

from math import inf

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import unknown
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.network import TwoKindNetwork, fewest_hops
from eyewall_papers.bimodal.task import Task


def require_places(network: TwoKindNetwork, task: Task) -> None:
    """Refuse a task whose ends are not nodes, or that needs a service without provider."""
    for end, node in (("source", task.source), ("sink", task.sink)):
        if node not in network.uplinks:
            raise ProblemError(f"{task}: {end}: {unknown('node', node, network.uplinks)}")
    for operator, service in zip(task.operators[1:-1], task.services, strict=True):
        try:
            network.providers(service)
        except ProblemError as error:
            raise ProblemError(f"{task}: operator {operator.id}: {error}") from None


def obstacles(network: TwoKindNetwork, free: Resources, task: Task) -> tuple[str, ...]:
    """Sentences on what alone forbids every mapping; none does not mean that there is one.

    Looks at each operator and each stream by itself: cores on the nodes that offer the service, a
    first hop that the budget pays and that is wide enough, links all the way from source to sink.
    """
    return (
        *_too_big(network, free, task),
        *_no_first_hop(network, task),
        *_too_wide(network, free, task),
        *_cut_off(network, task),
    )


def _too_big(network: TwoKindNetwork, free: Resources, task: Task) -> list[str]:
    found = []
    for place, operator in enumerate(task.operators):
        most = max(free.cpu[node] for node in task.candidates(place, network))
        if exceeds(operator.cpu, most):
            found.append(
                f"operator {operator.id} needs {operator.cpu:g} cores; the most that a node which "
                f"may hold it has left is {most:g}"
            )
    return found


def _no_first_hop(network: TwoKindNetwork, task: Task) -> list[str]:
    if network.public is not None:
        return []
    found = []
    for place, (stream, budget) in enumerate(zip(task.streams, task.budgets, strict=True)):
        senders = set(task.candidates(place, network))
        if senders & set(task.candidates(place + 1, network)):
            continue
        prices = [
            link.price for link in network.dedicated if link.one in senders or link.other in senders
        ]
        if prices and exceeds(min(prices), budget):
            found.append(
                f"{stream}: its budget of {budget:g} per byte allows no hop; the cheapest "
                f"dedicated link that it could leave by costs {min(prices):g}"
            )
    return found


def _too_wide(network: TwoKindNetwork, free: Resources, task: Task) -> list[str]:
    found = []
    for place, stream in enumerate(task.streams):
        senders = set(task.candidates(place, network))
        receivers = set(task.candidates(place + 1, network))
        if senders & receivers:
            continue
        links = [left for (sender, _), left in free.dedicated.items() if sender in senders]
        if network.public is not None:
            upwards = max(free.uplinks[node] for node in senders)
            links.append(min(upwards, max(free.downlinks[node] for node in receivers)))
        needed = task.bandwidth(place)
        if links and exceeds(needed, max(links)):
            found.append(
                f"{stream} needs {needed:g} bytes/s; the most that a link which it could leave by "
                f"has left is {max(links):g}"
            )
    return found


def _cut_off(network: TwoKindNetwork, task: Task) -> list[str]:
    if network.public is not None or task.source == task.sink:
        return []
    if fewest_hops(task.source, task.sink, network.neighbours, inf):
        return []
    sentence = (
        f"{task}: its ends are not connected: no dedicated links lead from {task.source} to "
        f"{task.sink}, and there is no public network"
    )
    return [sentence]
