from dataclasses import replace

import pytest
from eyewall_contracts.objective_terms import DataUnit
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import Alternatives, Evaluation, Solution, Status
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.service.messages import (
    differs_in_figures_alone,
    foreign_unit,
    search_summary,
    solution_message,
    worth,
)

AFTER = Evaluation(
    value=2.5,
    metrics={Term.R: 0.0262, Term.T: 10.0},
    distinct_availability=0.99,
)
ANSWER = Solution(Status.HEURISTIC, "hybrid", "hybrid", placement={}, evaluation=AFTER, moves=3)


def test_a_status_is_one_short_line_with_policy_quality_worth_and_moves() -> None:
    worth_it = solution_message(
        ANSWER, Objective.parse("R=1"), replace(AFTER, metrics={Term.R: 0.061})
    )
    status = message(Code.PLACED, solution=worth_it, remarks=["rates assumed equal"])
    assert str(status) == (
        "eyewall: hybrid, heuristic, R 26 ms (was 61), 3 executors moved; rates assumed equal"
    )


def test_a_message_without_the_values_of_its_sentence_is_refused() -> None:
    with pytest.raises(ValueError, match=r"COOLING.*\['minutes'\].*\['seconds'\]"):
        message(Code.COOLING, minutes=3)


def test_a_message_may_contain_others_and_lists() -> None:
    moved = [
        message(Code.EXECUTOR_LOST, executor="a[1-1]"),
        message(Code.EXECUTOR_PLACED, executor="b[2-2]", here="h:1"),
    ]
    assert str(message(Code.EXECUTORS_MOVED, changes=moved, more=2)) == (
        "a[1-1] has no slot now; b[2-2] runs on h:1 now and 2 more"
    )


def test_a_score_is_reported_with_what_it_was() -> None:
    before = replace(AFTER, value=3.75)
    assert worth(ANSWER, Objective.parse("ecker"), before) == "ecker 2.5 (was 3.75)"


def test_a_search_is_reported_with_what_the_constraints_reject() -> None:
    looked = replace(
        ANSWER,
        evaluated=1234,
        alternatives=Alternatives(30, {"candidates": 12, "operators": 42}),
    )
    assert search_summary(looked) == (
        "evaluated 1,234; 30 of 84 single moves possible; rejected by candidates 12, operators 42"
    )
    nowhere = replace(looked, placement=None, alternatives=Alternatives(0, {"cpu": 4}))
    assert search_summary(nowhere) == (
        "evaluated 1,234; 0 of 4 ways to place one operator alone possible; rejected by cpu 4"
    )
    assert search_summary(ANSWER) == "evaluated 0"


def test_terms_are_reported_in_their_units_with_what_they_were() -> None:
    terms = worth(ANSWER, Objective.parse("R=0.5,T=0.5"), AFTER)
    assert terms == "R 26 ms (was 26), T 10 tuples/s (was 10)"


def test_terms_that_count_bytes_say_so() -> None:
    after = replace(AFTER, data_unit=DataUnit.BYTES, metrics={Term.R: 0.0262, Term.T: 2_000.0})
    terms = worth(replace(ANSWER, evaluation=after), Objective.parse("R=0.5,T=0.5"), after)
    assert terms == "R 26 ms (was 26), T 2000 bytes/s (was 2000)"
    units = [foreign_unit(it, DataUnit.BYTES) for it in ("objective", "R", "T", "N", "EE")]
    assert units == ["", "", "bytes/s", "bytes", "bytes·s"]
    assert foreign_unit("N", DataUnit.TUPLES) == ""


def test_texts_that_differ_in_figures_alone_are_alike_whatever_the_figures_are() -> None:
    lost = "N 0.579 tuples (was 0), gain -57.9 %"
    assert differs_in_figures_alone(lost, "N 0.74 tuples (was 0), gain 4e-05 %")
    assert not differs_in_figures_alone("edge-1 was overloaded", "edge-2 was overloaded")
