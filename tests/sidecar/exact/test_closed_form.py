from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count, permutations
from math import inf

import numpy as np
import pytest
from brute_force import brute_force
from eyewall_sidecar.exact.closed_form import covers, solve_closed_form
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.model.links import LinkMatrix
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import cost, weigh
from numpy.random import default_rng


def stopped() -> float:
    return 0.0


def diamond(
    parallel: int,
    nodes: Sequence[Node],
    delay: Callable[[str, str], float],
    *,
    rates: Sequence[float] = (),
    pins: dict[str, tuple[str, ...]] | None = None,
) -> PlacementProblem:
    """Return s → m0, m1, … → t; `rates` are those into the middle, 1 tuple/s comes out of each."""
    names = ["s", *(f"m{k}" for k in range(parallel)), "t"]
    pinned = pins or {}
    return PlacementProblem(
        operators=tuple(Operator(it, candidates=pinned.get(it)) for it in names),
        streams=tuple(
            stream
            for k, rate in enumerate(rates or [1.0] * parallel)
            for stream in (Stream("s", f"m{k}", rate), Stream(f"m{k}", "t", 1.0))
        ),
        nodes=tuple(nodes),
        links={(u.id, v.id): Link(delay(u.id, v.id)) for u, v in permutations(nodes, 2)},
    )


def alike(u: str, v: str) -> float:
    return 0.01


def solved(problem: PlacementProblem, **weights: float) -> tuple[Finding, dict[str, str]]:
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, {Term(name): weight for name, weight in weights.items()})
    finding = solve_closed_form(arrays, costs, ends_at=1.0, clock=stopped)
    placed = {} if finding.places is None else placement_of(problem, finding.places)
    return finding, placed


def two_rooms(room: float) -> list[Node]:
    return [Node("a", operators=room), Node("b", operators=room)]


def large(parallel: int = 18, nodes: int = 20) -> PlacementProblem:
    """Paper 000, section 7.3: delays of 22 ± 5 ms, four operators a node, rates of 1 to 10."""
    rng = default_rng(0)
    names = tuple(f"n{u}" for u in range(nodes))
    delays = np.maximum(rng.normal(0.022, 0.005, (nodes, nodes)), 0.001)
    problem = diamond(1, [Node(it, operators=4) for it in names], alike)
    return replace(
        problem,
        operators=tuple(Operator(f"o{i}") for i in range(parallel + 2)),
        streams=tuple(
            Stream(f"o{i}", f"o{j}", float(rng.uniform(1, 10)))
            for k in range(parallel)
            for i, j in ((0, k + 1), (k + 1, parallel + 1))
        ),
        links=LinkMatrix.from_delays(names, delays),
    )


def test_the_longest_way_is_as_short_as_the_room_allows() -> None:
    # s and t are pinned to a, which has room for one more; m0 stays there, m1 goes to the nearer
    # of b and c and back: 2 · 10 ms. On a alone it would be 0.
    delays = {frozenset("ab"): 0.01, frozenset("ac"): 0.03, frozenset("bc"): 0.01}
    problem = diamond(
        2,
        [Node("a", operators=3), Node("b", operators=1), Node("c", operators=1)],
        lambda u, v: delays[frozenset((u, v))],
        pins={"s": ("a",), "t": ("a",)},
    )
    finding, placed = solved(problem, R=1.0)
    assert finding.outcome is Outcome.OPTIMAL
    assert finding.cost == finding.bound == pytest.approx(0.02)
    assert sorted([placed["m0"], placed["m1"]]) == ["a", "b"]


