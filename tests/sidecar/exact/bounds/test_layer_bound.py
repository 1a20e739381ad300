"""Layers of two: which operators are in one, and what they cost at least together."""

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from brute_force import brute_force, costs_of, every_placement, fits
from eyewall_sidecar.exact.bounds.layer_bound import layers_of
from eyewall_sidecar.exact.instance import Instance, instance_of
from eyewall_sidecar.exact.search_tree import BY_LAYERS, SearchTree, _branch, advance, root_bound
from eyewall_sidecar.exact.tree_state import LEVEL, NONE, descend
from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import Indices, ProblemArrays
from eyewall_sidecar.model.links import LinkMatrix
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import Costs, cost, weigh
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from random_problems import Graph, Traits, random_problem
from search_trees import root_of

WEIGHTS: tuple[dict[Term, float], ...] = (
    {Term.R: 1.0},
    {Term.N: 1.0},
    {Term.T: 1.0},
    {Term.EE: 1.0},
    {Term.R: 10.0, Term.N: 0.3, Term.EE: 5.0, Term.A: 0.1},
)
ALL = 1_000_000
"""Branchings, more than any of these problems needs."""


def layered(arrays: ProblemArrays, costs: Costs) -> tuple[Instance, SearchTree]:
    """Return a tree that is searched with layers from the root on."""
    return root_of(arrays, costs, layered=True)


def in_layers(edges: list[str], *, room: float, at: tuple[float, ...]) -> PlacementProblem:
    """Return operators named by letters on nodes along a line, at so many seconds."""
    places = np.array(at)
    names = [f"n{u}" for u in range(len(at))]
    return PlacementProblem(
        operators=tuple(Operator(it) for it in sorted(set("".join(edges)))),
        streams=tuple(Stream(edge[0], edge[1], 1.0) for edge in edges),
        nodes=tuple(Node(it, operators=room) for it in names),
        links=LinkMatrix.from_delays(names, np.abs(places[:, None] - places[None, :])),
    )


def split(problem: PlacementProblem) -> list[int]:
    arrays = ProblemArrays.of(problem)
    starts = layers_of(instance_of(arrays, weigh(arrays, {Term.N: 1.0}))).starts
    return [int(end - start) for start, end in pairwise(starts)]


def test_layers_are_as_narrow_as_they_can_be() -> None:
    at = (0.0, 1.0)
    assert split(in_layers(["ab", "ac", "bd", "cd", "de"], room=4, at=at)) == [1, 2, 1, 1]
    assert split(in_layers(["ab", "bc"], room=4, at=at)) == []  # a chain needs none of two
    assert split(in_layers(["ab", "ac", "ad", "be", "ce", "de"], room=4, at=at)) == []  # three
    assert split(in_layers(["ab", "ac", "bd", "cd", "ad"], room=4, at=at)) == [2, 2]
    assert split(in_layers(["ab", "ac", "bd", "cd", "de", "ae"], room=4, at=at)) == []  # skips one


def test_two_paths_share_the_room_on_a_node() -> None:
    # a → b, c → d, e → f at 1/s each, nodes for three at 0, 1 and 3 s. Each way from a to f may
    # have three of its four operators on one node, but both ways share it: a, b and c on one leave
    # d, e and f for the other, 1 s away, and all four streams between layers cross: N = 4, R = 1.
    # Nodes for six hold all.
    edges = ["ab", "ac", "bd", "be", "cd", "ce", "df", "ef"]
    for room, weights, least in (
        (3, {Term.N: 1.0}, 4.0),
        (3, {Term.R: 1.0}, 1.0),
        (6, {Term.N: 1.0}, 0.0),
    ):
        arrays = ProblemArrays.of(in_layers(edges, room=room, at=(0.0, 1.0, 3.0)))
        _, tree = layered(arrays, weigh(arrays, weights))
        assert tree.used[BY_LAYERS]
        advance(tree, 1)
        assert root_bound(tree) == pytest.approx(least)


