"""Delays that are old, known too little, or whose store is broken: used, and said to be that."""

import pytest
from eyewall_sidecar.messages import Code
from eyewall_sidecar.service.decision import Keep
from eyewall_sidecar.storm import Topology
from measured_topologies import report
from obedient_nimbus import Nimbus, is_placed
from said import codes, values
from storm_builders import chain, supervisor, worker

DAYS = 86_400.0


def waiting() -> tuple[Nimbus, Topology]:
    return Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10}), chain(("source", 1))


def test_a_placement_says_how_old_its_delays_are_where_that_is_more_than_a_day() -> None:
    nimbus, topology = waiting()
    nimbus.delays.age = 3.5 * DAYS
    placed = nimbus.round(topology)[topology.id]
    assert is_placed(placed)
    assert str(placed.status).endswith("; delays 3 d old")


def test_delays_of_today_are_worth_no_word() -> None:
    nimbus, topology = waiting()
    nimbus.delays.age = 0.9 * DAYS
    assert "delays" not in str(nimbus.round(topology)[topology.id].status)


def test_a_placement_says_that_the_delays_store_is_gone() -> None:
    nimbus, topology = waiting()
    nimbus.delays.remark = "delay file d.json: No such file; going on with the last good one"
    placed = nimbus.round(topology)[topology.id]
    assert values(placed.status, Code.PLACED)["remarks"][-1] == nimbus.delays.remark


def test_age_is_logged_once_a_day_and_its_end_once(caplog: pytest.LogCaptureFixture) -> None:
    nimbus, topology = waiting()
    for age in (0.5, 1.1, 1.2, 1.9, 2.1, 2.2, 0.0, 0.1):
        nimbus.delays.age = age * DAYS
        nimbus.round(topology)
    said = [it.getMessage() for it in caplog.records if it.levelname == "WARNING"]
    assert said == ["delays 1 d old", "delays 2 d old", "delays are good again"]


def test_growing_older_alone_asks_nothing_anew() -> None:
    nimbus, topology = waiting()
    nimbus.rounds(topology, 2)
    asked = len(nimbus.solvers.improved)
    nimbus.delays.age = 9 * DAYS
    nimbus.rounds(topology, 2)
    assert len(nimbus.solvers.improved) == asked


def apart() -> tuple[Nimbus, Topology]:
    """source on a and tag on b, 50 ms away; both would fit on one host."""
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 50})
    topology = chain(("source", 1), ("tag", 1))
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    return nimbus, topology


def test_what_runs_stays_while_delays_are_known_too_little_and_it_is_said_how_little(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", logger="eyewall.decisions")
    nimbus, topology = apart()
    nimbus.delays.confidence, nimbus.delays.age = 0.2, 45
    decisions = nimbus.rounds(topology, 3)
    assert [it.verdict for it in decisions] == [Keep()] * 3
    assert codes(decisions[-1].status) == [Code.NOT_SOUGHT]
    assert not nimbus.solvers.improved
    (said,) = [it.getMessage() for it in caplog.records]
    assert said == (
        "chain-1: keep: no improvement sought: delays between a, b are known only with confidence "
        "0.2 of the 0.3 wanted, 45 s old"
    )


def test_the_log_does_not_repeat_what_keeps_a_topology_for_other_figures_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", logger="eyewall.decisions")
    nimbus, topology = apart()
    nimbus.measured.wanted = True
    nimbus.delays.confidence = 0.2
    for number in range(4):
        nimbus.delays.age += 5
        busy = 0.2 * number  # another problem in every round
        nimbus.measured.hosts["a"] = report("a", number, time=nimbus.clock.now, busy=busy)
        decision = nimbus.rounds(topology, 1)[0]
    assert "20 s old" in str(decision.status)
    assert len(caplog.records) == 1


def test_once_delays_are_known_well_again_what_runs_is_moved() -> None:
    nimbus, topology = apart()
    nimbus.delays.confidence = 0.2
    nimbus.rounds(topology, 2)
    nimbus.delays.confidence = 0.8
    assert is_placed(nimbus.rounds(topology, 2)[-1])


def test_what_has_no_slot_is_placed_by_what_little_is_known_and_that_is_said() -> None:
    nimbus, topology = waiting()
    nimbus.delays.confidence, nimbus.delays.age = 0.2, 45
    placed = nimbus.round(topology)[topology.id]
    assert is_placed(placed)
    assert (
        "delay known only with confidence 0.2 of the 0.3 wanted, 45 s old, used nevertheless: "
        "a → b, b → a"
    ) in str(placed.status)


def test_confidence_that_stays_above_the_minimum_asks_nothing_anew() -> None:
    nimbus, topology = waiting()
    nimbus.rounds(topology, 2)
    asked = len(nimbus.solvers.improved)
    nimbus.delays.confidence = 0.31
    nimbus.rounds(topology, 2)
    assert len(nimbus.solvers.improved) == asked
