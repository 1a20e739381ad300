"""The engine against trying every placement, and what it says when it is stopped."""

from collections.abc import Iterator
from itertools import count, pairwise, repeat
from math import inf
from unittest.mock import patch

import numpy as np
import pytest
from brute_force import brute_force
from eyewall_sidecar.exact.branch_and_bound import branch_and_bound, covers
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.links import LinkMatrix
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import Costs, cost, weigh
from numpy.random import default_rng
from random_problems import Graph, Traits, random_problem

OBJECTIVES: tuple[dict[Term, float], ...] = (
    {Term.R: 1.0},
    {Term.A: 1.0},
    {Term.T: 1.0},
    {Term.N: 1.0},
    {Term.EE: 1.0},
    {Term.R: 1.0, Term.A: 0.0},
    {Term.R: 10.0, Term.N: 0.3},
    {Term.R: 0.4, Term.A: 0.2, Term.T: 0.01, Term.N: 0.1, Term.EE: 5.0},
    {},
)


def solved(problem: PlacementProblem, weights: dict[Term, float]) -> Finding:
    """Solve without a time limit: the clock stands still."""
    arrays = ProblemArrays.of(problem)
    return branch_and_bound(
        arrays, weigh(arrays, weights), start=None, ends_at=1.0, clock=lambda: 0.0
    )


def baseline(
    operators: int, nodes: int, *, room: float = 4.0, layered: bool = True
) -> PlacementProblem:
    """Return layers of two, or a chain, on nodes 22 ± 5 ms apart (paper 000, section 7.3)."""
    names = [f"o{i}" for i in range(operators)]
    layers = [names[:1], *(names[i : i + 2] for i in range(1, operators - 1, 2)), names[-1:]]
    if not layered:
        layers = [[name] for name in names]
    delays = np.maximum(default_rng(7).normal(0.022, 0.005, (nodes, nodes)), 0.001)
    return PlacementProblem(
        operators=tuple(Operator(it) for it in names),
        streams=tuple(
            Stream(i, j) for before, after in pairwise(layers) for i in before for j in after
        ),
        nodes=tuple(Node(f"n{u}", operators=room) for u in range(nodes)),
        links=LinkMatrix.from_delays([f"n{u}" for u in range(nodes)], delays),
    )


@pytest.mark.parametrize("seed", range(300))
def test_what_it_proves_is_what_trying_every_placement_finds(seed: int) -> None:
    rng = default_rng([seed, 4])
    traits = Traits.drawn(rng, bandwidth=False)
    problem = random_problem(seed, traits, operators=6, nodes=int(rng.integers(1, 5)))
    arrays = ProblemArrays.of(problem)
    for choice in rng.choice(len(OBJECTIVES), 2, replace=False).tolist():
        costs = weigh(arrays, OBJECTIVES[choice])
        expected = brute_force(arrays, costs)
        found = solved(problem, OBJECTIVES[choice])
        assert found.outcome is expected.outcome
        assert found.cost == pytest.approx(expected.cost, rel=1e-9, abs=1e-9)
        if found.places is not None:
            assert found.bound == found.cost == cost(arrays, costs, found.places)
            assert_valid(arrays, found)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("graph", [Graph.LAYERS, Graph.DIAMOND])
def test_what_is_alike_may_be_swapped_but_no_optimum_is_lost(seed: int, graph: Graph) -> None:
    traits = Traits(
        graph=graph,
        interchangeable=True,
        identical_nodes=True,
        tight=seed % 2 == 0,
        limited=True,
        system_streams=seed % 3 == 0,
        asymmetric=seed % 5 == 0,
        pins=seed % 4 == 0,
    )
    problem = random_problem(seed, traits, operators=7, nodes=4)
    arrays = ProblemArrays.of(problem)
    for weights in ({Term.R: 1.0}, {Term.T: 1.0}, {Term.R: 1.0, Term.N: 0.1}):
        expected = brute_force(arrays, weigh(arrays, weights))
        found = solved(problem, weights)
        assert found.outcome is expected.outcome
        assert found.cost == pytest.approx(expected.cost, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(80))
