"""Who has the time where the tables of branch and bound would take too much of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, cycle

import numpy as np
import pytest
from eyewall_sidecar.exact import branch_and_bound, search, solve
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.costs import Costs


@pytest.fixture
def tables_of_a_second(monkeypatch: pytest.MonkeyPatch) -> PlacementProblem:
    """A chain of four operators on three nodes for two each, whose tables take a second."""
    # Three streams and four operators, on 3² pairs of nodes.
    monkeypatch.setattr(branch_and_bound, "SECONDS_PER_ENTRY", 1.0 / (7 * 9))
    return chain_on(4, 3)


def chain_on(operators: int, nodes: int) -> PlacementProblem:
    """Return a chain, and nodes for two operators each, 10 ms apart."""
    ids = [f"n{u}" for u in range(nodes)]
    return PlacementProblem(
        operators=tuple(Operator(f"o{i}") for i in range(operators)),
        streams=tuple(Stream(f"o{i}", f"o{i + 1}") for i in range(operators - 1)),
        nodes=tuple(Node(u, operators=2) for u in ids),
        links={(u, v): Link(0.01) for u in ids for v in ids if u != v},
    )


@dataclass
class Turns:
    """A heuristic that finds the same placements again and again; keeps how long it was given."""

    places: list[list[int]]
    seconds: list[float] = field(default_factory=list)
    taken: int = 0

    def __call__(self, _: ProblemArrays, __: Costs, left: float) -> Iterator[Places]:
        self.seconds.append(left)
        for it in cycle(self.places):
            self.taken += 1
            yield np.array(it)


def solve_within(
    limit: float, problem: PlacementProblem, heuristic: Turns, objective: str = "N=1"
) -> Solution:
    """Solve by a clock that ticks a hundred times a second, whenever it is looked at."""
    ticks = count()
    found = solve(
        problem,
        Objective.parse(objective),
        time_limit=limit,
        seed=0,
        clock=lambda: next(ticks) / 100,
        heuristic=heuristic,
    )
    assert found
    return found


def test_where_tables_would_take_a_tenth_of_the_time_the_heuristic_has_all_of_it(
    tables_of_a_second: PlacementProblem,
) -> None:
    # The first stream and the last one cross, and the worse placement has all three cross.
    turns = Turns([[0, 1, 0, 1], [0, 0, 1, 1]])
    found = solve_within(9.0, tables_of_a_second, turns)
    assert (found.status, found.decided_by) == (Status.FEASIBLE, search.Engine.HEURISTIC)
    assert found.placement == placement_of(tables_of_a_second, np.array([0, 0, 1, 1]))
    assert found.reasons == (search.TOO_SHORT,)
    assert found.bound == 0.0
    assert turns.seconds == [pytest.approx(9.0, abs=0.1)]
    assert turns.taken > 800


def test_with_more_time_than_that_the_optimum_is_proven(
    tables_of_a_second: PlacementProblem,
) -> None:
    found = solve_within(11.0, tables_of_a_second, Turns([[0, 0, 1, 1]]))
    assert found.status is Status.OPTIMAL
    assert found.reasons == ()


def test_the_terms_of_a_sum_are_not_searched_one_by_one_where_nothing_is_proven(
    tables_of_a_second: PlacementProblem,
) -> None:
    turns = Turns([[0, 0, 1, 1]])
    found = solve_within(9.0, tables_of_a_second, turns, "R=0.5,N=0.5")
    assert found.decided_by == search.Engine.HEURISTIC
    assert turns.seconds == [pytest.approx(9.0, abs=0.1)]
    assert found.evaluation is not None
    assert not any(it.proven for it in found.evaluation.ranges.values())


def test_what_costs_as_little_as_any_placement_could_is_proven_without_an_exact_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(branch_and_bound, "SECONDS_PER_ENTRY", 1.0)
    turns = Turns([[0, 1], [1, 1]])
    found = solve_within(9.0, chain_on(2, 2), turns)
    assert (found.status, found.bound, found.reasons) == (Status.OPTIMAL, 0.0, ())
    assert turns.taken == 2


def test_where_the_heuristic_finds_nothing_the_exact_engine_begins_all_the_same(
    tables_of_a_second: PlacementProblem,
) -> None:
    found = solve_within(9.0, tables_of_a_second, Turns([]))
    assert (found.status, found.decided_by) == (Status.OPTIMAL, search.Engine.BRANCH_AND_BOUND)


def test_the_integer_program_whose_tables_are_others_searches_each_term_of_a_sum(
    tables_of_a_second: PlacementProblem,
) -> None:
    # Branch and bound takes no limited bandwidth.
    drawn = tables_of_a_second
    limited = replace(
        drawn,
        streams=tuple(replace(it, tuple_bytes=100.0) for it in drawn.streams),
        links={ends: replace(it, bandwidth=1e6) for ends, it in drawn.links.items()},
    )
    found = solve_within(9.0, limited, Turns([[0, 0, 1, 1]]), "R=0.5,N=0.5")
    assert found.decided_by == search.Engine.INTEGER_PROGRAM
    assert found.evaluation is not None
    assert all(it.proven for it in found.evaluation.ranges.values())
