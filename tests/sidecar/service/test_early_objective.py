"""What places executors while nobody knows what flows between them."""

import pytest
from eyewall_sidecar.storm import Topology
from measured_topologies import rates_of
from obedient_nimbus import Nimbus, is_placed, reason
from pinned_chain import TRIANGLE
from storm_builders import chain, supervisor


def ends_pinned(**settings: object) -> Topology:
    """source on a, sink on c; by N `tag` belongs on b, 10 ms from both, not 50 ms from one."""
    pins: dict[str, object] = {"pin": {"source": ["a"], "sink": ["c"]}, "objective": "N=1"}
    given = {name.replace("_", "."): value for name, value in settings.items()}
    return chain(("source", 1), ("tag", 1), ("sink", 1), settings=pins | given)


def hosts(*, measured: bool = True) -> Nimbus:
    """a, b and c, each up for 0.9 of the time: a third one makes a topology less available."""
    nimbus = Nimbus([supervisor(it, availability="0.9") for it in "abc"], TRIANGLE)
    nimbus.measured.wanted = measured
    return nimbus


def test_the_early_objective_places_and_once_rates_are_known_the_other_one_moves() -> None:
    nimbus, topology = hosts(), ends_pinned(early_objective="A=1")
    nimbus.rounds(topology, 5)
    assert nimbus.host_of(topology, 2) in ("a", "c")
    flows = rates_of(topology, {2: 10.0, 3: 10.0}, {1: 10.0, 2: 10.0}, until=nimbus.clock.now)
    nimbus.measured.rates[topology.id] = flows
    assert any(map(is_placed, nimbus.rounds(topology, 5)))
    assert nimbus.host_of(topology, 2) == "b"


def test_without_one_the_objective_places_by_equal_rates() -> None:
    nimbus, topology = hosts(), ends_pinned()
    nimbus.rounds(topology, 5)
    assert nimbus.host_of(topology, 2) == "b"


def test_an_objective_that_needs_no_rates_places_from_the_start() -> None:
    nimbus, topology = hosts(), ends_pinned(objective="R=1", early_objective="A=1")
    first, *later = nimbus.rounds(topology, 5)
    assert nimbus.host_of(topology, 2) == "b"
    assert is_placed(first)
    assert not any(map(is_placed, later))


def test_the_policy_has_to_take_the_early_objective_too() -> None:
    nimbus, topology = hosts(), ends_pinned(policy="hybrid", early_objective="L=1")
    (declined,) = nimbus.rounds(topology, 1)
    assert "eyewall.early.objective is L=1" in str(reason(declined))


@pytest.mark.parametrize("measured", [True, False])
def test_where_rates_are_hinted_or_never_measured_the_objective_places(measured: bool) -> None:
    hints = {"rate.hint": {"source": 10, "tag": 10}} if measured else {}
    topology = ends_pinned(early_objective="A=1", **hints)
    nimbus = hosts(measured=measured)
    nimbus.rounds(topology, 3)
    assert nimbus.host_of(topology, 2) == "b"
