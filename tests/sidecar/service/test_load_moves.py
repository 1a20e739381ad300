"""When what an objective under load finds is worth a move."""

from dataclasses import replace
from math import inf

import pytest
from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.messages import Code, Message
from eyewall_sidecar.objectives.load_prediction import LoadPrediction
from eyewall_sidecar.service.candidate_move import MoveConditions
from eyewall_sidecar.service.move_price import MovePrice
from eyewall_sidecar.service.movement_rules import (
    evaluate_move,
)
from eyewall_sidecar.service.overload import Overload
from planned_topologies import nimbus_with, topology
from said import codes, values

NOTHING_ELSE = MoveConditions()
LASTING = MoveConditions(overload=Overload(0.0, 100.0, lateness=400.0))


def predicted(
    gain: tuple[float, float],
    relief: tuple[float, float] = (1.0, 1.0),
    *,
    saturated: bool,
    sustainable: float = inf,
) -> LoadPrediction:
    """A prediction; `relief` is the least and the expected one."""
    least, expected = relief
    return LoadPrediction(gain, least, expected, saturated, sustainable)


def hold_of(
    prediction: LoadPrediction,
    conditions: MoveConditions = NOTHING_ELSE,
    horizon: float = 3600.0,
    message_timeout: float = 30.0,
) -> Message | None:
    """What keeps a topology from moving as a whole: 8 s without output cost 8 · 45 = 360 s."""
    it = replace(topology(), message_timeout=message_timeout)
    nimbus = nimbus_with(it, frozen=True)
    nimbus.rounds(it, 3)
    candidate = nimbus.service.last_round().records[it.id].candidate
    assert candidate is not None
    limits = MoveLimits(horizon_seconds=horizon)
    return evaluate_move(replace(candidate, prediction=prediction), limits, conditions).hold


def test_a_move_is_made_if_what_it_surely_gains_within_the_horizon_exceeds_its_price() -> None:
    # 90 ms · 3600 s = 324 s, 110 ms · 3600 s = 396 s.
    little = hold_of(predicted((0.09, 1.0), saturated=False))
    assert values(little, Code.COSTS_MORE) == {
        "horizon": 3600.0,
        "saved": pytest.approx(324.0),
        "cost": pytest.approx(360.0),
        "gap": 8.0,
    }
    assert hold_of(predicted((0.11, 1.0), saturated=False)) is None


def test_of_what_the_model_has_too_high_a_move_saves_the_same_part() -> None:
    # By the model tuples take 0.3 of 0.4 s less: 1080 s saved, for 360.
    found = replace(predicted((0.3, 0.4), saturated=False), saved_part=0.75)
    assert hold_of(found) is None
    # 0.2 s are measured, of which three quarters save 540 s. Of 0.1 s they save 270 s.
    assert hold_of(found, MoveConditions(latency=0.2)) is None
    little = hold_of(found, MoveConditions(latency=0.1))
    assert values(little, Code.COSTS_MORE)["saved"] == pytest.approx(270.0)


def test_of_what_the_model_has_too_low_a_move_saves_what_the_model_says() -> None:
    # 0.05 s less by the model: 180 s. That 9 s are measured now makes it no more.
    found = replace(predicted((0.05, 0.4), saturated=False), saved_part=0.5)
    hold = hold_of(found, MoveConditions(latency=9.0))
    assert values(hold, Code.COSTS_MORE)["saved"] == pytest.approx(180.0)


def test_without_a_horizon_any_sure_gain_is_enough_and_a_possible_loss_is_too_much() -> None:
    assert hold_of(predicted((1e-6, 1.0), saturated=False), horizon=0.0) is None
    unsure = hold_of(predicted((-1e-6, 1.0), saturated=False), horizon=0.0)
    assert codes(unsure) == [Code.COSTS_MORE]


def test_where_little_more_is_carried_the_gap_takes_long_to_be_made_up_for() -> None:
    # 8 s of tuples wait for 4 s on average, and those after them until the 8 s are made up for:
    # 4 · 8 / 0.05 = 640 s with a twentieth to spare, 4 · 8 / 1 = 32 s with as much again.
    tight = predicted((0.11, 1.0), saturated=False, sustainable=1.05)
    assert values(hold_of(tight), Code.COSTS_MORE)["cost"] == pytest.approx(360.0 + 640.0)
    roomy = predicted((0.11, 1.0), saturated=False, sustainable=2.0)
    assert hold_of(roomy) is None  # 392 s against 396


