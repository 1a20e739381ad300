"""Ties between placements of the same value: fewest moves, then least traffic."""

from collections.abc import Iterator

import pytest
from eyewall_sidecar.heuristic.tie_breaks import with_fewest_moves, with_least_traffic
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate

R = Objective.parse("R=1")


def problem(current: dict[str, str]) -> PlacementProblem:
    """Two equal taggers between a source on u and nothing, and an acker that no path touches."""
    links = {(a, b): Link(0.010) for a in "uvw" for b in "uvw" if a != b}
    return PlacementProblem(
        operators=(
            Operator("source", candidates=("u",)),
            Operator("tag1"),
            Operator("tag2"),
            Operator("acker"),
        ),
        streams=(
            Stream("source", "tag1"),
            Stream("source", "tag2"),
            Stream("source", "acker", system=True),
        ),
        nodes=tuple(Node(it, operators=2) for it in "uvw"),
        links=links,
        current=current,
    )


def solution(asked: PlacementProblem, placement: dict[str, str]) -> Solution:
    value = evaluate(asked, placement, R, {})
    return Solution(Status.OPTIMAL, "odp", "test", placement, value, moves=asked.moves(placement))


def never() -> bool:
    return False


def test_equal_executors_that_only_changed_places_stay() -> None:
    current = {"source": "u", "tag1": "v", "tag2": "u", "acker": "v"}
    asked = problem(current)
    found = solution(asked, {"source": "u", "tag1": "u", "tag2": "v", "acker": "v"})
    assert with_fewest_moves(asked, R, found, [("tag1", "tag2")], never).placement == current


def test_a_move_that_gains_nothing_is_taken_back() -> None:
    asked = problem({"source": "u", "tag1": "v", "tag2": "v", "acker": "w"})
    found = solution(asked, {"source": "u", "tag1": "v", "tag2": "v", "acker": "u"})
    fewer = with_fewest_moves(asked, R, found, [], never)
    assert fewer.moves == 0
    assert fewer.placement == asked.current


def test_a_move_that_gains_is_kept() -> None:
    # source → tag: 10 ms when they are apart, 0 together.
    current = {"source": "u", "tag1": "v"}
    asked = PlacementProblem(
        operators=(Operator("source", candidates=("u",)), Operator("tag1")),
        streams=(Stream("source", "tag1"),),
        nodes=(Node("u"), Node("v")),
        links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
        current=current,
    )
    found = solution(asked, {"source": "u", "tag1": "u"})
    kept = with_fewest_moves(asked, R, found, [], never)
    assert kept.placement == {"source": "u", "tag1": "u"}
    assert kept.evaluation is not None
    assert kept.evaluation.value == pytest.approx(0.0)


def test_a_move_is_not_taken_back_where_that_would_overload_a_node() -> None:
    # w holds two, tag1 and tag2 are there now; the acker is on w too: one has to go.
    asked = problem({"source": "u", "tag1": "w", "tag2": "w", "acker": "w"})
    found = solution(asked, {"source": "u", "tag1": "w", "tag2": "w", "acker": "v"})
    assert with_fewest_moves(asked, R, found, [], never).placement == found.placement


def test_moves_are_taken_back_until_it_is_late() -> None:
    # Both taggers and the acker moved for nothing; there is time for one of them.
    current = {"source": "u", "tag1": "v", "tag2": "v", "acker": "w"}
    asked = problem(current)
    found = solution(asked, {"source": "u", "tag1": "w", "tag2": "w", "acker": "v"})
    times = iter([False, True])
    fewer = with_fewest_moves(asked, R, found, [], lambda: next(times))
    assert fewer.placement == {"source": "u", "tag1": "v", "tag2": "w", "acker": "v"}
    assert fewer.moves == 2


