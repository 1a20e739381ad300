from benchmarks.exact.cases import GROUPS
from benchmarks.exact.contenders import Run
from benchmarks.exact.side_by_side import Row

CASE = GROUPS["sodp"][0]


def test_an_answer_better_than_a_proven_optimum_is_a_contradiction() -> None:
    proven, better = Run(1.0, proven=True, cost=2.0), Run(1.0, cost=1.9)
    (sentence,) = Row(CASE, {"odp": [proven], "greedy": [better]}).contradictions()
    assert sentence == "S-ODP 12 × 8 R=1 seed 0: odp proves 2, greedy has 1.9"


def test_an_answer_worse_than_a_proven_optimum_or_as_good_within_a_solvers_gap_is_none() -> None:
    runs = [Run(1.0, cost=2.1), Run(1.0, cost=2.0 - 1e-6), Run(1.0)]
    row = Row(CASE, {"odp": [Run(1.0, proven=True, cost=2.0)] * 3, "greedy": runs})
    assert row.contradictions() == []


def test_a_gap_counts_where_nothing_is_proven_and_is_all_where_none_is_told() -> None:
    runs = [Run(1.0, proven=True, cost=1.0, gap=0.0), Run(1.0, cost=1.0, gap=0.25), Run(1.0)]
    assert Row(CASE, {"odp": runs}).gaps("odp") == [0.25, 1.0]


def test_a_contender_that_broke_is_told() -> None:
    runs = [Run(0.0, remark="ZeroDivisionError: division by zero", broke=True)]
    (sentence,) = Row(CASE, {"odp": runs}).complaints()
    assert sentence == "S-ODP 12 × 8 R=1 seed 0: odp: ZeroDivisionError: division by zero"
