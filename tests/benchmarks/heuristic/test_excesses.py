"""How a policy stands against the others with the same time."""

from math import inf

from benchmarks.exact.cases import GROUPS
from benchmarks.exact.contenders import ContenderRun
from benchmarks.heuristic.heuristics import Excesses

CASE = GROUPS["sodp"][0]


def runs(*costs: float | None) -> list[ContenderRun]:
    return [ContenderRun(1.0, cost=it) for it in costs]


def test_an_answer_is_held_against_the_best_of_the_other_policies_with_the_same_time() -> None:
    found = Excesses(
        CASE,
        optima=runs(1.0, 1.0),
        runs={
            ("odp", 1.0): runs(3.0, 2.0),
            ("greedy", 1.0): runs(2.0, 4.0),
            ("bound_guided", 1.0): runs(2.5, 5.0),
            ("bound_guided", 9.0): runs(1.0, 1.0),
        },
    )
    # 3/2 and 2/4; the nine seconds of bound_guided are another matter
    assert found.against_others("odp", 1.0) == [1.5, 0.5]


def test_no_answer_is_infinitely_worse_and_where_no_other_has_one_nothing_is_compared() -> None:
    found = Excesses(
        CASE, runs(1.0, 1.0), {("odp", 1.0): runs(None, 2.0), ("greedy", 1.0): runs(2.0, None)}
    )
    assert found.against_others("odp", 1.0) == [inf]


def test_who_declines_an_objective_answers_nothing_that_could_be_worse() -> None:
    declined = [ContenderRun(0.0, remark="ObjectiveError: xu takes N alone", failed=True)]
    found = Excesses(CASE, runs(1.0), {("xu", 1.0): declined, ("odp", 1.0): runs(2.0)})
    assert found.against_others("xu", 1.0) == []
    assert found.against_others("odp", 9.0) == []  # not asked
