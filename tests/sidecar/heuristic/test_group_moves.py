"""Groups of operators leave their node whole, the best first."""

from dataclasses import replace

from eyewall_contracts.objective_terms import Term
from eyewall_sidecar.heuristic.group_moves import GroupMoves
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, places_of

PAIRS = ((0, 1), (2, 3))
"""Two workers on n1: a and b, c and d."""


def crowded(cores: float = 1.0, nodes: int = 3) -> PlacementProblem:
    """Return a → b → c → d, all on n1, where they need 1.2 of its cores; links take 1 ms."""
    operators = "abcd"
    names = [f"n{number}" for number in range(1, nodes + 1)]
    return PlacementProblem(
        operators=tuple(Operator(it, demand=0.3, execution_time=0.003) for it in operators),
        streams=tuple(Stream(one, two, 100.0) for one, two in zip("abc", "bcd", strict=True)),
        nodes=tuple(Node(it, cores=cores) for it in names),
        links={(u, v): Link(0.001) for u in names for v in names if u != v},
        current=dict.fromkeys(operators, "n1"),
    )


def moved(
    problem: PlacementProblem,
    *open_nodes: int,
    term: Term = Term.L,
    groups: tuple[tuple[int, ...], ...] = PAIRS,
    looks: int = 10_000,
) -> dict[str, int]:
    """Return what leaves n1, and to which node; time is over after so many looks at the clock."""
    left = iter(range(looks))
    arrays, current = ProblemArrays.of(problem), problem.current or {}
    moves = GroupMoves(arrays, term, places_of(problem, current), lambda: next(left, None) is None)
    places = moves.descend(groups, open_nodes)
    return {it.id: int(node) for it, node in zip(problem.operators, places, strict=True) if node}


def test_a_group_leaves_whole_and_the_other_stays_where_that_gains_no_more() -> None:
    # 0.6 of a core on each of two nodes; a third would save little.
    found = moved(crowded(), 1)
    assert set(found) in ({"a", "b"}, {"c", "d"})
    assert set(found.values()) == {1}


def test_it_goes_to_the_better_node() -> None:
    n1, n2, n3 = crowded().nodes
    faster = replace(crowded(), nodes=(n1, n2, replace(n3, speedup=2.0)))
    assert set(moved(faster, 1, 2).values()) == {2}


def test_a_group_too_large_for_one_node_goes_to_several() -> None:
    # All four leave n1, which is all of them: on n2 alone they would need 1.2 cores again.
    found = moved(crowded(), 1, 2, groups=((0, 1, 2, 3),))
    assert set(found) == {"a", "b", "c", "d"}
    assert set(found.values()) == {1, 2}


def test_what_the_objective_maximises_is_what_counts() -> None:
    assert len(moved(crowded(), 1, term=Term.THETA)) == 2


def test_nothing_leaves_where_no_node_is_open() -> None:
    assert moved(crowded()) == {}
    assert moved(crowded(), 0) == {}  # where they are


def test_no_two_groups_go_to_one_node() -> None:
    # n2 is so fast that both would be better off there.
    n1, n2, n3 = crowded().nodes
    fast = replace(crowded(), nodes=(n1, replace(n2, speedup=4.0), n3))
    assert len(moved(fast, 1)) == 2


def test_a_group_stays_whole_where_one_of_it_has_no_room_elsewhere() -> None:
    problem = crowded()
    pinned = tuple(
        replace(it, candidates=("n1",)) if it.id in "bd" else it for it in problem.operators
    )
    assert moved(replace(problem, operators=pinned), 1, 2) == {}
    full = tuple(replace(it, operators=4 if it.id == "n1" else 1) for it in problem.nodes)
    assert moved(replace(problem, nodes=full), 1) == {}


def test_for_less_than_a_tenth_of_the_value_nothing_leaves() -> None:
    # On 40 cores nobody waits: what leaves has a link in its way.
    assert moved(crowded(cores=40.0), 1, 2) == {}


def test_a_step_that_was_not_tried_to_the_end_is_not_taken() -> None:
    assert moved(crowded(), 1, looks=3) == {}
