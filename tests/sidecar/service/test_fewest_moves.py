import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.fewest_moves import with_fewest_moves

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
