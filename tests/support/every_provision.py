"""Every provision of a tiny problem, by counting them all: what exact methods are held against.

Nothing of what it checks is shared with them: groups, types and servers are tried one by one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import inf

from eyewall_papers.provisioning import MachineType, ProvisioningProblem
from eyewall_sidecar.model.violations import exceeds

Partition = list[list[str]]


def least_price(problem: ProvisioningProblem) -> float:
    """Return the price of the cheapest valid provision; infinite if there is none."""
    least = inf
    for partition in partitions([it.id for it in problem.operators]):
        choices = [
            [it for it in problem.types if _holds(problem, group, it)] for group in partition
        ]
        for types in product(*choices):
            price = sum(it.price for it in types)
            if (
                price < least
                and _counted(types)
                and _reach(problem, partition, types)
                and _served(problem, partition, types)
            ):
                least = price
    return least


def partitions(names: Sequence[str]) -> Iterator[Partition]:
    """Yield every way to split the names into groups."""
    if not names:
        yield []
        return
    first, *rest = names
    for split in partitions(rest):
        yield [[first], *split]
        for place, group in enumerate(split):
            yield [*split[:place], [first, *group], *split[place + 1 :]]


def _holds(problem: ProvisioningProblem, group: list[str], machine: MachineType) -> bool:
    inside = [it for it in problem.demands if it.id in group]
    if any(it.candidates is not None and machine.name not in it.candidates for it in inside):
        return False
    card = sum(problem.object(it).rate for it in _objects(problem, group))
    card += sum(
        stream.rate * (stream.tuple_bytes or 0)
        for stream in problem.flows
        if (stream.source in group) != (stream.target in group)
    )
    return not (
        exceeds(sum(it.cpu for it in inside), machine.cpu)
        or exceeds(sum(it.memory for it in inside), machine.memory)
        or exceeds(card, machine.card)
    )


def _objects(problem: ProvisioningProblem, group: list[str]) -> list[str]:
    return sorted({name for operator in group for name in problem.needed(operator)})


def _counted(types: Sequence[MachineType]) -> bool:
    bought = Counter(it.name for it in types)
    return all(bought[it.name] <= it.count for it in types)


def _reach(
    problem: ProvisioningProblem, partition: Partition, types: Sequence[MachineType]
) -> bool:
    for u, v in combinations(range(len(partition)), 2):
        carried = sum(
            stream.rate * (stream.tuple_bytes or 0)
            for stream in problem.flows
            if (stream.source in partition[u] and stream.target in partition[v])
            or (stream.source in partition[v] and stream.target in partition[u])
        )
        if exceeds(carried, problem.link_between(types[u].name, types[v].name)):
            return False
    return True


def _served(
    problem: ProvisioningProblem, partition: Partition, types: Sequence[MachineType]
) -> bool:
    downloads = [
        (u, name) for u, group in enumerate(partition) for name in _objects(problem, group)
    ]
    return _servable(problem, types, downloads, {}, {})


def _servable(
    problem: ProvisioningProblem,
    types: Sequence[MachineType],
    downloads: list[tuple[int, str]],
    sent: dict[str, float],
    over_link: dict[tuple[str, int], float],
) -> bool:
    if not downloads:
        return True
    (u, name), *rest = downloads
    rate = problem.object(name).rate
    for server in problem.holders(name):
        after = sent.get(server.id, 0.0) + rate
        link_after = over_link.get((server.id, u), 0.0) + rate
        if exceeds(after, server.card) or exceeds(link_after, server.link_to(types[u].name)):
            continue
        more, link_more = {**sent, server.id: after}, {**over_link, (server.id, u): link_after}
        if _servable(problem, types, rest, more, link_more):
            return True
    return False
