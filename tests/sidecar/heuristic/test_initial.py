from itertools import permutations

from eyewall_sidecar.heuristic.initial import current_or_greedy, greedy
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of


def problem_of(
    operators: tuple[Operator, ...], nodes: tuple[Node, ...], current: dict[str, str] | None = None
) -> PlacementProblem:
    pairs = permutations([node.id for node in nodes], 2)
    return PlacementProblem(operators, (), nodes, {pair: Link(0.01) for pair in pairs}, current)


def start(problem: PlacementProblem) -> dict[str, str]:
    return placement_of(problem, current_or_greedy(problem, ProblemArrays.of(problem)))


def test_a_search_starts_where_operators_run() -> None:
    current = {"a": "n2", "b": "n1"}
    operators, nodes = (Operator("a"), Operator("b")), (Node("n1"), Node("n2"))
    assert start(problem_of(operators, nodes, current)) == current


def test_without_a_place_for_every_operator_a_search_starts_from_a_greedy_placement() -> None:
    operators, nodes = (Operator("a"), Operator("b")), (Node("n1"), Node("n2"))
    assert start(problem_of(operators, nodes, {"a": "n2"})) == {"a": "n1", "b": "n1"}


def test_who_may_go_to_fewest_nodes_and_needs_most_of_them_is_placed_first() -> None:
    # c may go to n1 alone: it comes first, 0.5 of 3 GB. b fits there beside it (2.5 GB) and fits
    # nowhere else; a comes last and finds no room left there.
    problem = problem_of(
        operators=(
            Operator("a", cpu=0, memory=0.5e9),
            Operator("b", cpu=0, memory=2.5e9),
            Operator("c", cpu=0, memory=0.5e9, candidates=("n1",)),
        ),
        nodes=(Node("n1", memory=3e9), Node("n2", memory=1e9)),
    )
    assert start(problem) == {"a": "n2", "b": "n1", "c": "n1"}


def test_who_finds_no_room_goes_where_the_overload_is_least() -> None:
    # Three operators of cpu 2: n1 holds one (of 2), n2 one (of 3); the third makes n1 4 of 2 or
    # n2 4 of 3.
    problem = problem_of(
        operators=tuple(Operator(it, cpu=2) for it in "abc"),
        nodes=(Node("n1", cpu=2), Node("n2", cpu=3)),
    )
    assert start(problem) == {"a": "n1", "b": "n2", "c": "n2"}


def test_a_greedy_start_keeps_links_within_their_bandwidth() -> None:
    # a → b carries 10/s · 100 bytes = 1000 bytes/s; n1 holds one operator, n1 → n2 carries 500,
    # n1 → n3 as much as wanted.
    problem = PlacementProblem(
        operators=(Operator("a"), Operator("b")),
        streams=(Stream("a", "b", 10, tuple_bytes=100),),
        nodes=(Node("n1", operators=1), Node("n2"), Node("n3")),
        links={
            (u, v): Link(0.01, bandwidth=500 if (u, v) == ("n1", "n2") else float("inf"))
            for u, v in permutations(["n1", "n2", "n3"], 2)
        },
    )
    arrays = ProblemArrays.of(problem)
    assert placement_of(problem, greedy(arrays)) == {"a": "n1", "b": "n3"}
