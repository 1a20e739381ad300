"""The problem of a topology as it runs, and what is said of how well it is known."""

import pytest
from desk_cluster import TOPOLOGY, running, three_sites
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.service.lookup import UnavailableError, UnknownNameError
from measured_topologies import rates_of
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor, worker

DECLARED = message(Code.CPU_DECLARED)

DELAYS = message(Code.DELAYS_MEASURED, age=0.0, confidence=1.0)


@pytest.fixture
def measured() -> Nimbus:
    """source[1-1] → tag[2-2], tag[3-3] → sink[4-4]: 30 tuples/s, 0.2 cores each, 5 s ago."""
    nimbus = three_sites(minimum_gain=1.0)
    nimbus.running[TOPOLOGY.id] = (worker("edge-1", 6700, 1, 2, 3), worker("cloud-1", 6700, 4))
    nimbus.measured.wanted = True
    nimbus.clock.now += 5
    nimbus.measured.rates[TOPOLOGY.id] = rates_of(
        TOPOLOGY, {2: 10, 3: 20, 4: 30}, {1: 30, 2: 10, 3: 20}, cores=0.2, until=100.0
    )
    nimbus.round(TOPOLOGY)
    return nimbus


def test_executors_that_run_are_operators_and_current_is_where_they_run() -> None:
    nimbus = running(three_sites())
    found = nimbus.context.running_problem(TOPOLOGY.name)
    problem = found.problem.problem
    assert [it.id for it in problem.operators] == [
        "source[1-1]", "tag[2-2]", "tag[3-3]", "sink[4-4]",
    ]  # fmt: skip
    assert problem.current is not None
    assert problem.current["source[1-1]"] == "edge-1"
    assert problem.current["sink[4-4]"] == "cloud-1"
    assert problem.delay("edge-1", "cloud-1") == 0.040


def test_rates_and_cpu_that_were_measured_are_in_it_and_it_is_said_how_well(
    measured: Nimbus,
) -> None:
    found = measured.context.running_problem(TOPOLOGY.id)
    rates = {(it.source, it.target): it.rate for it in found.problem.problem.streams}
    assert sum(rates.values()) == pytest.approx(60)  # 30 in all from source, and on to sink
    assert [it.cpu for it in found.problem.problem.operators] == pytest.approx([0.2] * 4)
    # rates_of gives every figure an error of 2 %; the document is 6 s old: 5 s and the round's one.
    error = pytest.approx(2.0)
    assert found.measured == (
        message(Code.RATES_MEASURED, measured=2, streams=2, age=6.0, error=error),
        message(Code.CPU_MEASURED, age=6.0, error=error),
        DELAYS,
    )
    assert DECLARED not in found.assumptions


def test_what_is_only_declared_or_hinted_is_said_to_be() -> None:
    found = running(three_sites()).context.running_problem(TOPOLOGY.name)
    assert found.measured == (DELAYS,)
    assert found.assumptions == (
        DECLARED,
        message(Code.RATES_NOT_MEASURED, streams=["source:default", "tag:default"]),
        message(Code.SELECTIVITY_ASSUMED, components=["tag"]),
        message(Code.SIZES_UNKNOWN),
    )


def test_executors_without_a_slot_are_named() -> None:
    nimbus = Nimbus([supervisor("a", 1), supervisor("b", 1)], {("a", "b"): 10})
    topology = chain(("source", 1), ("sink", 1))
    nimbus.running[topology.id] = (worker("a", 6700, 1),)
    nimbus.round(topology, obey=False)
    found = nimbus.context.running_problem(topology.name)
    assert message(Code.WITHOUT_SLOT, executors=["sink[2-2]"]) in found.assumptions
    assert found.problem.problem.current == {"source[1-1]": "a"}


def test_an_unknown_topology_is_refused_with_the_nearest_name() -> None:
    nimbus = running(three_sites())
    with pytest.raises(UnknownNameError) as refused:
        nimbus.context.running_problem("words-1-170000000")
    assert refused.value.nearest == (TOPOLOGY.name,)


def test_before_the_first_round_there_is_no_problem_yet() -> None:
    with pytest.raises(UnavailableError) as refused:
        three_sites().context.running_problem("words")
    assert refused.value.reason == message(Code.NO_ROUND_YET)
