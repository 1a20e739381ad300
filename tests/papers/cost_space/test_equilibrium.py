import numpy as np
import pytest
from eyewall_papers.cost_space.equilibrium import (
    Equilibrium,
    SpringTurns,
    Turns,
    WeberTurns,
    equilibrium,
)
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_sidecar.model.array_types import Floats, Places
from numpy.random import Generator, default_rng

PRECISE = WeberTurns(least_gain=1e-9, threshold=1e-12)


def on_a_line(
    links: dict[tuple[int, int], float], pins: dict[int, float], free: dict[int, float]
) -> tuple[OperatorGraph, Floats]:
    """Operators by their place: those of `pins` stay at their position, those of `free` begin."""
    operators = sorted(pins | free)
    assert operators == list(range(len(operators)))
    ends = np.array(list(links))
    graph = OperatorGraph.between(
        ends[:, 0], ends[:, 1], list(links.values()), np.array([it in pins for it in operators])
    )
    return graph, np.array([[(pins | free)[it]] for it in operators], dtype=np.float64)


def settle(turns: Turns, graph: OperatorGraph, positions: Floats) -> Equilibrium:
    found = equilibrium(turns, graph, positions, np.arange(graph.operators))
    assert found.settled
    return found


def test_operators_gather_where_the_greater_rates_are_and_tell_only_who_is_elsewhere() -> None:
    # 0 ─3─ 1 ─2─ 2 ─1─ 3. Operator 1 goes to 0 (3 > 2) and notifies 2, the only message: 2 joins it
    # (2 > 1), and what is at one position needs none. Operators 0 and 3 are pinned.
    graph, start = on_a_line({(0, 1): 3, (1, 2): 2, (2, 3): 1}, {0: 0, 3: 10}, {1: 4, 2: 6})
    found = settle(PRECISE, graph, start)
    assert found.positions[:, 0].tolist() == [0, 0, 0, 10]
    assert found.messages == 1
    assert found.movers.tolist() == [1, 2]


def test_a_cluster_moves_as_one_where_none_of_it_would_move_alone() -> None:
    # 0 ─1─ 1 ─5─ 2 ─2─ 3 with 1 and 2 at one position: the link of 5 holds each against 1 and 2.
    # Together they go to 3: 1 · 10 in place of 1 · 5 + 2 · 5.
    graph, start = on_a_line({(0, 1): 1, (1, 2): 5, (2, 3): 2}, {0: 0, 3: 10}, {1: 5, 2: 5})
    found = settle(PRECISE, graph, start)
    assert found.positions[:, 0].tolist() == [0, 10, 10, 10]
    assert found.messages == 0


def test_a_part_of_a_cluster_that_hangs_by_a_weak_link_leaves_it() -> None:
    # 0 ─3─ 1 ─5─ 2 ─1─ 3 ─5─ 4 ─3─ 5, the free ones all at 5. None leaves alone (5 > 3, 5 > 1) and
    # together they are in balance (3 = 3); 1 and 2 leave by the link of 1: 1 · 10 in place of 30.
    links = {(0, 1): 3.0, (1, 2): 5.0, (2, 3): 1.0, (3, 4): 5.0, (4, 5): 3.0}
    graph, start = on_a_line(links, {0: 0, 5: 10}, {1: 5, 2: 5, 3: 5, 4: 5})
    found = settle(PRECISE, graph, start)
    assert found.positions[:, 0].tolist() == [0, 0, 0, 10, 10, 10]


@pytest.mark.parametrize(("least_gain", "position"), [(0.02, 0), (0.005, 10)])
def test_only_what_gains_enough_is_worth_a_move(least_gain: float, position: float) -> None:
    # From 101 · 10 = 1010 to 100 · 10 = 1000: a gain of 1 %.
    graph, start = on_a_line({(0, 1): 100, (1, 2): 101}, {0: 0, 2: 10}, {1: 0})
    found = settle(WeberTurns(least_gain), graph, start)
    assert found.positions[1, 0] == position


