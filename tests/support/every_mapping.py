"""All mappings of a small task, by trying every placement and every simple route.

Shares nothing with the algorithms but the list of constraints.
"""

from collections.abc import Iterator
from itertools import pairwise, product

from eyewall_papers.bimodal.mapping import Mapping, Resources, Route, mapping_violations
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.task import Task


def every_mapping(network: TwoKindNetwork, free: Resources, task: Task) -> Iterator[Mapping]:
    """Yield every valid mapping once."""
    names = [operator.id for operator in task.operators]
    hosts = [task.candidates(place, network) for place in range(len(names))]
    for nodes in product(*hosts):
        ways = [list(_routes(network, one, other, task.max_null)) for one, other in pairwise(nodes)]
        for routes in product(*ways):
            mapping = Mapping(dict(zip(names, nodes, strict=True)), routes)
            if not mapping_violations(network, free, task, mapping):
                yield mapping


def _routes(network: TwoKindNetwork, one: str, other: str, forwarding: int) -> Iterator[Route]:
    if one == other:
        yield Route(LinkKind.DEDICATED, (one,))
        return
    if network.public is not None:
        yield Route(LinkKind.PUBLIC, (one, other))
    ways: list[tuple[str, ...]] = [(one,)]
    while ways:
        way = ways.pop()
        if way[-1] == other:
            yield Route(LinkKind.DEDICATED, way)
        elif len(way) <= forwarding + 1:
            ways += [(*way, it) for it in network.neighbours(way[-1]) if it not in way]