@pytest.mark.parametrize("graph", [Graph.LAYERS, Graph.DAG])
def test_pairs_on_many_paths_count_once_where_room_is_scarce(seed: int, graph: Graph) -> None:
    problem = random_problem(seed, Traits(graph=graph, tight=True, asymmetric=True), nodes=4)
    arrays = ProblemArrays.of(problem)
    for weights in ({Term.N: 1.0}, {Term.T: 1.0}):
        expected = brute_force(arrays, weigh(arrays, weights))
        found = solved(problem, weights)
        assert found.outcome is expected.outcome
        assert found.cost == pytest.approx(expected.cost, rel=1e-9, abs=1e-9)


def test_where_every_pair_has_to_part_a_start_that_is_nearly_as_good_rules_out_nothing() -> None:
    # a, b → c, d → e, f at 1/s each, nodes that hold one: all eight streams leave their node, 1 s
    # away, but 1.1 s from n6. A start with a on n6 costs 6 + 2 · 1.1 = 8.2, the optimum 8; a bound
    # that counted one pair twice would rule it out.
    delays = np.ones((7, 7))
    delays[6] = 1.1
    problem = PlacementProblem(
        operators=tuple(Operator(it) for it in "abcdef"),
        streams=tuple(Stream(i, j) for i, j in ("ac", "ad", "bc", "bd", "ce", "cf", "de", "df")),
        nodes=tuple(Node(f"n{u}", operators=1) for u in range(7)),
        links=LinkMatrix.from_delays([f"n{u}" for u in range(7)], delays),
    )
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, {Term.N: 1.0})
    start = np.array([6, 1, 2, 3, 4, 5])
    assert cost(arrays, costs, start) == pytest.approx(8.2)
    found = branch_and_bound(arrays, costs, start=start, ends_at=1.0, clock=lambda: 0.0)
    assert (found.outcome, found.cost) == (Outcome.OPTIMAL, 8.0)


def assert_valid(arrays: ProblemArrays, found: Finding) -> None:
    """Check candidates and limits by adding up what is on each node."""
    assert found.places is not None
    assert arrays.allowed[np.arange(arrays.operators), found.places].all()
    for node in range(arrays.nodes):
        load = arrays.requirements[:, found.places == node].sum(axis=1)
        assert (load <= arrays.limits[:, node]).all()


@pytest.mark.parametrize("weights", [{Term.R: 1.0}, {Term.N: 1.0}, {Term.R: 1.0, Term.N: 0.1}])
def test_stopped_early_it_has_a_placement_and_a_bound_that_the_optimum_respects(
    weights: dict[Term, float],
) -> None:
    problem = baseline(14, 8)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, weights)
    optimum = solved(problem, weights)
    assert optimum.outcome is Outcome.OPTIMAL
    for looks in range(4):
        ticks = map(float, count())
        found = branch_and_bound(arrays, costs, start=None, ends_at=looks, clock=ticks.__next__)
        assert found.places is not None
        assert found.bound <= optimum.cost + 1e-9 <= found.cost + 2e-9
        assert found.steps <= optimum.steps


def test_what_a_heuristic_finds_meanwhile_is_taken_and_changes_no_optimum() -> None:
    problem = baseline(40, 20)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, {Term.N: 1.0})
    # Layers on the same node as far as it has room, node after node.
    packed = np.arange(40) // 4
    swapped = packed.copy()
    swapped[[0, 39]] = packed[[39, 0]]
    seconds: list[float] = []

    def heuristic(_: ProblemArrays, __: Costs, left: float) -> Iterator[Places]:
        seconds.append(left)
        return iter([swapped, packed])

    ticks = count()
    with patch("eyewall_sidecar.exact.branch_and_bound.ALONE", 0):
        found = branch_and_bound(
            arrays,
            costs,
            start=None,
            ends_at=40,
            clock=lambda: float(next(ticks)),
            heuristic=heuristic,
        )
    assert len(seconds) == 1
    assert found.cost <= cost(arrays, costs, packed)


def test_a_heuristic_has_more_of_the_time_while_it_finds_better_placements() -> None:
    problem = baseline(40, 20)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, {Term.N: 1.0})
    packed = np.arange(40) // 4

    def steps(*, better: bool) -> int:
        ticks, module = count(), "eyewall_sidecar.exact.branch_and_bound"
        with (
            patch(f"{module}.ALONE", 0),
            patch(f"{module}.PATIENCE", 2),
            patch(f"{module}._learn", lambda *_: better),
        ):
            return branch_and_bound(
                arrays,
                costs,
                start=packed,
                ends_at=60,
                clock=lambda: float(next(ticks)),
                heuristic=lambda *_: repeat(packed),
            ).steps

    # 20 turns in each; of the others all but the first are five times as long.
    brief, others = steps(better=True), steps(better=False)
    assert others > 4.5 * brief


