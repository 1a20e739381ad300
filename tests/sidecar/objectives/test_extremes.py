from itertools import permutations
from math import log
from random import Random

import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import best_case, worst_case
from eyewall_sidecar.objectives.extremes import candidate_pairs

# a (on n1 only, 10 ms of work) ─10/s─▶ b (on n2 or n3). n3 is twice as fast and less available.
PROBLEM = PlacementProblem(
    operators=(
        Operator("a", execution_time=0.01, candidates=("n1",)),
        Operator("b", execution_time=0.01, candidates=("n2", "n3")),
    ),
    streams=(Stream("a", "b", 10),),
    nodes=(Node("n1"), Node("n2"), Node("n3", speedup=2, availability=0.9)),
    links={
        (u, v): Link(0.02 if "n2" in (u, v) else 0.03, 0.99 if v == "n3" else 1.0)
        for u in ("n1", "n2", "n3")
        for v in ("n1", "n2", "n3")
        if u != v
    },
)


@pytest.mark.parametrize(
    ("term", "best", "worst"),
    [
        (Term.R, 0.01 + 0.02 + 0.005, 0.01 + 0.03 + 0.01),  # each part by itself at its best
        (Term.A, log(1), log(0.9) + log(0.99)),
        (Term.T, 10, 10),  # a and b have no node in common
        (Term.N, 10 * 0.02, 10 * 0.03),
        (Term.EE, 10 * 0.02**2, 10 * 0.03**2),
    ],
)
def test_the_extremes_take_every_operator_and_stream_by_itself(
    term: Term, best: float, worst: float
) -> None:
    assert best_case(PROBLEM, term) == pytest.approx(best)
    assert worst_case(PROBLEM, term) == pytest.approx(worst)


def test_operators_that_can_share_a_node_need_no_network_at_best() -> None:
    problem = PlacementProblem(
        (Operator("a"), Operator("b")), PROBLEM.streams, PROBLEM.nodes, PROBLEM.links
    )
    assert best_case(problem, Term.T) == best_case(problem, Term.N) == 0


def test_a_stream_of_an_operator_to_itself_never_leaves_a_node() -> None:
    problem = PlacementProblem(
        (Operator("a"),), (Stream("a", "a", 10),), PROBLEM.nodes, PROBLEM.links
    )
    assert worst_case(problem, Term.T) == worst_case(problem, Term.N) == 0


def test_a_node_that_is_never_up_is_left_out_of_availability() -> None:
    problem = PlacementProblem(
        (Operator("a"),),
        (),
        (Node("dead", availability=0), Node("n1", availability=0.5)),
        {("dead", "n1"): Link(0.1), ("n1", "dead"): Link(0.1)},
    )
    assert worst_case(problem, Term.A) == best_case(problem, Term.A) == log(0.5)


@pytest.mark.parametrize("term", [Term.A, Term.T, Term.N, Term.EE])
@pytest.mark.parametrize("seed", range(10))
def test_sums_over_classes_of_streams_are_the_sums_over_all_streams(seed: int, term: Term) -> None:
    draw = Random(seed)
    nodes = [f"n{place}" for place in range(4)]
    operators = [
        Operator(f"o{place}", candidates=tuple(draw.sample(nodes, draw.randint(1, 4))))
        for place in range(6)
    ]
    problem = PlacementProblem(
        operators=tuple(operators),
        streams=tuple(
            Stream(draw.choice(operators).id, draw.choice(operators).id, draw.uniform(1, 9))
            for _ in range(12)
        ),
        nodes=tuple(Node(node, availability=draw.uniform(0.9, 1)) for node in nodes),
        links={
            pair: Link(draw.uniform(0.01, 0.1), draw.uniform(0.9, 1))
            for pair in permutations(nodes, 2)
        },
    )

    def harm(u: str, v: str, rate: float) -> float:
        match term:
            case Term.A:
                return -log(problem.availability(u, v))
            case Term.T:
                return rate * (u != v)
            case Term.N:
                return rate * problem.delay(u, v)
            case _:
                return rate * problem.delay(u, v) ** 2

    total = sum(
        max(harm(u, v, stream.rate) for u, v in candidate_pairs(problem, stream))
        for stream in problem.streams
    )
    if term is Term.A:
        total += sum(
            max(-log(problem.node(u).availability) for u in problem.candidates(operator.id))
            for operator in operators
        )
    expected = -total if term is Term.A else total
    assert worst_case(problem, term) == pytest.approx(expected)


def test_a_stream_of_an_operator_to_itself_is_not_taken_for_one_between_two() -> None:
    problem = PlacementProblem(
        operators=(Operator("a"), Operator("b")),
        streams=(Stream("a", "a", 5), Stream("a", "b", 3), Stream("b", "b", 5)),
        nodes=(Node("n1"), Node("n2")),
        links={pair: Link(0.02) for pair in (("n1", "n2"), ("n2", "n1"))},
    )
    assert worst_case(problem, Term.T) == 3
