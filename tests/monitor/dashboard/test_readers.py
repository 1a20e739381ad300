"""Readers on real stores that come, go and hold nonsense."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from decision_records import decision
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_monitor.dashboard.readers.history_reader import HistoryReader
from eyewall_monitor.dashboard.readers.latency_reader import LatencyReader
from eyewall_monitor.dashboard.readers.sidecar_reader import WHOLE_SECONDS, SidecarReader
from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperReader
from eyewall_monitor.dashboard.sidecar_client import SidecarClient
from msgspec.structs import replace
from reports import FULL
from scripted_operations import a_plan, a_status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard_stores import Stores
    from eyewall_contracts.sample import Sample
    from real_stores import Server
    from scripted_operations import SidecarServer

TOPOLOGY = "word_count-1-1700000000"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def until(holds: Callable[[], object], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.05)


def reported(host: str, until: float) -> Sample:
    workers = tuple(replace(it, until=until) for it in FULL.workers)
    return replace(FULL, host=host, time=until, workers=workers, sequence=int(until) % 100_000)


@pytest.fixture
def client(sidecar: SidecarServer) -> Iterator[SidecarClient]:
    found = SidecarClient(sidecar.address)
    yield found
    found.close()


def test_the_past_is_read_back_and_what_is_new_is_taken_once(stores: Stores) -> None:
    now = time.time()
    for number in range(300):
        stores.remember(reported("edge-1", now - 5 * (300 - number)))
    taken: list[float] = []
    reader = HistoryReader(stores.redis, stores.prefix, lambda it: taken.append(it.time))
    reader.start()
    try:
        until(lambda: (reader.response_times.since() or now) < now - 80_000)
        # 180 trees of 40.5 ms in each of the reports.
        spans = reader.response_times.spans(TOPOLOGY, now - 2000, now)
        assert sum(it.acked for it in spans) == 300 * 180
        assert taken == []  # all of it was there before
        stores.remember(reported("edge-1", now))
        stores.remember(reported("fog-1", now))
        until(lambda: taken)
        stores.remember(reported("fog-1", now + 1))
        until(lambda: len(taken) == 2)
        assert reader.age is not None
    finally:
        reader.close()


def test_what_is_no_report_is_said_and_left_out(stores: Stores) -> None:
    now = time.time()
    stores.remember(reported("edge-1", now))
    stores.store.xadd(f"{stores.prefix}:v1:history:edge-1", {"v": "1", "z": "nonsense"})
    stores.place("edge-1", 0.0)
    stores.store.set(stores.keys.host("fog-1"), b"{}")
    stores.store.zadd(stores.keys.members, {"fog-1": now})
    history = HistoryReader(stores.redis, stores.prefix, lambda _: None)
    latency = LatencyReader(stores.redis, stores.prefix, lambda: [("edge-1", "fog-1")])
    history.look()
    latency.look()
    assert history.remarks[0].startswith("history: history entry: ")
    found = latency.read()
    assert list(found.hosts) == ["edge-1"]
    assert "1 values left out, of which the first is record of fog-1" in found.remarks[0]
    history.close()
    latency.close()


def test_one_key_of_a_wrong_type_costs_one_host_and_is_said(stores: Stores) -> None:
    now = time.time()
    stores.place("edge-1", 0.0)
    stores.place("fog-1", 1.0)
    stores.probe("edge-1", "fog-1", 0.02)
    stores.store.set(stores.keys.rtts("edge-1"), "x")
    stores.store.hset(stores.keys.version, "x", "y")
    latency = LatencyReader(stores.redis, stores.prefix, lambda: [("edge-1", "fog-1")])
    latency.look()
    found = latency.read()
    assert found.wrong == ""
    assert sorted(found.hosts) == ["edge-1", "fog-1"]
    assert list(found.rtts["fog-1"]) == ["edge-1"]
    assert "2 values left out, of which the first is version: WRONGTYPE" in found.remarks[0]
    latency.close()

    stores.remember(reported("edge-1", now))
    stores.remember(reported("fog-1", now))
    nonsense = f"{stores.prefix}:v1:history:fog-9"
    stores.store.set(nonsense, "x")
    stores.store.zadd(f"{stores.prefix}:v1:history", {"fog-9": now})
    taken: list[str] = []
    history = HistoryReader(stores.redis, stores.prefix, lambda it: taken.append(it.host))
    history.look()
    assert history.age is not None
    (said,) = history.remarks
    assert said.startswith(f"history: 1 keys left out, of which the first is {nonsense}: WRONGTYPE")

    # fog-1 is followed already when its stream is overwritten.
    stores.store.set(f"{stores.prefix}:v1:history:fog-1", "x")
    stores.remember(reported("edge-1", now + 1))
    history.look()
    history.look()
    assert taken == ["edge-1"]
    assert "2 keys left out" in history.remarks[0]

    stores.store.delete(f"{stores.prefix}:v1:history:fog-1", nonsense)
    history.look()
    assert history.remarks == ()
    history.close()


def test_a_history_that_is_read_again_is_not_said_to_be_away(stores: Stores, redis: Server) -> None:
    reader = HistoryReader(stores.redis, stores.prefix, lambda _: None)
    reader.look()
    redis.stop()
    reader.look()
    assert reader.remarks
    redis.start()
    reader.look()
    assert reader.remarks == ()
    reader.close()


def test_a_redis_that_goes_leaves_what_was_read_and_is_found_again(
    stores: Stores, redis: Server
) -> None:
    stores.place("edge-1", 0.0)
    clock = Clock()
    reader = LatencyReader(stores.redis, stores.prefix, list, clock)
    reader.look()
    read_at = reader.read().now
    redis.stop()
    reader.look()
    clock.now += 30
    away = reader.read()
    assert away.wrong
    assert (list(away.hosts), away.age) == (["edge-1"], 30.0)
    assert away.now == pytest.approx(read_at + 30)
    redis.start()
    reader.look()
    assert (reader.read().wrong, reader.read().age) == ("", 0.0)
    reader.close()


def test_a_zookeeper_that_goes_leaves_what_was_read_and_is_found_again(
    stores: Stores, zookeeper: Server
) -> None:
    stores.report(replace(FULL, time=time.time()))
    stores.decide(decision(time.time()))
    reader = ZookeeperReader(stores.zookeeper, stores.paths)
    reader.start()
    try:
        until(lambda: reader.read().decisions_whole)
        zookeeper.freeze()
        until(lambda: reader.read().wrong, 30)
        away = reader.read()
        assert list(away.samples) == ["edge-1"]
        assert len(away.decisions) == 1
        assert away.age is not None
        zookeeper.thaw()
        until(lambda: not reader.read().wrong, 40)
    finally:
        zookeeper.thaw()
        reader.close()


def test_a_report_is_as_old_as_it_is_known_here_whatever_its_hosts_clock_says(
    stores: Stores,
) -> None:
    steady = Clock()
    reader = ZookeeperReader(stores.zookeeper, stores.paths, time.time, steady)
    until(lambda: not reader.look() or not reader.read().wrong)
    stores.report(replace(FULL, time=time.time() - 3600))
    reader.look()
    steady.now += 3
    assert reader.read().sample_ages == {"edge-1": 3.0}
    reader.close()


def test_a_thousand_decisions_are_read_newest_first_and_each_once(stores: Stores) -> None:
    now = time.time()
    reader = ZookeeperReader(stores.zookeeper, stores.paths)
    until(lambda: not reader.look() or not reader.read().wrong)
    stores.decide(*(decision(now - it, it) for it in range(450)))
    assert reader.look() == 0.0  # there is more
    some = reader.read()
    assert (len(some.decisions), some.decisions_whole) == (200, False)
    assert some.decisions[0].said == "decision 0"
    reader.look()
    assert reader.look() > 0.0
    assert (len(reader.read().decisions), reader.read().decisions_whole) == (450, True)
    stores.decide(decision(now + 1, 999))
    reader.look()
    assert reader.read().decisions[0].said == "decision 999"
    reader.close()


def test_ages_grow_between_two_answers_of_the_sidecar(
    client: SidecarClient, sidecar: SidecarServer
) -> None:
    clock = Clock()
    reader = SidecarReader(client, clock)
    assert reader.read().age is None
    reader.look()
    clock.now += 7
    known = reader.read()
    assert (known.age, known.round_age, known.told) == (7.0, 7.5, 7.0)
    reader.look()  # unchanged: only the ages come
    assert (reader.read().age, reader.read().round_age) == (0.0, 0.25)
    assert reader.read().told == 7.0
    assert reader.read().delays_age == 0.5
    clock.now += WHOLE_SECONDS
    reader.look()
    assert reader.read().told == 0.0


def test_another_sidecar_that_counts_the_same_revision_is_not_taken_for_the_old_one(
    client: SidecarClient, sidecar: SidecarServer
) -> None:
    reader = SidecarReader(client, Clock())
    reader.look()
    sidecar.operations.status = a_status(run="another", nimbusId="nimbus-2")
    reader.look()  # of which it hears `unchanged`, and whose run it is
    status = reader.read().status
    assert status is not None
    assert status.nimbus_id == "nimbus-2"


def test_plans_on_their_way_are_asked_for_at_every_look_others_now_and_then(
    client: SidecarClient, sidecar: SidecarServer
) -> None:
    clock = Clock()
    reader = SidecarReader(client, clock)
    reader.look()
    sidecar.operations.plans["p"] = a_plan("p", state="QUEUED")
    reader.look()
    assert reader.read().plans == ()
    clock.now += 5
    reader.look()
    assert [it.state for it in reader.read().plans] == [pb.Plan.QUEUED]
    sidecar.operations.plans["p"].state = pb.Plan.APPLIED
    reader.look()
    assert [it.state for it in reader.read().plans] == [pb.Plan.APPLIED]


def test_a_newer_sidecar_is_not_guessed_at(client: SidecarClient, sidecar: SidecarServer) -> None:
    sidecar.operations.status = a_status(contract_version=2)
    reader = SidecarReader(client, Clock())
    reader.look()
    known = reader.read()
    assert known.status is None
    assert known.wrong == "it speaks contract 2, the dashboard 1: update the dashboard"
