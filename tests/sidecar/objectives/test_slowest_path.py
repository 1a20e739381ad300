"""The path that the response time is the length of."""

from itertools import pairwise

from every_placement import EveryPlacement
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import placement_of
from eyewall_sidecar.objectives.response_time import response_time
from eyewall_sidecar.objectives.slowest_path import PathStep, slowest_path
from hypothesis import given
from hypothesis import strategies as st
from random_problems import random_problem

MS = 1e-3
NODES = (Node("near"), Node("far"), Node("fast", speedup=2))
LINKS = {
    (u.id, v.id): Link(5 * MS if "far" not in (u.id, v.id) else 30 * MS)
    for u in NODES
    for v in NODES
    if u != v
}


def test_of_two_ways_it_names_the_slower_one_and_what_each_step_takes() -> None:
    # a → b → d: 5 + 5 ms; a → c → d: 30 + 30 ms, and 2 ms of work on each but 1 on fast.
    problem = PlacementProblem(
        tuple(Operator(it, execution_time=2 * MS) for it in "abcd"),
        tuple(Stream(*it) for it in ("ab", "bd", "ac", "cd")),
        NODES,
        LINKS,
    )
    placement = {"a": "near", "b": "fast", "c": "far", "d": "fast"}
    assert slowest_path(problem, placement) == (
        PathStep("a", 0.0, 2 * MS),
        PathStep("c", 30 * MS, 2 * MS),
        PathStep("d", 30 * MS, 1 * MS),
    )


def test_of_ways_that_take_equally_long_it_is_the_one_listed_first() -> None:
    problem = PlacementProblem(
        tuple(Operator(it) for it in "abcd"),
        tuple(Stream(*it) for it in ("ab", "ac", "bd", "cd")),
        NODES,
        LINKS,
    )
    placement = dict.fromkeys("abcd", "near")
    assert [it.operator for it in slowest_path(problem, placement)] == ["a", "b", "d"]


def test_without_operators_there_is_none() -> None:
    assert slowest_path(PlacementProblem((), (), NODES, LINKS), {}) == ()


@given(seed=st.integers(0, 2**32), which=st.integers(0, 2**16))
def test_its_steps_add_up_to_the_response_time(seed: int, which: int) -> None:
    problem = random_problem(seed)
    every = EveryPlacement.of(problem)
    if not every.count:
        return
    placement = placement_of(problem, every.places[which % every.count])
    path = slowest_path(problem, placement)
    took = 0.0
    for step in path:
        took = took + step.delay + step.work
    assert took == response_time(problem, placement)
    for one, other in pairwise(path):
        assert one.operator in problem.path_inputs[other.operator]
        assert other.delay == problem.delay(placement[one.operator], placement[other.operator])
    if path:
        assert problem.path_inputs[path[0].operator] == ()


def test_the_time_to_get_to_its_first_step_is_nothing() -> None:
    problem = PlacementProblem((Operator("a", execution_time=4 * MS),), (), NODES, LINKS)
    (step,) = slowest_path(problem, {"a": "fast"})
    assert step == PathStep("a", 0.0, 2 * MS)