def test_what_never_catches_up_by_its_estimates_has_a_price_nevertheless() -> None:
    full = predicted((0.11, 1.0), saturated=False, sustainable=0.9)
    assert values(hold_of(full), Code.COSTS_MORE)["cost"] == pytest.approx(360.0 + 4 * 8 / 0.02)


def test_a_topology_that_replays_sooner_moves_for_less() -> None:
    # Message timeout 10 s: 8 · 15 = 120 s, and 0.04 · 3600 = 144 s are saved.
    gain = predicted((0.04, 1.0), saturated=False)
    assert codes(hold_of(gain)) == [Code.COSTS_MORE]
    assert hold_of(gain, message_timeout=10.0) is None


def test_what_makes_up_for_its_start_is_not_moved_as_saturated() -> None:
    saturated = predicted((9.0, 9.0), relief=(9.0, 9.0), saturated=True)
    starting = MoveConditions(catching_up_seconds=30.0)
    assert values(hold_of(saturated, starting), Code.CATCHING_UP) == {"seconds": 30.0}
    assert hold_of(saturated, replace(LASTING, catching_up_seconds=0.0)) is None


def test_tuples_that_meet_nobody_that_moves_do_not_wait_for_those_that_do() -> None:
    # Half of the tuples miss 8 s: 4 · 45 s for replays, and 4² / 2 / 0.1 s to make up for them.
    price = MovePrice(gap=8.0, affected=0.5, message_timeout=30.0, sustainable=1.1)
    assert price.seconds == pytest.approx(4 * 45 + 4**2 / 2 / 0.1)


def test_a_topology_has_ten_times_its_start_to_catch_up() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.rounds(it, 2)

    def left() -> float:
        snapshot = nimbus.service.last_round()
        (state,) = snapshot.observation.state.topologies
        return nimbus.service.conditions(state, snapshot.records).catching_up_seconds

    before = left()
    assert 70 < before <= 80  # no start was seen, and 8 s are usual
    nimbus.rounds(it, 3)
    assert left() < before


QUEUES = replace(LASTING, saturated=True)


def test_what_queues_moves_for_a_fifth_more_throughput_to_expect_if_it_may_lose_no_more() -> None:
    # 1 / 1.25 = 0.8
    assert hold_of(predicted((-1.0, 1.0), (0.81, 1.25), saturated=False), QUEUES) is None
    little = hold_of(predicted((9.0, 9.0), (1.19, 1.19), saturated=True), QUEUES)
    assert codes(little) == [Code.RELIEF_TOO_SMALL]
    risky = hold_of(predicted((9.0, 9.0), (0.79, 1.25), saturated=True), QUEUES)
    assert codes(risky) == [Code.RELIEF_TOO_SMALL]
    assert (
        "expected to carry 1.25 times its throughput (at least 0.79 times); it needs 1.2 times "
        "(at least 0.80)"
    ) in str(risky)


def test_what_only_the_model_takes_for_saturated_moves_for_a_fifth_more_that_is_sure() -> None:
    assert hold_of(predicted((-1.0, 1.0), (1.2, 1.3), saturated=True), LASTING) is None
    unsure = hold_of(predicted((9.0, 9.0), (1.19, 2.0), saturated=True))
    assert codes(unsure) == [Code.RELIEF_TOO_SMALL]
    assert "(at least 1.20)" in str(unsure)


def test_a_move_saves_no_more_than_the_latency_that_is_measured() -> None:
    # 1 s is predicted, but tuples take 50 ms: 50 ms · 3600 s = 180 s.
    wrong = predicted((1.0, 1.0), relief=(9.0, 9.0), saturated=True)
    assert values(hold_of(wrong, MoveConditions(latency=0.05)), Code.COSTS_MORE)["saved"] == (
        pytest.approx(180.0)
    )
    assert hold_of(wrong, replace(LASTING, latency=0.5)) is None
    assert hold_of(wrong, replace(LASTING, latency=0.05, saturated=True)) is None


