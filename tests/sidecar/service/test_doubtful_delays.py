"""Delays that are old, or whose store is broken: used, and said to be what they are."""

import pytest
from eyewall_sidecar.storm import Topology
from obedient_nimbus import Nimbus, is_placed
from storm_builders import chain, supervisor

DAYS = 86_400.0


def waiting() -> tuple[Nimbus, Topology]:
    return Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10}), chain(("source", 1))


def test_a_placement_says_how_old_its_delays_are_where_that_is_more_than_a_day() -> None:
    nimbus, topology = waiting()
    nimbus.delays.age = 3.5 * DAYS
    placed = nimbus.round(topology)[topology.id]
    assert is_placed(placed)
    assert placed.status.endswith("; delays 3 d old")


def test_delays_of_today_are_worth_no_word() -> None:
    nimbus, topology = waiting()
    nimbus.delays.age = 0.9 * DAYS
    assert "delays" not in nimbus.round(topology)[topology.id].status


def test_a_placement_says_that_the_delays_store_is_gone() -> None:
    nimbus, topology = waiting()
    nimbus.delays.remark = "delay file d.json: No such file; going on with the last good one"
    placed = nimbus.round(topology)[topology.id]
    assert placed.status.endswith(f"; {nimbus.delays.remark}")


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
