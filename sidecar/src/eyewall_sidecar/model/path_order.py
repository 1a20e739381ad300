"""A topological order of operators that also exists when streams run in circles.

Ecker et al. (paper 002), section 5.4, algorithm 3: the heuristic of Eades, Lin and Smyth for the
minimum feedback arc set, changed so that whole layers of sources and sinks are peeled off and a
cycle is entered where what was peeled off before leads into it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

Edge = tuple[str, str]


def path_order(vertices: Sequence[str], edges: Iterable[Edge]) -> list[str]:
    """Order the vertices; an edge that then points backwards is what breaks its cycle.

    Ties go to the vertex listed first, so the same graph always gives the same order.
    """
    graph = _Graph(vertices, edges)
    left: list[str] = []
    right: list[list[str]] = []
    while graph.successors:
        while sources := graph.without(graph.predecessors):
            left += graph.remove(sources)
        while sinks := graph.without(graph.successors):
            right.append(graph.remove(sinks))
        if graph.successors:
            left += graph.remove([_entrance(graph, entered=set(left))])
    return left + [vertex for layer in reversed(right) for vertex in layer]


class _Graph:
    """A directed graph that shrinks; edges of removed vertices are remembered in `edges`."""

    def __init__(self, vertices: Sequence[str], edges: Iterable[Edge]) -> None:
        self.edges = [(source, target) for source, target in edges if source != target]
        self.successors: dict[str, list[str]] = {vertex: [] for vertex in vertices}
        self.predecessors: dict[str, list[str]] = {vertex: [] for vertex in vertices}
        for source, target in self.edges:
            self.successors[source].append(target)
            self.predecessors[target].append(source)

    def without(self, neighbours: dict[str, list[str]]) -> list[str]:
        return [vertex for vertex, others in neighbours.items() if not others]

    def remove(self, vertices: list[str]) -> list[str]:
        for vertex in vertices:
            for target in self.successors.pop(vertex):
                self.predecessors[target].remove(vertex)
            for source in self.predecessors.pop(vertex):
                self.successors[source].remove(vertex)
        return vertices


def _entrance(graph: _Graph, entered: Collection[str]) -> str:
    """Vertex of the first cycle where its layer-by-layer order shall begin.

    Among those that a vertex peeled off as a source leads into (all of them if there is none), the
    one with the most successors beyond its predecessors.
    """
    *_, first = _strong_components(graph.successors)
    led_into = {target for source, target in graph.edges if source in entered}
    choice = [vertex for vertex in first if vertex in led_into] or first
    return max(choice, key=lambda v: len(graph.successors[v]) - len(graph.predecessors[v]))


def _strong_components(successors: dict[str, list[str]]) -> Iterator[list[str]]:
    """Tarjan's strongly connected components, in reverse topological order."""
    place = {vertex: number for number, vertex in enumerate(successors)}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    waiting: set[str] = set()
    for root in successors:
        if root in index:
            continue
        work = [(root, iter(successors[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        waiting.add(root)
        while work:
            vertex, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[vertex])
                if low[vertex] == index[vertex]:
                    cut = stack.index(vertex)
                    component, stack[cut:] = stack[cut:], []
                    waiting.difference_update(component)
                    yield sorted(component, key=place.__getitem__)
            elif target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                waiting.add(target)
                work.append((target, iter(successors[target])))
            elif target in waiting:
                low[vertex] = min(low[vertex], index[target])
