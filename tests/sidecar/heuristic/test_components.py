from itertools import pairwise, product

from eyewall_sidecar.heuristic.components import NO_COMPONENT, by_connections, components_of
from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays


def layers_of(*sizes: int, acker: bool = False) -> PlacementProblem:
    """Layers of executors, every one of a layer sending to every one of the next."""
    layers = [[f"{'abcdef'[layer]}{i}" for i in range(size)] for layer, size in enumerate(sizes)]
    streams = [Stream(i, j) for one, two in pairwise(layers) for i, j in product(one, two)]
    names = [name for layer in layers for name in layer]
    if acker:
        streams += [Stream(name, "acker", system=True) for name in names]
        names = ["acker", *names]
    operators = tuple(Operator(name) for name in names)
    return PlacementProblem(operators, tuple(streams), (Node("n"),), {})


def order_of(problem: PlacementProblem) -> list[str]:
    return [problem.operators[it].id for it, _ in by_connections(ProblemArrays.of(problem))]


def test_executors_with_the_same_needs_and_neighbours_are_one_component() -> None:
    components = components_of(ProblemArrays.of(layers_of(1, 2, 3)))
    assert components == [[0], [1, 2], [3, 4, 5]]


def test_the_component_with_most_connections_takes_turns_with_its_neighbours() -> None:
    # Connections: a 1·2 = 2, b 2·(1 + 3) = 8, c 3·2 = 6. b's turns: b0, then a0 (1 executor) before
    # c0 (3), then b1, c1, and c2.
    assert order_of(layers_of(1, 2, 3)) == ["b0", "a0", "c0", "b1", "c1", "c2"]


def test_components_with_as_many_connections_come_as_listed() -> None:
    # a and b: 1 each, c and d on their own: 0.
    assert order_of(layers_of(1, 1)) == ["a0", "b0"]


def test_ackers_come_last_and_are_of_no_component() -> None:
    problem = layers_of(1, 1, acker=True)
    assert order_of(problem) == ["a0", "b0", "acker"]
    assert by_connections(ProblemArrays.of(problem))[-1] == (0, NO_COMPONENT)


def test_every_executor_comes_once() -> None:
    problem = layers_of(3, 1, 4, 2, acker=True)
    assert sorted(order_of(problem)) == sorted(it.id for it in problem.operators)
