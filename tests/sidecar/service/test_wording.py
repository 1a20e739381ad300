from dataclasses import replace

from eyewall_sidecar.model import Alternatives, Evaluation, Solution, Status
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.service import wording

AFTER = Evaluation(
    value=2.5,
    response_time=0.0262,
    availability=0.99,
    distinct_availability=0.99,
    inter_node_traffic=10.0,
    network_usage=0.22,
    elastic_energy=0.005,
)
ANSWER = Solution(Status.HEURISTIC, "hybrid", "hybrid", placement={}, evaluation=AFTER, moves=3)


def test_a_score_is_worded_with_what_it_was() -> None:
    said = wording.placed(ANSWER, Objective.parse("ecker"), before=replace(AFTER, value=3.75))
    assert said == "placed by eyewall: hybrid, heuristic, ecker 2.5 (was 3.75), 3 executors moved"


def test_what_was_looked_at_is_worded_with_what_the_constraints_reject() -> None:
    looked = replace(
        ANSWER,
        evaluated=1234,
        alternatives=Alternatives(30, {"candidates": 12, "operators": 42}),
    )
    assert wording.looked_at(looked) == (
        "evaluated 1,234; 30 of 84 single moves possible; rejected by candidates 12, operators 42"
    )
    nowhere = replace(looked, placement=None, alternatives=Alternatives(0, {"cpu": 4}))
    assert wording.looked_at(nowhere) == (
        "evaluated 1,234; 0 of 4 ways to place one operator alone possible; rejected by cpu 4"
    )
    assert wording.looked_at(ANSWER) == "evaluated 0"


def test_terms_are_worded_in_their_units_with_what_they_were() -> None:
    said = wording.worth(ANSWER, Objective.parse("R=0.5,T=0.5"), AFTER)
    assert said == "R 26 ms (was 26), T 10 tuples/s (was 10)"


def test_texts_that_differ_in_figures_alone_are_alike_whatever_the_figures_are() -> None:
    lost = "N 0.579 tuples (was 0), gain -57.9 %"
    assert wording.is_alike(lost, "N 0.74 tuples (was 0), gain 4e-05 %")
    assert not wording.is_alike("edge-1 was overloaded", "edge-2 was overloaded")
