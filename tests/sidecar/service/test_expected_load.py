"""What a move is going to use of its hosts counts for others until these report it."""

from dataclasses import replace

import pytest
from eyewall_contracts.sample import TaskInput, TaskSample, WorkerSample
from eyewall_sidecar.service.expected_load import (
    LONGEST,
    SETTLES,
    ExpectedLoad,
    relieved_hosts,
    still_expected,
    with_expected,
)
from eyewall_sidecar.storm import HostLoad, Topology
from measured_topologies import rates_of, report
from msgspec.structs import replace as with_fields
from obedient_nimbus import Nimbus
from planned_topologies import planned
from storm_builders import chain, cluster, state, supervisor, worker

MOVED = chain(("source", 1), ("sink", 1))
AFTER = (worker("b", 6700, 1, 2),)
EXPECTED = ExpectedLoad(
    MOVED.id, AFTER, {"b": 0.6}, 100.0, frozenset({AFTER[0].slot}), frozenset({"old"})
)
HOSTS = [supervisor(it) for it in "ab"]


def test_what_is_expected_is_busy_for_others_and_not_for_the_topology_itself() -> None:
    load = HostLoad(cores=2.0, busy=0.5, by_topology={"other": 0.5})
    found = with_expected({"a": load, "b": load}, [EXPECTED])
    assert found["a"] == load
    assert found["b"].busy == 0.5  # as measured
    assert found["b"].left_for("other") == pytest.approx(1.4)
    assert found["b"].left_for(MOVED.id) == pytest.approx(1.5)


def test_what_is_reported_of_it_already_counts_once_and_is_never_less_for_being_expected() -> None:
    def left(used: float) -> float:
        load = HostLoad(cores=2.0, busy=used, by_topology={MOVED.id: used})
        return with_expected({"b": load}, [EXPECTED])["b"].left_for("other")

    assert left(0.2) == pytest.approx(1.4)
    assert left(0.9) == pytest.approx(1.1)


def test_a_host_without_a_report_has_none() -> None:
    assert with_expected({}, [EXPECTED]) == {}


def test_more_is_expected_until_all_workers_have_had_tuples_and_some_seconds_after_that() -> None:
    seen = cluster(HOSTS, state(MOVED, *AFTER))

    def left(worker_: WorkerSample, *rounds: float) -> tuple[ExpectedLoad, ...]:
        found: tuple[ExpectedLoad, ...] = (EXPECTED,)
        for now in rounds:
            found = still_expected(found, seen, {"b": with_fields(new, workers=(worker_,))}, now)
        return found

    new = report("b", used={MOVED.id: 0.1})
    (starts,) = new.workers
    assert still_expected([EXPECTED], seen, {"b": report("b")}, 110.0) == (EXPECTED,)
    assert left(starts, 110.0, 140.0) == (EXPECTED,)
    begun = with_fields(starts, start_cpu=4.0)
    assert left(with_fields(begun, id="old"), 110.0, 140.0) == (EXPECTED,)  # ran there before
    assert left(begun, 110.0, 129.0) == (replace(EXPECTED, began=110.0),)
    assert left(begun, 110.0, 130.0) == ()
    # Nobody saw that one start.
    tasks = (TaskSample(2, "sink", (TaskInput("source", "default", 20),)),)
    assert left(with_fields(starts, tasks=tasks), 110.0, 130.0) == ()


def test_hosts_that_a_topology_leaves_are_relieved() -> None:
    leaving = replace(EXPECTED, relieved=frozenset(["a"]))
    assert relieved_hosts([EXPECTED, leaving]) == {"a": MOVED.id}


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
    # An order puts both executors of the first one on one host.
    nimbus, one, two = measured_pair()
    plan = planned(nimbus, one, objective="N=1")
    nimbus.planner.apply(plan.id)
    nimbus.round(one, two)
    assert nimbus.host_of(one, 1) == nimbus.host_of(one, 2) != "c"
    target = nimbus.host_of(one, 1)
    request = nimbus.service.last_round().records[two.id].request
    assert request is not None
    # Of the core others than the second one use 0.2, and 0.2 come; 0.0088 of each executor's 0.2
    # went into looking for tuples.
    left = pytest.approx(0.6, abs=0.03)
    assert request.observation.estimates.loads[target].left_for(two.id) == left
    nimbus.round(one, two)
    later = nimbus.service.last_round().observation.estimates.loads[target]
    assert later.left_for(two.id) == left
    came = report(
        target, 2, time=nimbus.clock.now, cores=1.0, busy=0.5, used={one.id: 0.3, two.id: 0.2}
    )
    ones = next(it for it in came.workers if it.topology == one.id)
    workers = [
        with_fields(ones, id=f"new {it.slot}", port=it.slot.port, cpu=0.1, start_cpu=4.0)
        for it in nimbus.running[one.id]
    ]
    nimbus.measured.hosts[target] = with_fields(came, workers=(*workers, *came.workers[1:]))
    nimbus.round(one, two)
    assert nimbus.service.last_round().observation.relieved != {}
    nimbus.clock.now += SETTLES
    nimbus.round(one, two)
    after = nimbus.service.last_round().observation
    assert after.estimates.loads[target].expected == {}
    assert after.relieved == {}


def test_what_lost_its_hosts_is_expected_where_it_is_placed_again() -> None:
    # Both executors of the first need 0.2 cores, as was measured before its workers were gone.
    nimbus, one, two = measured_pair()
    nimbus.running[one.id] = ()
    nimbus.round(one, two)
    request = nimbus.service.last_round().records[two.id].request
    assert request is not None
    loads = request.observation.estimates.loads.values()
    # 0.38 in all, of which 0.2 are still reported there.
    assert sum(it.expected.get(one.id, 0.0) for it in loads) == pytest.approx(0.18, abs=0.02)
