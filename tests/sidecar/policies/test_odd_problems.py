"""Problems at the edge of what makes sense, given to the exact policy with every objective."""

from itertools import pairwise, permutations
from math import inf, nan

import numpy as np
import pytest
from brute_force import brute_force
from engine_agreement import OBJECTIVES, by_policy, cases_of, complaint
from eyewall_sidecar.model import (
    Link,
    LinkMatrix,
    Node,
    Operator,
    PlacementProblem,
    ProblemError,
    Solution,
    Status,
    Stream,
)
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import load_policy

Delays = dict[tuple[str, str], float]


def problem(
    operators: str,
    streams: str,
    *,
    nodes: str = "uvw",
    room: float = inf,
    delays: Delays | None = None,
    pins: dict[str, str] | None = None,
    work: float = 0.0,
    rate: float = 1.0,
) -> PlacementProblem:
    """Return operators and streams written as "abc" and "ab bc"; 10 ms where no delay is given."""
    apart = dict.fromkeys(permutations(nodes, 2), 0.01) | (delays or {})
    return PlacementProblem(
        operators=tuple(
            Operator(it, execution_time=work, candidates=tuple((pins or {}).get(it, "")) or None)
            for it in operators
        ),
        streams=tuple(Stream(pair[0], pair[1], rate) for pair in streams.split()),
        nodes=tuple(Node(it, operators=room) for it in nodes),
        links={pair: Link(delay) for pair, delay in apart.items()},
    )


def solve(odd: PlacementProblem, objective: str) -> Solution:
    return load_policy("odp")(odd, Objective.parse(objective), time_limit=20, seed=0)


def value(odd: PlacementProblem, objective: str) -> float:
    solution = solve(odd, objective)
    assert solution.status is Status.OPTIMAL
    assert solution.evaluation is not None
    return solution.evaluation.value


ENDS_APART = {"a": "u", "c": "v"}
DETOUR: Delays = {("u", "v"): 0.1, ("v", "u"): 0.1}
ONE_WAY: Delays = {("u", "v"): 0.01, ("v", "u"): 0.05}

ODD = {
    "a cycle of two": problem("ab", "ab ba", room=1),
    "a cycle of three with a tail": problem("abcd", "ab bc ca cd", room=2),
    "two cycles that share an operator": problem("abcd", "ab ba bc cb cd", room=2),
    "a stream to itself": problem("ab", "aa ab", room=1),
    "two streams between the same": problem("ab", "ab ab ba", room=1),
    "two chains": problem("abcd", "ab cd", room=2),
    "operators alone beside a chain": problem("abcd", "ab", room=2),
    "a single node": problem("abc", "ab bc ac", nodes="u", work=0.5),
    "a single operator": problem("a", "", work=0.5),
    "no streams": problem("abcd", "", room=2, work=0.5),
    "zero rates": problem("abcd", "ab bc cd", room=2, rate=0.0),
    "equal delays": problem("abcde", "ab ac bd cd de", room=2),
    "no delays": problem("abc", "ab bc", room=1, delays=dict.fromkeys(permutations("uvw", 2), 0.0)),
    "a detour is shorter": problem("abc", "ab bc", room=1, delays=DETOUR, pins=ENDS_APART),
    "one way is longer": problem("abc", "ab bc", room=1, delays=ONE_WAY),
    "capacity used exactly": problem("abcdef", "ab ac bd cd de ef", room=2),
    "one operator more than room": problem("abcd", "ab bc cd", room=1),
    "more pins than room": problem("abc", "ab bc", room=1, pins={"a": "u", "b": "u"}),
    "all pinned": problem("abc", "ab bc", pins={"a": "u", "b": "v", "c": "w"}),
}


@pytest.mark.parametrize("name", ODD)
def test_the_exact_policy_answers_as_trying_every_placement_does(name: str) -> None:
    for case in cases_of(ODD[name], OBJECTIVES):
        finding = by_policy(case)
        assert finding is not None
        truth = brute_force(case.arrays, case.costs)
        assert complaint(case, truth, "policy odp", finding) == "", str(case.objective)


def test_a_cycle_is_cut_where_it_closes_and_its_streams_all_count_for_the_network() -> None:
    # a and b on different nodes, 10 ms apart: R is one way, N both.
    assert value(ODD["a cycle of two"], "R=1") == pytest.approx(0.01)
    assert value(ODD["a cycle of two"], "N=1") == pytest.approx(0.02)