def test_on_trees_all_local_optima_are_the_optimum_of_the_whole() -> None:
    # Theorem 2 of the paper, which needs clusters that move and fall apart.
    rng = default_rng(7)
    for _ in range(20):
        sources, targets, rates, pinned, positions = random_tree(rng, 12)
        graph = OperatorGraph.between(sources, targets, rates, pinned)
        start = np.where(pinned[:, None], positions, positions[pinned].mean(axis=0))
        found = settle(PRECISE, graph, start)
        usage = rates @ np.linalg.norm(found.positions[sources] - found.positions[targets], axis=1)
        assert usage <= optimum(sources, targets, rates, pinned, start) * (1 + 1e-4)


def test_springs_rest_where_the_elastic_energy_is_least() -> None:
    # 1 · x² + 3 · (10 − x)² is least at x = 7.5, network usage at 10. Half of the way each turn:
    # 7.5/2⁷ = 0.06 is the first within 0.1 of rest, so 7 moves.
    graph, start = on_a_line({(0, 1): 1, (1, 2): 3}, {0: 0, 2: 10}, {1: 0})
    found = settle(SpringTurns(damping=0.5, at_rest=0.01), graph, start)
    assert found.positions[1, 0] == pytest.approx(7.5 * (1 - 2**-7))
    assert len(found.movers) == 7
    assert found.messages == 0


def test_every_move_of_a_spring_notifies_each_free_neighbour() -> None:
    # 0 ─ 1 ─ 2 ─ 3 with equal rates: rest at a third and two thirds. Each has one free neighbour.
    links = {(0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0}
    graph, start = on_a_line(links, {0: 0, 3: 30}, {1: 0, 2: 30})
    found = settle(SpringTurns(damping=0.5, at_rest=1e-4), graph, start)
    assert found.positions[:, 0] == pytest.approx([0, 10, 20, 30], abs=0.02)
    assert found.messages == len(found.movers) > 0


@pytest.mark.parametrize("turns", [WeberTurns(), SpringTurns()])
def test_who_is_not_triggered_does_nothing(turns: Turns) -> None:
    graph, start = on_a_line({(0, 1): 1, (1, 2): 3}, {0: 0, 2: 10}, {1: 0})
    nobody = np.empty(0, dtype=np.int64)
    found = equilibrium(turns, graph, start, nobody)
    assert (found.turns, found.messages, found.settled) == (0, 0, True)
    assert np.array_equal(found.positions, start)


@pytest.mark.parametrize("turns", [WeberTurns(), SpringTurns()])
def test_turns_that_are_stopped_are_not_called_settled(turns: Turns) -> None:
    graph, start = on_a_line({(0, 1): 1, (1, 2): 3}, {0: 0, 2: 10}, {1: 0})
    found = equilibrium(turns, graph, start, np.arange(3), stopped=lambda: True)
    assert not found.settled


def random_tree(rng: Generator, count: int) -> tuple[Places, Places, Floats, np.ndarray, Floats]:
    """Leaves and the root are pinned; rates fall by a random selectivity from the leaves on."""
    parents = np.array([rng.integers(max(0, it - 4), it) for it in range(1, count)])
    children = np.arange(1, count)
    pinned = ~np.isin(np.arange(count), parents)
    pinned[0] = True
    output = np.zeros(count)
    for it in range(count - 1, 0, -1):
        arriving = output[children[parents == it]].sum()
        output[it] = rng.random() * arriving if arriving else rng.uniform(100, 200)
    return children, parents, output[1:], pinned, rng.random((count, 3))


def optimum(
    sources: Places, targets: Places, rates: Floats, pinned: np.ndarray, start: Floats
) -> float:
    """Return the least usage in continuous space: springs of rate/length until lengths settle."""
    positions, free, count = start.copy(), np.flatnonzero(~pinned), len(start)
    for smoothing in np.geomspace(1e-3, 1e-16, 500):
        lengths = ((positions[sources] - positions[targets]) ** 2).sum(axis=1)
        pulls = rates / np.sqrt(lengths + smoothing)
        laplacian = np.zeros((count, count))
        np.add.at(laplacian, (sources, sources), pulls)
        np.add.at(laplacian, (targets, targets), pulls)
        np.add.at(laplacian, (sources, targets), -pulls)
        np.add.at(laplacian, (targets, sources), -pulls)
        if len(free):
            right = -laplacian[np.ix_(free, np.flatnonzero(pinned))] @ positions[pinned]
            positions[free] = np.linalg.solve(laplacian[np.ix_(free, free)], right)
    return float(rates @ np.linalg.norm(positions[sources] - positions[targets], axis=1))
