from dataclasses import replace

import numpy as np
import pytest
from eyewall_papers.experiments.paper_000.placements import (
    co_locate_pins,
    fail_worker,
    instances,
    mean_latency,
    random_places,
    set_full_availability,
)
from eyewall_sidecar.model import Operator
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from numpy.random import default_rng
from small_problems import chain_of, graph_of


def test_instances_have_their_pins_on_nodes_that_are_always_up() -> None:
    # Of eight nodes, four are up 99 % of the time.
    for problem in instances(5):
        unsure = {it.id for it in problem.nodes if it.availability == 0.99}
        pinned = {node for it in problem.operators for node in it.candidates or ()}
        assert (len(problem.operators), len(unsure), len(pinned)) == (12, 4, 2)
        assert not unsure & pinned


def test_instances_differ() -> None:
    first, second = instances(2)
    assert first.links != second.links


def test_all_nodes_can_be_always_up() -> None:
    (problem,) = map(set_full_availability, instances(1))
    assert {it.availability for it in problem.nodes} == {1}


def test_the_consumer_can_be_pinned_to_the_sources_node() -> None:
    together = co_locate_pins(chain_of([1, 1], [3, 3], pins={"a": "n1", "c": "n2"}))
    assert [it.candidates for it in together.operators] == [("n1",), None, ("n1",)]


def test_tuples_take_each_way_as_often_as_the_rates_say() -> None:
    # Three of four take x, on their way nothing; one takes y, 10 ms there and 10 ms back: 5 ms
    # in the mean. On the way each tuple is worked on three times: 1 ms at s, 1 ms at t, and 1 ms
    # at x or 0.5 ms at y, whose node is twice as fast: 2 + 3/4 · 1 + 1/4 · 0.5 = 2.875 ms.
    graph = graph_of({("s", "x"): 3, ("s", "y"): 1, ("x", "t"): 3, ("y", "t"): 1}, [4, 4])
    slow, fast = graph.nodes
    problem = replace(
        graph,
        operators=tuple(Operator(it.id, execution_time=0.001) for it in graph.operators),
        nodes=(slow, replace(fast, speedup=2.0)),
    )
    chosen = {"s": "n1", "x": "n1", "y": "n2", "t": "n1"}
    assert mean_latency(problem, chosen) == pytest.approx(0.005 + 0.002875)


def test_a_random_placement_keeps_pins_and_room() -> None:
    # n1 has room for the pinned a only, so b and c are on n2 and n3, one each.
    arrays = ProblemArrays.of(chain_of([1, 1], [1, 1, 1], pins={"a": "n1"}))
    drawn = {
        tuple(random_places(arrays, np.array([1, 1, 1]), default_rng(seed)).tolist())
        for seed in range(20)
    }
    assert drawn == {(0, 1, 2), (0, 2, 1)}


def test_a_failed_worker_costs_the_hop_that_its_node_has_no_room_to_avoid() -> None:
    # Five executors of 1 s fill n1: R = 5 s. With one slot gone it holds four, so an end of the
    # chain moves to n2, 10 ms away: 5.01 s.
    chain = chain_of([1, 1, 1, 1], [8, 1])
    problem = replace(chain, operators=tuple(Operator(it, execution_time=1.0) for it in "abcde"))
    failure = fail_worker(problem, Term.R)
    assert (failure.moves, failure.at_least) == (1, 1)
    assert failure.worse == pytest.approx(5.01 / 5)