def test_who_sends_most_stays_beside_the_source() -> None:
    # s on a (room for one more), t on b (room for one more), 10 ms between. With m on a only its
    # output crosses (1 tuple/s), with m on b only its input (2 or 9 tuples/s). m1 on a and m0 on
    # b: (1 + 2) · 10 ms = 0.03; the other way round (1 + 9) · 10 ms = 0.1.
    problem = diamond(2, two_rooms(2), alike, rates=[2, 9], pins={"s": ("a",), "t": ("b",)})
    finding, placed = solved(problem, N=1.0)
    assert placed == {"s": "a", "m0": "b", "m1": "a", "t": "b"}
    assert finding.cost == finding.bound == pytest.approx(0.03)


def test_both_ends_on_one_node_take_two_of_its_places() -> None:
    # Four operators on two nodes of two. Ends together leave the middle no place beside them: both
    # streams of both middles cross, T = 4. Ends apart with a middle each: T = 2.
    finding, placed = solved(diamond(2, two_rooms(2), alike), T=1.0)
    assert placed["s"] != placed["t"]
    assert finding.cost == 2.0


def test_capacity_that_is_used_exactly_is_enough_and_one_less_is_not() -> None:
    # Five operators, room for five, and for four.
    exact, _ = solved(diamond(3, [*two_rooms(2), Node("c", operators=1)], alike), R=1.0)
    short, _ = solved(diamond(3, two_rooms(2), alike), R=1.0)
    assert exact.outcome is Outcome.OPTIMAL
    assert (short.outcome, short.places, short.bound) == (Outcome.INFEASIBLE, None, inf)


def test_ends_that_need_more_than_the_middle_leave_it_less() -> None:
    # a has 4 cores; s and t, pinned there, need 1.5 and 1. What is left holds one middle of 1
    # core; the other goes to b: two streams cross.
    problem = diamond(
        2, [Node("a", cpu=4), Node("b", cpu=1)], alike, pins={"s": ("a",), "t": ("a",)}
    )
    needs = {"s": 1.5}
    operators = tuple(replace(it, cpu=needs.get(it.id, 1.0)) for it in problem.operators)
    finding, _ = solved(replace(problem, operators=operators), T=1.0)
    assert finding.cost == 2.0


def test_candidates_of_the_middle_are_kept_to() -> None:
    problem = diamond(2, two_rooms(inf), alike, pins={"s": ("a",), "m1": ("b",)})
    finding, placed = solved(problem, R=1.0)
    assert placed["m1"] == "b"
    assert finding.cost == pytest.approx(0.01)  # t beside m1: s → b


@pytest.mark.parametrize(("weight", "node", "expected"), [(10.0, "a", 2.0), (100.0, "c", 4.0)])
def test_a_mix_weighs_the_shorter_way_against_the_smaller_sum(
    weight: float, node: str, expected: float
) -> None:
    # s on a, t on b, 100 ms apart; c is 10 ms from both. m on a: R 0.1, T 1; m on c: R 0.02, T 2.
    # R · 10: 1 + 1 = 2 against 0.2 + 2. R · 100: 10 + 1 against 2 + 2 = 4.
    problem = diamond(
        1,
        [Node(it) for it in "abc"],
        lambda u, v: 0.01 if "c" in (u, v) else 0.1,
        pins={"s": ("a",), "t": ("b",)},
    )
    finding, placed = solved(problem, R=weight, T=1.0)
    assert placed["m0"] == node
    assert finding.cost == pytest.approx(expected)


def test_a_way_straight_from_source_to_sink_counts() -> None:
    # As above, over c it takes 20 ms, but the stream s → t takes 100 ms whatever m does.
    problem = diamond(
        1,
        [Node(it) for it in "abc"],
        lambda u, v: 0.01 if "c" in (u, v) else 0.1,
        pins={"s": ("a",), "t": ("b",)},
    )
    problem = replace(problem, streams=(*problem.streams, Stream("s", "t")))
    assert solved(problem, R=1.0)[0].cost == pytest.approx(0.1)


def test_the_same_problem_gives_the_same_placement() -> None:
    problem = large()
    first, second = (solved(problem, R=1.0, N=0.01)[1] for _ in range(2))
    assert first == second


