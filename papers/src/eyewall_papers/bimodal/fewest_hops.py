"""The path of the fewest hops, by breadth-first search."""

from collections import deque
from collections.abc import Callable, Iterable


def fewest_hops(
    source: str, target: str, onward: Callable[[str], Iterable[str]], most_hops: float
) -> tuple[str, ...]:
    """Return the nodes of a path with as few hops as there can be; none if no path leads there.

    Parameters
    ----------
    source, target
        Ids of its ends, two different nodes.
    onward
        Node id → ids of the nodes that a hop may lead to from there. Of paths that are equally
        short, the one is taken whose hops come first.
    most_hops
        The longest path that will do.
    """
    reached = {source}
    waiting: deque[tuple[str, ...]] = deque([(source,)])
    while waiting:
        path = waiting.popleft()
        if len(path) > most_hops:
            return ()
        for node in onward(path[-1]):
            if node == target:
                return (*path, node)
            if node not in reached:
                reached.add(node)
                waiting.append((*path, node))
    return ()