def test_what_is_overloaded_moves_once_its_tuples_have_waited_for_the_price() -> None:
    # The price is 8 · 45 = 360 s.
    relief = predicted((9.0, 9.0), (1.5, 1.5), saturated=True)
    early = MoveConditions(overload=Overload(10.0, 50.0, lateness=359.0))
    hold = hold_of(relief, early)
    assert values(hold, Code.OVERLOAD_MAY_END) == {
        "seconds": 40.0,
        "lateness": 359.0,
        "gap": 8.0,
        "cost": 360.0,
    }
    assert (
        "in 40 s it has cost 359 s of lateness for each tuple/s, and a move's 8 s without output "
        "would cost 360 s"
    ) in str(hold)
    assert hold_of(relief, MoveConditions(overload=Overload(10.0, 50.0, lateness=361.0))) is None
    assert codes(hold_of(relief)) == [Code.OVERLOAD_MAY_END]


STARTS = MoveConditions(unsettled=True, is_quiet=True)


@pytest.mark.parametrize(
    ("conditions", "least", "timeout", "moves"),
    [
        # 8 s without output cost 8 · 1.5 · 0.5 = 6 s; twice that are 12 s, 3.4 ms for an hour. By
        # the model 30 ms are saved however little its CPU will be once its code is compiled.
        (STARTS, 0.02, 0.5, True),
        (STARTS, 0.003, 0.5, False),
        # 360 s, twice 100 ms for an hour.
        (STARTS, 0.15, 30.0, False),
        # What is measured is not more.
        (replace(STARTS, latency=0.003), 0.02, 0.5, False),
        # It came by a move that is not judged yet.
        (replace(STARTS, awaits_verdict=True), 0.02, 0.5, False),
        # It may be making up for its start.
        (replace(STARTS, is_quiet=False), 0.02, 0.5, False),
    ],
)
def test_what_pays_for_two_moves_whatever_is_measured_need_not_come_to_rest(
    conditions: MoveConditions, least: float, timeout: float, moves: bool
) -> None:
    hold = hold_of(predicted((least, 1.0), saturated=False), conditions, message_timeout=timeout)
    assert (hold is None) == moves
    if hold is not None:
        assert codes(hold) == [Code.UNSETTLED]


def test_the_same_part_of_what_is_measured_has_to_pay_for_two_moves_before_rest() -> None:
    # 20 ms by the model; of 30 ms that are measured all of these, or a tenth: 3 ms.
    found, conditions = predicted((0.02, 1.0), saturated=False), replace(STARTS, latency=0.03)
    assert hold_of(found, conditions, message_timeout=0.5) is None
    little = hold_of(replace(found, saved_part=0.1), conditions, message_timeout=0.5)
    assert codes(little) == [Code.UNSETTLED]


def test_what_the_model_takes_for_saturated_has_to_come_to_rest() -> None:
    hold = hold_of(predicted((9.0, 9.0), (9.0, 9.0), saturated=True), STARTS, message_timeout=0.5)
    assert codes(hold) == [Code.UNSETTLED]


def test_an_overload_waits_for_another_topology_that_is_leaving_its_host() -> None:
    it = topology()
    nimbus = nimbus_with(it, frozen=True)
    nimbus.rounds(it, 3)
    candidate = nimbus.service.last_round().records[it.id].candidate
    assert candidate is not None
    host = nimbus.host_of(it, 1)

    def hold(relieved: dict[str, str], *, saturated: bool = True) -> Message | None:
        prediction = predicted((9.0, 9.0), (1.5, 1.5), saturated=saturated)
        conditions = replace(LASTING if saturated else NOTHING_ELSE, relieved=relieved)
        return evaluate_move(
            replace(candidate, prediction=prediction), MoveLimits(), conditions
        ).hold

    other = hold({host: "other"})
    assert values(other, Code.HOST_IS_RELIEVED) == {"host": host, "topology": "other"}
    assert hold({host: it.id}) is None
    assert hold({"elsewhere": "other"}) is None
    assert hold({host: "other"}, saturated=False) is None


def test_without_a_horizon_an_overload_is_not_waited_for() -> None:
    assert hold_of(predicted((9.0, 9.0), (1.5, 1.5), saturated=True), horizon=0.0) is None


def test_where_latency_never_grew_only_the_price_counts() -> None:
    # 0.11 s · 3600 s = 396 s are more than the price.
    saved = predicted((0.11, 1.0), saturated=True)
    begun = MoveConditions(latency=0.2, overload=Overload(0.0, 25.0, 0.2))
    assert codes(hold_of(saved, begun)) == [Code.OVERLOAD_MAY_END]
    refuted = MoveConditions(latency=0.2, overload=Overload(0.0, 25.0, 0.2, is_refuted=True))
    assert hold_of(saved, refuted) is None
    assert hold_of(saved, MoveConditions(latency=0.2)) is None
