from benchmarks.exact.cases import GROUPS
from benchmarks.exact.comparison import ComparisonRow
from benchmarks.exact.contenders import ContenderRun

CASE = GROUPS["sodp"][0]


def test_an_answer_better_than_a_proven_optimum_is_a_contradiction() -> None:
    proven, better = ContenderRun(1.0, proven=True, cost=2.0), ContenderRun(1.0, cost=1.9)
    (sentence,) = ComparisonRow(CASE, {"odp": [proven], "greedy": [better]}).contradictions()
    assert sentence == "S-ODP 12 × 8 R=1 seed 0: odp proves 2, greedy has 1.9"


def test_an_answer_within_a_solvers_gap_of_a_proven_optimum_or_worse_is_no_contradiction() -> None:
    runs = [ContenderRun(1.0, cost=2.1), ContenderRun(1.0, cost=2.0 - 1e-6), ContenderRun(1.0)]
    row = ComparisonRow(
        CASE, {"odp": [ContenderRun(1.0, proven=True, cost=2.0)] * 3, "greedy": runs}
    )
    assert row.contradictions() == []


def test_a_gap_counts_where_nothing_is_proven_and_is_1_where_none_is_given() -> None:
    runs = [
        ContenderRun(1.0, proven=True, cost=1.0, gap=0.0),
        ContenderRun(1.0, cost=1.0, gap=0.25),
        ContenderRun(1.0),
    ]
    assert ComparisonRow(CASE, {"odp": runs}).gaps("odp") == [0.25, 1.0]


def test_a_contender_that_failed_is_a_complaint() -> None:
    runs = [ContenderRun(0.0, remark="ZeroDivisionError: division by zero", failed=True)]
    (sentence,) = ComparisonRow(CASE, {"odp": runs}).complaints()
    assert sentence == "S-ODP 12 × 8 R=1 seed 0: odp: ZeroDivisionError: division by zero"
