from dataclasses import replace
from itertools import product
from math import inf

import numpy as np
import pytest
from brute_force import every_placement
from eyewall_sidecar.exact.sparse_engine import least_overload
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Status, Stream
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import load_policy
from random_problems import Graph, Traits, random_problem


def reasons(
    operators: list[Operator],
    nodes: list[Node],
    streams: list[Stream] | None = None,
    *,
    bandwidth: float = inf,
) -> tuple[str, ...]:
    ids = [node.id for node in nodes]
    problem = PlacementProblem(
        tuple(operators),
        tuple(streams or []),
        tuple(nodes),
        {(u, v): Link(0.01, 1, bandwidth) for u, v in product(ids, ids) if u != v},
    )
    solution = load_policy("odp")(problem, Objective.parse("R=1"), time_limit=10, seed=0)
    assert solution.status is Status.INFEASIBLE
    assert solution.placement is None
    return solution.reasons


def test_an_operator_that_no_candidate_can_hold() -> None:
    big = Operator("tag", cpu=8, candidates=("n1", "n2"))
    assert reasons([big], [Node("n1", cpu=2), Node("n2", cpu=4), Node("n3")]) == (
        "operator tag needs cpu 8; the most among its candidates is 4, on n2",
    )


def test_what_shows_without_a_search_is_no_engines_answer() -> None:
    problem = PlacementProblem((Operator("tag", cpu=8),), (), (Node("n1", cpu=2),), {})
    solution = load_policy("odp")(problem, Objective.parse("R=1"), time_limit=10, seed=0)
    assert (solution.status, solution.decided_by) == (Status.INFEASIBLE, "checks")


def test_an_operator_whose_needs_no_candidate_has_together() -> None:
    big = Operator("tag", cpu=2, memory=2)
    assert reasons([big], [Node("n1", cpu=2, memory=1), Node("n2", cpu=1, memory=2)]) == (
        (
            "operator tag needs operators 1 and cpu 2 and memory 2 on one node; "
            "none of its candidates (n1, n2) has them together"
        ),
    )


def test_more_than_all_nodes_offer() -> None:
    nodes = [Node("n1", operators=1), Node("n2", operators=1)]
    assert reasons([Operator(name) for name in "abc"], nodes) == (
        "operators: operators a, b, c need 3 together and can only be on n1, n2, offering 2",
    )


def test_more_than_the_node_offers_that_all_are_pinned_to() -> None:
    pinned = [Operator(name, cpu=0.6, candidates=("n1",)) for name in "ab"]
    assert reasons([*pinned, Operator("c")], [Node("n1", cpu=1), Node("n2")]) == (
        "cpu: operators a, b need 1.2 together and can only be on n1, offering 1",
    )


def test_what_only_a_search_can_tell_is_named_by_the_node_that_overflows_least() -> None:
    # Three operators of 0.6 cores on two nodes of 1 core: 1.8 ≤ 2, but no two go together.
    found = reasons(
        [Operator(name, cpu=0.6) for name in "abc"], [Node("n1", cpu=1), Node("n2", cpu=1)]
    )
    assert len(found) == 1
    assert found[0].startswith("cpu of node n")
    assert found[0].endswith("and offers 1")
    assert "at the least overload possible it holds 1.2 (" in found[0]


def test_a_bandwidth_that_no_placement_keeps() -> None:
    # Both ends are pinned: 10/s of 100 bytes over a link of 999 bytes/s.
    ends = [Operator("a", candidates=("n1",)), Operator("b", candidates=("n2",))]
    assert reasons(ends, [Node("n1"), Node("n2")], [Stream("a", "b", 10, 100)], bandwidth=999) == (
        (
            "bandwidth of link n1 → n2: at the least overload possible it carries 1000 bytes/s "
            "(stream a → b) and offers 999"
        ),
    )


def overload(arrays: ProblemArrays, places: Places) -> float:
    """Return the sum of what exceeds nodes and links, each as a fraction of what they offer."""
    loads = np.zeros_like(arrays.limits)
    np.add.at(loads.T, places, arrays.requirements.T)
    carried = np.zeros_like(arrays.bandwidths)
    ends = places[arrays.sources], places[arrays.targets]
    np.add.at(carried, ends, arrays.rates * np.nan_to_num(arrays.sizes))
    pairs = (loads, arrays.limits), (carried, arrays.bandwidths)
    return sum(float(np.maximum(0.0, load / offer - 1.0).sum()) for load, offer in pairs)


def test_no_placement_has_a_smaller_overload_than_the_one_that_is_named() -> None:
    overloaded = 0
    for seed in range(30):
        traits = Traits(Graph.DIAMOND, limited=True, resources=True, bandwidth=seed % 2 == 1)
        drawn = ProblemArrays.of(random_problem(seed, traits, operators=5, nodes=3))
        # What nodes and links offer is cut down until nothing fits.
        bandwidths = np.full_like(drawn.bandwidths, 300.0 if seed % 2 else inf)
        np.fill_diagonal(bandwidths, inf)
        allowed = drawn.allowed.copy()
        if seed % 2:  # and most streams have to be between nodes
            allowed[1:] = (
                np.arange(drawn.nodes) == np.arange(1, len(allowed))[:, None] % drawn.nodes
            )
        arrays = replace(drawn, limits=drawn.limits * 0.4, bandwidths=bandwidths, allowed=allowed)
        places, error = least_overload(arrays, ends_at=60.0, clock=lambda: 0.0, seed=0)
        assert error == ""
        assert places is not None
        least = min(overload(arrays, it) for it in every_placement(arrays))
        assert overload(arrays, places) == pytest.approx(least, rel=1e-6), seed
        overloaded += least > 0
    assert overloaded > 20