@st.composite
def problems(draw: st.DrawFn) -> tuple[ProblemArrays, Costs]:
    seed = draw(st.integers(0, 100_000))
    graph = draw(st.sampled_from([Graph.LAYERS, Graph.DAG]))
    traits = Traits.drawn(default_rng([seed, 12]), graph, bandwidth=False)
    operators, nodes = draw(st.sampled_from([(6, 4), (7, 3)]))
    arrays = ProblemArrays.of(random_problem(seed, traits, operators=operators, nodes=nodes))
    return arrays, weigh(arrays, draw(st.sampled_from(WEIGHTS)))


@settings(max_examples=300)
@given(problems())
def test_a_search_with_layers_finds_the_optimum(problem: tuple[ProblemArrays, Costs]) -> None:
    arrays, costs = problem
    optimum = brute_force(arrays, costs).cost
    _, tree = layered(arrays, costs)
    advance(tree, ALL)
    assert tree.state.counters[LEVEL] < 0
    assert tree.state.incumbent_cost[0] == pytest.approx(optimum, rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(problems(), st.integers(0, 1_000))
def test_no_branch_is_said_to_cost_more_than_a_placement_in_it(
    problem: tuple[ProblemArrays, Costs], draw: int
) -> None:
    arrays, costs = problem
    instance, tree = layered(arrays, costs)
    if not tree.used[BY_LAYERS]:
        return
    every = every_placement(arrays)
    valid = every[fits(arrays, every)]
    valid = valid[costs_of(arrays, costs, valid) < inf]
    if len(valid):
        follow(instance, tree, arrays, costs, valid[draw % len(valid)])


@settings(max_examples=60)
@given(
    seed=st.integers(0, 100_000),
    weights=st.sampled_from(WEIGHTS),
    room=st.integers(2, 4),
    operators=st.sampled_from([10, 12]),
)
def test_on_larger_problems_a_search_without_layers_agrees(
    seed: int, weights: dict[Term, float], room: int, operators: int
) -> None:
    rng = default_rng([seed, 13])
    names = [f"o{i:02}" for i in range(operators)]
    layers = [names[:1], *(names[i : i + 2] for i in range(1, operators - 1, 2)), names[-1:]]
    delays = rng.uniform(0.001, 0.03, (5, 5))
    problem = PlacementProblem(
        operators=tuple(Operator(it, execution_time=float(rng.uniform(0, 0.01))) for it in names),
        streams=tuple(
            Stream(i, j, float(rng.uniform(1, 10)))
            for before, after in pairwise(layers)
            for i in before
            for j in after
        ),
        nodes=tuple(
            Node(f"n{u}", operators=int(rng.integers(room, room + 3)), speedup=1.0 + u % 2)
            for u in range(5)
        ),
        links=LinkMatrix.from_delays([f"n{u}" for u in range(5)], delays),
    )
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, weights)
    instance, plain = root_of(arrays, costs)
    advance(plain, ALL)
    if plain.state.counters[LEVEL] >= 0 or plain.state.incumbent_cost[0] == inf:
        return
    places = np.empty(operators, np.int64)
    places[instance.order] = plain.state.incumbent
    follow(*layered(arrays, costs), arrays, costs, places)
    _, tree = layered(arrays, costs)
    advance(tree, ALL)
    assert tree.used[BY_LAYERS]
    assert tree.state.incumbent_cost[0] == pytest.approx(plain.state.incumbent_cost[0], rel=1e-9)


def follow(
    instance: Instance, tree: SearchTree, arrays: ProblemArrays, costs: Costs, places: Indices
) -> None:
    """Go down to the placement, level by level; symmetries may leave it out, bounds must not."""
    value = cost(arrays, costs, places)
    state = tree.state
    tree.before[:], tree.same_node[:] = NONE, NONE
    for level in range(arrays.operators):
        _branch(tree, level)
        children = state.child_nodes[level, : state.children[level]].tolist()
        rank = children.index(places[instance.order[level]])
        assert state.child_bounds[level, rank] <= value + 1e-9 * max(1.0, abs(value))
        state.visited[level] = rank
        descend(tree.stars, tree.capacity, state)
    assert state.counters[LEVEL] == arrays.operators
