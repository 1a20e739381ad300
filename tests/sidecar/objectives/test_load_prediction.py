"""What is expected of a move whatever becomes of what was measured while workers started."""

from dataclasses import replace

import pytest
from eyewall_sidecar.model import Link, LoadModel, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objectives.load import forecast_load
from eyewall_sidecar.objectives.load_prediction import least_gain_once_settled, predict_move
from eyewall_sidecar.objectives.load_scenarios import SCENARIOS, LoadScenario

TOGETHER = {"a": "n1", "b": "n1"}
SPLIT = {"a": "n1", "b": "n2"}


def chain(delay: float, current: dict[str, str]) -> PlacementProblem:
    """a ─10/s─▶ b, which need 0.9 of n1's core as long as their code is not compiled."""
    return PlacementProblem(
        operators=(
            Operator("a", execution_time=0.01, demand=0.1),
            Operator("b", execution_time=0.08, demand=0.8),
        ),
        streams=(Stream("a", "b", 10),),
        nodes=(Node("n1", cores=1.0), Node("n2", cores=1.0)),
        links={("n1", "n2"): Link(delay), ("n2", "n1"): Link(delay)},
        current=current,
        load=LoadModel(worker_cpu=0.0, polling_cpu=0.0, crossing_seconds=0.0),
    )


def response_time(problem: PlacementProblem, placement: dict[str, str], settled: float) -> float:
    return forecast_load(problem, placement, scenario=LoadScenario(settled=settled)).response_time


def test_a_way_that_pays_for_a_full_host_alone_does_not_once_that_is_empty() -> None:
    problem = chain(0.1, TOGETHER)
    assert response_time(problem, TOGETHER, 1.0) > response_time(problem, SPLIT, 1.0)
    least = least_gain_once_settled(problem, TOGETHER, SPLIT)
    assert least < 0
    assert least == pytest.approx(
        min(
            response_time(problem, TOGETHER, it) - response_time(problem, SPLIT, it)
            for it in (0.5, 0.1)
        )
    )


def test_a_way_that_became_long_is_left_whatever_the_cpu() -> None:
    # Half of the demand is 0.45 of n1's core: what waits there is far less than the way.
    assert least_gain_once_settled(chain(1.0, SPLIT), SPLIT, TOGETHER) > 0.7


def test_settling_leaves_half_or_a_tenth_of_the_demand() -> None:
    problem = replace(chain(0.1, TOGETHER), nodes=(Node("n1", cores=1.0),), links={})
    found = forecast_load(problem, TOGETHER, scenario=LoadScenario(settled=0.1))
    assert found.node_utilisation["n1"] == pytest.approx(0.09, abs=0.005)
    # 8 ms of work once a has emitted, instead of 80, and next to no waiting.
    assert 0.008 <= found.response_time < 0.010


def test_the_part_that_is_saved_is_the_least_of_all_scenarios() -> None:
    problem = chain(1.0, SPLIT)
    parts = []
    for scenario in SCENARIOS:
        before, after = (
            forecast_load(problem, it, scenario=scenario).response_time for it in (SPLIT, TOGETHER)
        )
        parts.append((before - after) / before)
    found = predict_move(problem, SPLIT, TOGETHER)
    assert found.saved_part == pytest.approx(min(parts))
    assert 0 < found.saved_part < max(parts) < 1