def test_parts_that_no_stream_joins_are_each_kept_together() -> None:
    assert value(ODD["two chains"], "T=1") == 0
    assert value(ODD["two chains"], "R=1") == 0


def test_on_a_single_node_only_the_work_takes_time() -> None:
    # a → b → c, 0.5 s each.
    assert value(ODD["a single node"], "R=1") == pytest.approx(1.5)
    assert value(ODD["a single node"], "N=1") == 0


def test_without_streams_each_operator_is_a_path() -> None:
    assert value(ODD["no streams"], "R=1") == pytest.approx(0.5)
    assert value(ODD["no streams"], "EE=1") == 0


def test_no_operators_are_placed_nowhere() -> None:
    solution = solve(problem("", ""), "R=1")
    assert (solution.status, solution.placement) == (Status.OPTIMAL, {})


def test_a_detour_that_is_shorter_is_taken() -> None:
    # u → v takes 100 ms, u → w → v 20 ms: b goes to w.
    solution = solve(ODD["a detour is shorter"], "R=1")
    assert solution.placement == {"a": "u", "b": "w", "c": "v"}
    assert value(ODD["a detour is shorter"], "R=1") == pytest.approx(0.02)


def test_the_way_there_is_not_the_way_back() -> None:
    # Streams go from u to v (10 ms) or from v to u (50 ms), as the ends are pinned.
    there = problem("ab", "ab", nodes="uv", delays=ONE_WAY, pins={"a": "u", "b": "v"})
    back = problem("ab", "ab", nodes="uv", delays=ONE_WAY, pins={"a": "v", "b": "u"})
    assert value(there, "R=1") == pytest.approx(0.01)
    assert value(back, "R=1") == pytest.approx(0.05)


def test_more_pins_than_room_are_named_with_the_node() -> None:
    solution = solve(ODD["more pins than room"], "R=1")
    assert solution.status is Status.INFEASIBLE
    assert solution.reasons == (
        "operators: operators a, b need 2 together and can only be on u, offering 1",
    )


def test_a_link_that_is_never_up_is_not_used_if_availability_counts() -> None:
    # One operator a node; u → v is never up, u → w is up 90 % of the time, the rest always.
    odd = problem("ab", "ab", room=1, pins={"a": "u"})
    links = dict(odd.links) | {("u", "v"): Link(0.001, 0.0), ("u", "w"): Link(0.01, 0.9)}
    odd = PlacementProblem(odd.operators, odd.streams, odd.nodes, links)
    assert value(odd, "A=1") == pytest.approx(0.9)
    assert value(odd, "R=1") == pytest.approx(0.001)
    assert solve(odd, "R=0.9,A=0.1").placement == {"a": "u", "b": "w"}


@pytest.mark.parametrize("rate", [inf, nan, -1.0])
def test_a_rate_that_is_no_amount_is_refused(rate: float) -> None:
    with pytest.raises(ProblemError, match=r"stream a → b: rate is .*; it must be a number"):
        problem("ab", "ab", rate=rate)


def test_more_than_exact_engines_take_is_said_and_placed_greedily() -> None:
    # A chain of 10,000 on 100 nodes has 9,999 · 100² = 1e8 places for its streams.
    names = [f"o{place}" for place in range(10_000)]
    nodes = [f"n{place}" for place in range(100)]
    huge = PlacementProblem(
        operators=tuple(Operator(name) for name in names),
        streams=tuple(Stream(source, target) for source, target in pairwise(names)),
        nodes=tuple(Node(node, operators=100) for node in nodes),
        links=LinkMatrix.from_delays(nodes, np.full((100, 100), 0.01)),
    )
    solution = load_policy("odp")(huge, Objective.parse("N=1"), time_limit=60, seed=0)
    assert (solution.policy, solution.decided_by) == ("odp", "greedy")
    assert solution.status is Status.HEURISTIC
    assert solution.reasons == (
        (
            "10,000 operators and 9,999 streams on 100 nodes are more than exact engines take: "
            "placed greedily instead"
        ),
    )
    # 100 operators fill each node, so 99 streams cross 10 ms.
    assert solution.evaluation is not None
    assert solution.evaluation.value == pytest.approx(99 * 0.01)
