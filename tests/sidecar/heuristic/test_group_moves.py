"""Groups of operators leave their node whole, the best first."""

from dataclasses import replace

import numpy as np
import pytest
from eyewall_contracts.objective_terms import Term
from eyewall_sidecar.heuristic import group_moves
from eyewall_sidecar.heuristic.group_moves import GroupMoves
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from load_problems import load_problem
from numpy.random import default_rng

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
    # On a faster n2 c and d, which need more, are better off than a and b, which are tried first.
    n1, n2, n3 = crowded().nodes
    demands = (0.2, 0.2, 0.4, 0.4)
    problem = replace(
        crowded(),
        nodes=(n1, replace(n2, speedup=2.0), n3),
        operators=tuple(
            replace(it, demand=demand)
            for it, demand in zip(crowded().operators, demands, strict=True)
        ),
    )
    assert moved(problem, 1) == {"c": 1, "d": 1}
    found = [moved(problem, 1, looks=looks) for looks in range(40)]
    assert {} in found
    assert all(it in ({}, {"c": 1, "d": 1}) for it in found)


def test_no_part_of_a_group_stays() -> None:
    # Two of them could stay on n1 while two go to n2; all on n2 are no better off.
    assert moved(crowded(), 0, 1, groups=((0, 1, 2, 3),)) == {}


def test_each_of_a_group_may_go_elsewhere_once_the_others_have_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # One after the other they take 52 ms, and 27 once each has had another look.
    problem = load_problem(261, operators=8, nodes=4)
    arrays, rng = ProblemArrays.of(problem), default_rng(261)
    places = np.array([rng.choice(np.flatnonzero(it)) for it in arrays.allowed])
    groups = [np.flatnonzero(places == node).tolist() for node in np.unique(places)]
    load = LoadArrays.of(arrays)

    def seconds() -> float:
        moves = GroupMoves(arrays, Term.L, places, lambda: False)
        return evaluate_load(load, moves.descend(groups, range(arrays.nodes))).load_response_time

    whole = seconds()
    monkeypatch.setattr(group_moves, "PASSES", 0)
    assert whole < 0.6 * seconds()
