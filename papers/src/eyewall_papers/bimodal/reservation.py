"""What a chosen map takes of each node that it visits, one visit after the other (section 3)."""

from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.partial_map import PartialMap
from eyewall_papers.bimodal.surroundings import Stock
from eyewall_papers.bimodal.task import Task


def share(task: Task, partial: PartialMap, place: int) -> Stock:
    """Return what the visit at that place needs: cores, the way in if public, the way out."""
    visit = partial.visits[place]
    mapped = sum(it.operators for it in partial.visits[:place])
    held = task.operators[mapped : mapped + visit.operators]
    needed = Stock(sum(it.cpu for it in held), 0.0, 0.0)
    if visit.arrived is LinkKind.PUBLIC:
        needed.downlink = task.bandwidth(mapped - 1)
    if place + 1 < len(partial.visits):
        following = partial.visits[place + 1]
        sent = task.bandwidth(mapped + visit.operators - 1)
        if following.arrived is LinkKind.PUBLIC:
            needed.uplink = sent
        else:
            needed.dedicated[following.node] = sent
    return needed
