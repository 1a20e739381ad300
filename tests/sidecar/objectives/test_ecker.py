from math import inf
from random import Random

import numpy as np
import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream, violations
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import EckerWeights, Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.costs import cost
from eyewall_sidecar.objectives.ecker import (
    ecker_costs,
    ecker_score,
    events,
    latency,
    separation,
    supervisors,
    with_headroom,
)


def diamond(cpu: float = inf, operators: float = inf) -> PlacementProblem:
    """a ─10/s─▶ b ─20/s─▶ d and a ─30/s─▶ c ─40/s─▶ d, on four nodes 5 ms apart."""
    nodes = ("n1", "n2", "n3", "n4")
    return PlacementProblem(
        operators=tuple(Operator(it, execution_time=0.5) for it in "abcd"),
        streams=(
            Stream("a", "b", 10),
            Stream("b", "d", 20),
            Stream("a", "c", 30),
            Stream("c", "d", 40),
        ),
        nodes=tuple(Node(it, cpu=cpu, operators=operators) for it in nodes),
        links={(u, v): Link(0.005) for u in nodes for v in nodes if u != v},
    )


PLACEMENT = {"a": "n1", "b": "n2", "c": "n1", "d": "n1"}


def test_latency_is_the_delays_on_the_slowest_way_whatever_operators_take() -> None:
    # a ─5 ms─▶ b ─5 ms─▶ d; a, c and d are together.
    assert latency(diamond(), PLACEMENT) == pytest.approx(0.010)


def test_supervisors_are_the_share_of_nodes_in_use() -> None:
    # n1 and n2 of four.
    assert supervisors(diamond(), PLACEMENT) == 2 / 4


def test_separation_is_the_share_of_streams_between_nodes() -> None:
    # a → b and b → d of four.
    assert separation(diamond(), PLACEMENT) == 2 / 4


def test_events_are_the_share_of_tuples_between_nodes() -> None:
    # 10 + 20 of 100 tuples/s.
    assert events(diamond(), PLACEMENT) == pytest.approx(0.3)


def test_the_score_is_the_weighted_sum_with_latency_in_milliseconds() -> None:
    # 1e-6 · 10 ms + 2 · 0.5 + 3 · 0.5 + 4 · 0.3
    weights = EckerWeights(lat=1e-6, sup=2, co=3, event=4)
    assert ecker_score(diamond(), PLACEMENT, weights) == pytest.approx(1e-5 + 1 + 1.5 + 1.2)


def test_an_evaluation_has_the_score_as_its_value() -> None:
    # 1e-6 · 10 ms + 0.5 + 0.5 + 0.3
    evaluation = evaluate(diamond(), PLACEMENT, Objective.parse("ecker"), {})
    assert evaluation.value == pytest.approx(1.30001)
    assert evaluation.ranges == {}


def test_shares_of_nothing_are_0() -> None:
    alone = PlacementProblem((Operator("a"),), (), (Node("n1"), Node("n2")), LINKS)
    assert separation(alone, {"a": "n1"}) == 0
    assert events(alone, {"a": "n1"}) == 0
    silent = PlacementProblem(
        (Operator("a"), Operator("b")), (Stream("a", "b", 0),), alone.nodes, LINKS
    )
    assert events(silent, {"a": "n1", "b": "n2"}) == 0
    assert separation(silent, {"a": "n1", "b": "n2"}) == 1


LINKS = {("n1", "n2"): Link(0.001), ("n2", "n1"): Link(0.001)}


def test_95_percent_of_cpu_and_memory_may_be_used_and_all_of_the_places() -> None:
    # Four operators of cpu 1: 4 of 4 is too much, 95 % of 4.3 = 4.085 is enough.
    together = dict.fromkeys("abcd", "n1")
    assert violations(diamond(cpu=4, operators=4), together) == ()
    assert violations(with_headroom(diamond(cpu=4, operators=4)), together) == (
        "node n1: cpu 4 placed, 3.8 there",
    )
    assert violations(with_headroom(diamond(cpu=4.3, operators=4)), together) == ()


@pytest.mark.parametrize("seed", range(10))
def test_costs_and_nodes_in_use_add_up_to_the_score(seed: int) -> None:
    draw = Random(seed)
    nodes = [f"n{place}" for place in range(5)]
    operators = [f"o{place}" for place in range(7)]
    problem = PlacementProblem(
        operators=tuple(Operator(it) for it in operators),
        streams=tuple(
            Stream(draw.choice(operators), draw.choice(operators), draw.uniform(0, 9))
            for _ in range(12)
        ),
        nodes=tuple(Node(it) for it in nodes),
        links={(u, v): Link(draw.uniform(0, 0.1)) for u in nodes for v in nodes if u != v},
    )
    arrays, weights = ProblemArrays.of(problem), EckerWeights(0.01, 0.5, 2, 3)
    places = np.array([draw.randrange(5) for _ in operators])
    placement = {it: nodes[place] for it, place in zip(operators, places, strict=True)}
    costs = ecker_costs(arrays, weights)
    added_up = cost(arrays, costs.costs, places) + costs.per_node * len(set(places.tolist()))
    assert added_up == pytest.approx(ecker_score(problem, placement, weights))
