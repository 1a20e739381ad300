"""Executors in the order in which Storm's Resource Aware Scheduler places them.

Apache Storm 2.8, `ExecSorterByConnectionCount`.
"""

from collections import defaultdict, deque
from collections.abc import Iterator

from eyewall_sidecar.model.arrays import ProblemArrays

NO_COMPONENT = -1


def by_connections(arrays: ProblemArrays) -> list[tuple[int, int]]:
    """Return operators, each with the number of its component, the most connected ones first.

    Each component takes turns with its neighbours: one executor of its own, one of each
    neighbour, until none of them has any left. A component has executors × executors connections
    to each neighbour; neighbours with fewer come first. Executors that system streams alone
    reach, as ackers, come last and have none.
    """
    components = components_of(arrays)
    component = {it: number for number, executors in enumerate(components) for it in executors}
    neighbours: list[set[int]] = [set() for _ in components]
    for source, target in zip(
        arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True
    ):
        neighbours[component[source]].add(component[target])
        neighbours[component[target]].add(component[source])
    size = [len(executors) for executors in components]
    connections = [
        sum(size[it] for it in others) * own for others, own in zip(neighbours, size, strict=True)
    ]
    waiting = [deque(executors) for executors in components]

    def turns() -> Iterator[tuple[int, int]]:
        for current in sorted(range(len(components)), key=lambda it: (-connections[it], it)):
            turn = [current, *sorted(neighbours[current], key=lambda it: (size[it], it))]
            while any(waiting[it] for it in turn):
                for it in turn:
                    if waiting[it]:
                        yield waiting[it].popleft(), it

    others = [(it, NO_COMPONENT) for it in range(arrays.operators) if it not in component]
    return [*turns(), *others]


def components_of(arrays: ProblemArrays) -> list[list[int]]:
    """Return operators on paths as components: a problem does not say which belong together.

    Those with the same needs, candidates and neighbours on paths do, in the order as listed.
    """
    before: defaultdict[int, set[int]] = defaultdict(set)
    after: defaultdict[int, set[int]] = defaultdict(set)
    for source, target in zip(
        arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True
    ):
        before[target].add(source)
        after[source].add(target)
    alike: defaultdict[object, list[int]] = defaultdict(list)
    for operator in sorted(arrays.path_order.tolist()):
        needs = arrays.requirements[:, operator].tobytes(), arrays.execution_times[operator]
        allowed = arrays.allowed[operator].tobytes()
        ends = frozenset(before[operator]), frozenset(after[operator])
        alike[needs, allowed, ends].append(operator)
    return list(alike.values())
