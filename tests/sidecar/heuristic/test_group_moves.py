"""Moves of whole groups of operators, the best first."""

from dataclasses import replace

from eyewall_sidecar.heuristic.group_moves import move_groups
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objective import Objective

L, THETA = Objective.parse("L=1"), Objective.parse("THETA=1")
PAIRS = (("a", "b"), ("c", "d"))
"""Workers, each with two operators."""


def crowded(cores: float = 1.0, nodes: tuple[str, ...] = ("n1", "n2", "n3")) -> PlacementProblem:
    """Return a → b → c → d, all on n1, where they need 1.2 of its cores; links take 1 ms."""
    names = "abcd"
    return PlacementProblem(
        operators=tuple(Operator(it, demand=0.3, execution_time=0.003) for it in names),
        streams=tuple(Stream(one, two, 100.0) for one, two in zip("abc", "bcd", strict=True)),
        nodes=tuple(Node(it, cores=cores) for it in nodes),
        links={(u, v): Link(0.001) for u in nodes for v in nodes if u != v},
        current=dict.fromkeys(names, "n1"),
    )


def moved(
    problem: PlacementProblem,
    rooms: dict[str, int],
    objective: Objective = L,
    *,
    late: int = 1_000,
) -> dict[str, str]:
    """Return what runs elsewhere than now; time is over after so many looks at the clock."""
    looks = iter(range(late))
    placement, _ = move_groups(problem, objective, PAIRS, rooms, lambda: next(looks, None) is None)
    current = problem.current or {}
    return {it: node for it, node in placement.items() if node != current[it]}


def test_a_group_goes_whole_to_where_that_gains_the_most_and_the_other_stays() -> None:
    # With 0.6 of one core on each of two nodes another move would gain nothing.
    found = moved(crowded(), {"n2": 1, "n3": 1})
    assert set(found) in ({"a", "b"}, {"c", "d"})
    assert len(set(found.values())) == 1
    faster = crowded()
    n1, n2, n3 = faster.nodes
    faster = replace(faster, nodes=(n1, n2, replace(n3, speedup=2.0)))
    assert set(moved(faster, {"n2": 1, "n3": 1}).values()) == {"n3"}


def test_it_goes_for_what_the_objective_maximises_too() -> None:
    assert len(moved(crowded(), {"n2": 1}, THETA)) == 2


def test_nothing_goes_where_there_is_no_room_for_a_group() -> None:
    assert moved(crowded(), {"n2": 0}) == {}
    assert moved(crowded(), {}) == {}


def test_no_more_groups_come_to_a_node_than_it_has_room_for() -> None:
    # Two fast nodes would each be better than n1 for both groups.
    fast = crowded()
    n1, *others = fast.nodes
    fast = replace(fast, nodes=(n1, *(replace(it, speedup=4.0) for it in others)))
    assert len(moved(fast, {"n2": 1})) == 2
    assert len(moved(fast, {"n2": 2})) == 4


def test_nothing_goes_where_it_may_not_be() -> None:
    problem = crowded(nodes=("n1", "n2"))
    pinned = tuple(
        replace(it, candidates=("n1",)) if it.id in "bd" else it for it in problem.operators
    )
    assert moved(replace(problem, operators=pinned), {"n2": 1}) == {}


def test_for_less_than_a_tenth_of_the_value_nothing_moves() -> None:
    # On 40 cores nobody waits: what moves has a link in its way.
    assert moved(crowded(cores=40.0), {"n2": 1, "n3": 1}) == {}


def test_what_was_found_until_time_is_over_counts() -> None:
    assert moved(crowded(), {"n2": 1}, late=1) != {}
    assert moved(crowded(), {"n2": 1}, late=0) == {}