def test_the_same_problem_gives_the_same_placement_however_the_time_is_sliced() -> None:
    problem = baseline(16, 8)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, {Term.R: 1.0})
    slow = count(step=10)
    one = branch_and_bound(arrays, costs, start=None, ends_at=inf, clock=lambda: float(next(slow)))
    other = branch_and_bound(arrays, costs, start=None, ends_at=inf, clock=lambda: 0.0)
    assert one.places is not None
    assert other.places is not None
    assert one.places.tolist() == other.places.tolist()
    assert one.steps == other.steps


def test_a_start_that_is_the_optimum_is_proven_in_no_more_steps_and_kept() -> None:
    problem = baseline(12, 6)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, {Term.R: 1.0})
    found = solved(problem, {Term.R: 1.0})
    again = branch_and_bound(arrays, costs, start=found.places, ends_at=1.0, clock=lambda: 0.0)
    assert again.outcome is Outcome.OPTIMAL
    assert again.places is found.places
    assert again.steps <= found.steps


def test_more_pins_than_a_node_holds_is_infeasible_at_once() -> None:
    problem = PlacementProblem(
        operators=tuple(Operator(it, candidates=("n1",)) for it in "abc"),
        streams=(),
        nodes=(Node("n1", operators=2), Node("n2")),
        links=LinkMatrix.from_delays(["n1", "n2"], np.ones((2, 2))),
    )
    found = solved(problem, {Term.R: 1.0})
    assert (found.outcome, found.bound, found.steps) == (Outcome.INFEASIBLE, inf, 0)


def test_a_load_that_uses_a_node_up_exactly_fits_though_decimals_are_not_exact() -> None:
    # Three times 0.1 is 0.30000000000000004 in floating point, and 0.3 cores are there.
    problem = PlacementProblem(
        operators=tuple(Operator(it, cpu=0.1) for it in "abc"),
        streams=(Stream("a", "b"), Stream("b", "c")),
        nodes=(Node("n1", cpu=0.3), Node("n2", cpu=0.3)),
        links=LinkMatrix.from_delays(["n1", "n2"], np.ones((2, 2))),
    )
    assert solved(problem, {Term.R: 1.0}).cost == 0.0


def test_no_operators_cost_nothing() -> None:
    problem = PlacementProblem((), (), (Node("n1"),), {})
    found = solved(problem, {Term.R: 1.0, Term.N: 1.0})
    assert (found.outcome, found.cost) == (Outcome.OPTIMAL, 0.0)


def test_nodes_that_are_never_up_are_forbidden_when_availability_counts() -> None:
    problem = PlacementProblem(
        operators=(Operator("a"), Operator("b")),
        streams=(Stream("a", "b"),),
        nodes=(Node("n1", availability=0.0), Node("n2", operators=1), Node("n3", operators=1)),
        links={
            (u, v): Link(0.01, availability=0.0 if (u, v) == ("n2", "n3") else 1.0)
            for u in ("n1", "n2", "n3")
            for v in ("n1", "n2", "n3")
            if u != v
        },
    )
    found = solved(problem, {Term.R: 1.0, Term.A: 0.0})
    assert found.places is not None
    assert found.places.tolist() == [2, 1]  # a on n3, b on n2: the link back is up


def test_limited_bandwidth_and_tables_beyond_memory_are_not_covered() -> None:
    small = baseline(4, 3)
    assert covers(ProblemArrays.of(small))
    limited = small.link_matrix.bandwidths.copy()
    limited[0, 1] = 1e6
    assert not covers(
        ProblemArrays.of(
            PlacementProblem(
                small.operators,
                tuple(Stream(it.source, it.target, tuple_bytes=1.0) for it in small.streams),
                small.nodes,
                LinkMatrix(
                    small.link_matrix.nodes,
                    small.link_matrix.delays,
                    small.link_matrix.availabilities,
                    limited,
                ),
            )
        )
    )
    # 2,000 operators and their 1,999 streams on 100 nodes: 3,999 · 100² entries are 40 million.
    assert not covers(ProblemArrays.of(baseline(2000, 100, layered=False)))
