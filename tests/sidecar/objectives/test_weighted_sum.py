import pytest
from eyewall_sidecar.model import Range
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.weighted_sum import weighted_sum

OBJECTIVE = Objective.parse("R=0.5,A=0.2,N=0.3")
RANGES = {Term.R: Range(0.02, 0.10), Term.A: Range(-0.01, -0.05), Term.N: Range(1, 5)}


def test_the_best_of_every_term_is_1_and_the_worst_0() -> None:
    best = {term: values.better for term, values in RANGES.items()}
    worst = {term: values.worse for term, values in RANGES.items()}
    assert weighted_sum(OBJECTIVE, best, RANGES) == pytest.approx(1)
    assert weighted_sum(OBJECTIVE, worst, RANGES) == pytest.approx(0)


def test_a_value_between_counts_by_how_far_it_is_from_the_worse_end() -> None:
    # R: 0.5 · (0.10 − 0.04) / 0.08; A: 0.2 · (−0.02 + 0.05) / 0.04; N: 0.3 · (5 − 4) / 4.
    values = {Term.R: 0.04, Term.A: -0.02, Term.N: 4.0}
    assert weighted_sum(OBJECTIVE, values, RANGES) == pytest.approx(0.375 + 0.15 + 0.075)


def test_a_term_whose_ends_coincide_counts_0() -> None:
    # All nodes always up: log A is 0 everywhere, and 0/0 is no number.
    ranges = RANGES | {Term.A: Range(0.0, 0.0)}
    values = {Term.R: 0.02, Term.A: 0.0, Term.N: 1.0}
    assert weighted_sum(OBJECTIVE, values, ranges) == pytest.approx(0.8)