def test_when_it_is_late_at_once_the_solution_is_left_as_it_is() -> None:
    asked = problem({"source": "u", "tag1": "v", "tag2": "v", "acker": "w"})
    found = solution(asked, {"source": "u", "tag1": "v", "tag2": "v", "acker": "u"})
    assert with_fewest_moves(asked, R, found, [], lambda: True) is found


def acker_problem(capacity: float = 3, current: dict[str, str] | None = None) -> PlacementProblem:
    """source (on u) → sink (on v), and an acker that hears of both; w is far from everywhere."""
    delays = {("u", "v"): 0.010, ("u", "w"): 0.050, ("v", "w"): 0.050}
    links = {ends: Link(delay) for (a, b), delay in delays.items() for ends in ((a, b), (b, a))}
    return PlacementProblem(
        operators=(
            Operator("source", candidates=("u",)),
            Operator("sink", candidates=("v",)),
            Operator("acker"),
        ),
        streams=(
            Stream("source", "sink", 10),
            Stream("source", "acker", 10, system=True),
            Stream("sink", "acker", 30, system=True),
        ),
        nodes=tuple(Node(it, operators=capacity) for it in "uvw"),
        links=links,
        current=current,
    )


def always() -> bool:
    return True


FAR = {"source": "u", "sink": "v", "acker": "w"}


def test_an_acker_that_the_objective_leaves_open_goes_to_whom_it_hears_most_of() -> None:
    # On v: 10/s · 10 ms = 0.1 tuples in flight; on u: 30/s · 10 ms = 0.3; on w: 40/s · 50 ms = 2.
    problem = acker_problem()
    near = with_least_traffic(problem, R, solution(problem, FAR), never)
    assert near.placement == FAR | {"acker": "v"}
    assert near.evaluation == evaluate(problem, FAR | {"acker": "v"}, R, {})


def test_no_step_overloads_a_node() -> None:
    problem = acker_problem(capacity=1)
    assert with_least_traffic(problem, R, solution(problem, FAR), never).placement == FAR


def test_what_runs_where_it_is_stays() -> None:
    problem = acker_problem(current=FAR)
    assert with_least_traffic(problem, R, solution(problem, FAR), never).placement == FAR


def test_no_step_costs_the_objective_anything() -> None:
    # b on u saves its 100/s from a over 10 ms, but takes 20 ms per tuple there instead of 1 ms.
    problem = PlacementProblem(
        operators=(Operator("a", candidates=("u",)), Operator("b", execution_time=0.020)),
        streams=(Stream("a", "b", 100),),
        nodes=(Node("u"), Node("v", speedup=20)),
        links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
    )
    best = {"a": "u", "b": "v"}  # 10 ms + 1 ms, against 20 ms
    assert with_least_traffic(problem, R, solution(problem, best), never).placement == best


def test_when_it_is_late_an_acker_stays_far_and_the_placement_is_left_as_it_is() -> None:
    problem = acker_problem()
    found = solution(problem, FAR)
    assert with_least_traffic(problem, R, found, always) is found


class Streams(tuple[Stream, ...]):
    """Streams that count how often somebody goes through all of them."""

    __slots__ = ()
    scans = 0

    def __iter__(self) -> Iterator[Stream]:
        Streams.scans += 1
        return super().__iter__()


def test_a_step_that_gains_nothing_costs_no_look_at_other_operators_streams() -> None:
    # Twenty pairs, each together on u: nothing is in flight, so none of the 40 operators gains by a
    # step. Whose streams are whose is found in one pass over all of them.
    pairs = [(Operator(f"a{n}", candidates=("u",)), Operator(f"b{n}")) for n in range(20)]
    streams = Streams(Stream(a.id, b.id) for a, b in pairs)
    problem = PlacementProblem(
        operators=tuple(it for pair in pairs for it in pair),
        streams=streams,
        nodes=(Node("u"), Node("v")),
        links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
    )
    together = solution(problem, {it.id: "u" for pair in pairs for it in pair})
    Streams.scans = 0
    assert with_least_traffic(problem, R, together, never) is together
    assert Streams.scans == 1