@pytest.mark.parametrize("weights", [{Term.R: 1.0}, {Term.N: 1.0}, {Term.R: 50.0, Term.N: 1.0}])
def test_stopped_at_any_time_it_has_a_bound_that_holds(weights: dict[Term, float]) -> None:
    arrays = ProblemArrays.of(large(nodes=60))
    costs = weigh(arrays, weights)
    optimum = solve_closed_form(arrays, costs, ends_at=inf, clock=stopped)
    outcomes = set()
    for looks in (0, 1, 2, 3, 5, 8, 13, 21, 34, 10_000):
        finding = solve_closed_form(arrays, costs, ends_at=looks, clock=count().__next__)
        outcomes.add(finding.outcome)
        assert finding.bound <= optimum.cost * (1 + 1e-9)
        assert finding.cost >= optimum.cost * (1 - 1e-9)
        if finding.places is not None:
            assert finding.cost == cost(arrays, costs, finding.places)
    assert outcomes == {Outcome.NOTHING, Outcome.INCUMBENT, Outcome.OPTIMAL}


def changed(problem: PlacementProblem, *streams: Stream, **operators: float) -> PlacementProblem:
    """Add streams, and set the cpu of operators."""
    return replace(
        problem,
        operators=tuple(replace(it, cpu=operators.get(it.id, it.cpu)) for it in problem.operators),
        streams=(*problem.streams, *streams),
    )


PLAIN = diamond(2, two_rooms(2), alike)
SHORT_OF_CPU = diamond(2, [Node("a", cpu=3), Node("b", cpu=3)], alike)
LIMITED = replace(
    PLAIN,
    streams=tuple(replace(it, tuple_bytes=1.0) for it in PLAIN.streams),
    links={("a", "b"): Link(0.01, bandwidth=1e9), ("b", "a"): Link(0.01)},
)


@pytest.mark.parametrize(
    ("problem", "covered"),
    [
        (PLAIN, True),
        (diamond(1, two_rooms(2), alike), True),
        (changed(PLAIN, Stream("s", "t")), True),
        (changed(PLAIN, Stream("m0", "s", system=True)), True),
        (changed(PLAIN, Stream("m0", "m0")), True),
        (changed(PLAIN, m0=1.5), True),  # cpu is unlimited
        (changed(SHORT_OF_CPU, s=1.5), True),
        (changed(SHORT_OF_CPU, m0=1.5), False),
        (changed(PLAIN, Stream("m0", "m1")), False),
        (changed(PLAIN, Stream("m0", "m1", system=True)), False),
        (replace(PLAIN, streams=PLAIN.streams[1:]), False),  # m0 is a second source
        (replace(PLAIN, streams=PLAIN.streams[2:]), False),  # m0 is by itself
        (replace(PLAIN, streams=()), False),
        (LIMITED, False),
    ],
)
def test_what_is_covered(problem: PlacementProblem, covered: bool) -> None:
    arrays = ProblemArrays.of(problem)
    assert covers(arrays) == covered
    costs = weigh(arrays, {Term.R: 1.0, Term.N: 0.3})
    if covered:
        finding = solve_closed_form(arrays, costs, ends_at=1.0, clock=stopped)
        assert finding.cost == pytest.approx(brute_force(arrays, costs).cost)
    else:
        with pytest.raises(ValueError, match="one source, parallel operators and one sink"):
            solve_closed_form(arrays, costs, ends_at=1.0, clock=stopped)


def test_parallel_operators_that_all_differ_are_covered_up_to_a_number() -> None:
    # 500² × 100 steps for one transport are too many; executors that are alike count once.
    differing = large(parallel=500, nodes=100)
    equal = replace(differing, streams=tuple(replace(it, rate=1.0) for it in differing.streams))
    assert not covers(ProblemArrays.of(differing))
    assert covers(ProblemArrays.of(equal))
