"""What a move is going to use of its hosts counts for others until these report it."""

import pytest
from eyewall_sidecar.service.expected_load import (
    LONGEST,
    ExpectedLoad,
    still_expected,
    with_expected,
)
from eyewall_sidecar.storm import HostLoad, Topology
from measured_topologies import rates_of, report
from obedient_nimbus import Nimbus
from planned_topologies import planned
from storm_builders import chain, cluster, state, supervisor, worker

MOVED = chain(("source", 1), ("sink", 1))
AFTER = (worker("b", 6700, 1, 2),)
EXPECTED = ExpectedLoad(MOVED.id, AFTER, {"b": 0.6}, since=100.0)
HOSTS = [supervisor(it) for it in "ab"]


def test_what_is_expected_is_busy_for_others_and_not_for_the_topology_itself() -> None:
    load = HostLoad(cores=2.0, busy=0.5, by_topology={"other": 0.5})
    found = with_expected({"a": load, "b": load}, [EXPECTED])
    assert found["a"] == load
    assert found["b"].busy == pytest.approx(1.1)
    assert found["b"].left_for("other") == pytest.approx(1.4)
    assert found["b"].left_for(MOVED.id) == pytest.approx(1.5)


def test_what_is_reported_of_it_already_counts_once_and_is_never_less_for_being_expected() -> None:
    def busy(used: float) -> float:
        load = HostLoad(cores=2.0, busy=used, by_topology={MOVED.id: used})
        return with_expected({"b": load}, [EXPECTED])["b"].busy

    assert busy(0.2) == pytest.approx(0.6)
    assert busy(0.9) == pytest.approx(0.9)


def test_a_host_without_a_report_has_none() -> None:
    assert with_expected({}, [EXPECTED]) == {}


def test_nothing_is_expected_any_more_once_all_workers_are_reported() -> None:
    seen = cluster(HOSTS, state(MOVED, *AFTER))
    assert still_expected([EXPECTED], seen, {"b": report("b")}, 110.0) == (EXPECTED,)
    reports = {"b": report("b", used={MOVED.id: 0.1})}
    assert still_expected([EXPECTED], seen, reports, 110.0) == ()


def test_nothing_is_expected_of_a_move_that_was_not_made_nor_of_a_topology_that_is_gone() -> None:
    elsewhere = cluster(HOSTS, state(MOVED, worker("a", 6700, 1, 2)))
    assert still_expected([EXPECTED], elsewhere, {}, 110.0) == ()
    assert still_expected([EXPECTED], cluster(HOSTS), {}, 110.0) == ()


def test_nothing_is_expected_after_three_minutes() -> None:
    seen = cluster(HOSTS, state(MOVED, *AFTER))
    assert still_expected([EXPECTED], seen, {}, 100.0 + LONGEST) == ()


def measured_pair() -> tuple[Nimbus, Topology, Topology]:
    """Two topologies, one on each of two hosts of one core, whose executors use 0.2 cores each."""
    nimbus = Nimbus([supervisor(it, 2, cpu=1.0) for it in "abc"], {("a", "b"): 1, ("b", "c"): 1})
    nimbus.delays.milliseconds["a", "c"] = 10
    nimbus.measured.wanted = True
    pair = [
        chain(("source", 1), ("sink", 1), name=f"{it}-1", settings={"objective": "L=1"})
        for it in ("one", "two")
    ]
    for host, it in zip("ac", pair, strict=True):
        nimbus.running[it.id] = (worker(host, 6700, 1), worker("b", 6700 + (host == "c"), 2))
        nimbus.measured.rates[it.id] = rates_of(
            it, {2: 10}, {1: 10}, cores=0.2, until=nimbus.clock.now
        )
    used = {it.id: 0.2 for it in pair}
    for host, of in zip("abc", ({pair[0].id: 0.2}, used, {pair[1].id: 0.2}), strict=True):
        nimbus.measured.hosts[host] = report(
            host, 1, time=nimbus.clock.now, cores=1.0, busy=sum(of.values()), used=of
        )
    nimbus.round(*pair)
    return nimbus, pair[0], pair[1]


def test_a_topology_decided_after_a_move_finds_its_target_as_busy_as_it_is_going_to_be() -> None:
    # An order puts the first one's source next to its sink on b, where 0.4 cores are in use.
    nimbus, one, two = measured_pair()
    plan = planned(nimbus, one, objective="N=1")
    nimbus.planner.apply(plan.id)
    nimbus.round(one, two)
    assert nimbus.host_of(one, 1) == nimbus.host_of(one, 2) != "c"
    target = nimbus.host_of(one, 1)
    request = nimbus.service.last_round().records[two.id].request
    assert request is not None
    before = {"a": 0.2, "b": 0.4}[target]
    # 0.0099 and 0.0088 cores of what each used went into looking for tuples.
    gone = pytest.approx(before + 0.2, abs=0.03)
    assert request.observation.estimates.loads[target].busy == gone
    nimbus.round(one, two)
    assert nimbus.service.last_round().observation.estimates.loads[target].busy == gone
    nimbus.measured.hosts[target] = report(
        target, 2, time=nimbus.clock.now, cores=1.0, busy=0.5, used={one.id: 0.3, two.id: 0.2}
    )
    nimbus.round(one, two)
    later = nimbus.service.last_round().observation.estimates.loads[target]
    assert later.busy != gone
