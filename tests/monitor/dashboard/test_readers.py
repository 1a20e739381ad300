"""Readers of real stores that fail, recover and hold malformed values."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from decision_records import decision
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_monitor.dashboard.readers.history_reader import HistoryReader
from eyewall_monitor.dashboard.readers.latency_reader import LatencyReader
from eyewall_monitor.dashboard.readers.reader import pause_after
from eyewall_monitor.dashboard.readers.sidecar_reader import COMPLETE_SECONDS, SidecarReader
from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperReader
from eyewall_monitor.dashboard.sidecar_client import SidecarClient
from msgspec.structs import replace
from reports import FULL
from sidecar_answers import a_plan, a_status

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
        assert time.monotonic() < end, "timed out"
        time.sleep(0.05)


def reported(host: str, until: float) -> Sample:
    workers = tuple(replace(it, until=until) for it in FULL.workers)
    return replace(FULL, host=host, time=until, workers=workers, sequence=int(until) % 100_000)


def acked(reader: HistoryReader, until: float) -> int:
    return sum(it.acked for it in reader.flow.spans(TOPOLOGY, until - 2000, until))


@pytest.fixture
def client(sidecar: SidecarServer) -> Iterator[SidecarClient]:
    found = SidecarClient(sidecar.address)
    yield found
    found.close()


def test_the_past_is_read_and_each_new_report_is_taken_once(stores: Stores) -> None:
    now = time.time()
    for number in range(300):
        stores.remember(reported("edge-1", now - 5 * (300 - number)))
    taken: list[float] = []
    reader = HistoryReader(stores.redis, stores.prefix, lambda it: taken.append(it.time))
    reader.start()
    try:
        until(lambda: (reader.flow.complete_since() or now) < now - 80_000)
        # 180 trees of 40.5 ms in each of the reports.
        assert acked(reader, now) == 300 * 180
        assert taken == []  # all of it was there before
        stores.remember(reported("edge-1", now))
        stores.remember(reported("fog-1", now))
        # The last report of a host that is new belongs to the past: of the flow, but not taken.
        until(lambda: acked(reader, now + 1) == 302 * 180 and taken)
        assert taken == [now]
        stores.remember(reported("fog-1", now + 1))
        until(lambda: len(taken) == 2)
        assert reader.age is not None
    finally:
        reader.close()


def test_malformed_values_are_left_out_with_a_remark(stores: Stores) -> None:
    now = time.time()
    stores.remember(reported("edge-1", now))
    stores.store.xadd(f"{stores.prefix}:v1:history:edge-1", {"v": "1", "z": "nonsense"})
    stores.place("edge-1", 0.0)
    stores.store.set(stores.keys.host("fog-1"), b"{}")
    stores.store.zadd(stores.keys.members, {"fog-1": now})
    history = HistoryReader(stores.redis, stores.prefix, lambda _: None)
    latency = LatencyReader(stores.redis, stores.prefix, lambda: [("edge-1", "fog-1")])
    history.poll()
    latency.poll()
    assert history.remarks[0].startswith("history: history entry: ")
    found = latency.read()
    assert list(found.hosts) == ["edge-1"]
    assert "1 values left out, the first: coordinate of fog-1" in found.remarks[0]
    history.close()
    latency.close()


def test_a_key_of_the_wrong_type_affects_one_host_alone(stores: Stores) -> None:
    now = time.time()
    stores.place("edge-1", 0.0)
    stores.place("fog-1", 1.0)
    stores.probe("edge-1", "fog-1", 0.02)
    stores.store.set(stores.keys.rtts("edge-1"), "x")
    stores.store.hset(stores.keys.version, "x", "y")
    latency = LatencyReader(stores.redis, stores.prefix, lambda: [("edge-1", "fog-1")])
    latency.poll()
    found = latency.read()
    assert found.error == ""
    assert sorted(found.hosts) == ["edge-1", "fog-1"]
    assert list(found.rtts["fog-1"]) == ["edge-1"]
    assert "2 values left out, the first: version: WRONGTYPE" in found.remarks[0]
    latency.close()

    stores.remember(reported("edge-1", now))
    stores.remember(reported("fog-1", now))
    nonsense = f"{stores.prefix}:v1:history:fog-9"
    stores.store.set(nonsense, "x")
    stores.store.zadd(f"{stores.prefix}:v1:history", {"fog-9": now})
    taken: list[str] = []
    history = HistoryReader(stores.redis, stores.prefix, lambda it: taken.append(it.host))
    history.poll()
    assert history.age is not None
    (said,) = history.remarks
    assert said.startswith(f"history: 1 keys left out, the first: {nonsense}: WRONGTYPE")

    # fog-1 is followed already when its stream is overwritten.
    stores.store.set(f"{stores.prefix}:v1:history:fog-1", "x")
    stores.remember(reported("edge-1", now + 1))
    history.poll()
    history.poll()
    assert taken == ["edge-1"]
    assert "2 keys left out" in history.remarks[0]

    stores.store.delete(f"{stores.prefix}:v1:history:fog-1", nonsense)
    history.poll()
    assert history.remarks == ()
    history.close()


def test_the_remark_of_an_outage_ends_with_it(stores: Stores, redis: Server) -> None:
    reader = HistoryReader(stores.redis, stores.prefix, lambda _: None)
    reader.poll()
    redis.stop()
    reader.poll()
    assert reader.remarks
    redis.start()
    reader.poll()
    assert reader.remarks == ()
    reader.close()


def test_the_last_values_stay_while_redis_is_away(stores: Stores, redis: Server) -> None:
    stores.place("edge-1", 0.0)
    clock = Clock()
    reader = LatencyReader(stores.redis, stores.prefix, list, clock)
    reader.poll()
    read_at = reader.read().now
    redis.stop()
    reader.poll()
    clock.now += 30
    away = reader.read()
    assert away.error
    assert (list(away.hosts), away.age) == (["edge-1"], 30.0)
    assert away.now == pytest.approx(read_at + 30)
    redis.start()
    reader.poll()
    assert (reader.read().error, reader.read().age) == ("", 0.0)
    reader.close()


def test_the_last_values_stay_while_zookeeper_is_away(stores: Stores, zookeeper: Server) -> None:
    stores.report(replace(FULL, time=time.time()))
    stores.decide(decision(time.time()))
    reader = ZookeeperReader(stores.zookeeper, stores.paths)
    reader.start()
    try:
        until(lambda: reader.read().decisions_complete)
        zookeeper.freeze()
        until(lambda: reader.read().error)
        away = reader.read()
        assert list(away.samples) == ["edge-1"]
        assert len(away.decisions) == 1
        assert away.age is not None
        zookeeper.thaw()
        until(lambda: not reader.read().error)
    finally:
        zookeeper.thaw()
        reader.close()


def test_the_age_of_a_report_does_not_depend_on_its_hosts_clock(
    stores: Stores,
) -> None:
    steady = Clock()
    reader = ZookeeperReader(stores.zookeeper, stores.paths, time.time, steady)
    until(lambda: not reader.poll() or not reader.read().error)
    stores.report(replace(FULL, time=time.time() - 3600))
    reader.poll()
    steady.now += 3
    assert reader.read().sample_ages == {"edge-1": 3.0}
    reader.close()


def test_decisions_are_read_newest_first_and_once_each(stores: Stores) -> None:
    now = time.time()
    reader = ZookeeperReader(stores.zookeeper, stores.paths)
    until(lambda: not reader.poll() or not reader.read().error)
    stores.decide(*(decision(now - it, it) for it in range(450)))
    assert reader.poll() == 0.0  # there is more
    some = reader.read()
    assert (len(some.decisions), some.decisions_complete) == (200, False)
    assert some.decisions[0].said == "decision 0"
    reader.poll()
    assert reader.poll() > 0.0
    assert (len(reader.read().decisions), reader.read().decisions_complete) == (450, True)
    stores.decide(decision(now + 1, 999))
    reader.poll()
    assert reader.read().decisions[0].said == "decision 999"
    reader.close()


def test_ages_grow_between_answers_of_the_sidecar(
    client: SidecarClient, sidecar: SidecarServer
) -> None:
    clock = Clock()
    reader = SidecarReader(client, clock)
    assert reader.read().age is None
    reader.poll()
    clock.now += 7
    known = reader.read()
    assert (known.age, known.round_age, known.status_age) == (7.0, 7.5, 7.0)
    reader.poll()  # unchanged: only the ages come
    assert (reader.read().age, reader.read().round_age) == (0.0, 0.25)
    assert reader.read().status_age == 7.0
    assert reader.read().delays_age == 0.5
    clock.now += COMPLETE_SECONDS
    reader.poll()
    assert reader.read().status_age == 0.0


def test_another_run_with_the_same_revision_is_read_again(
    client: SidecarClient, sidecar: SidecarServer
) -> None:
    reader = SidecarReader(client, Clock())
    reader.poll()
    sidecar.operations.status = a_status(run="another", nimbusId="nimbus-2")
    reader.poll()  # of which it hears `unchanged`, and whose run it is
    status = reader.read().status
    assert status is not None
    assert status.nimbus_id == "nimbus-2"


def test_plans_are_read_every_second_only_while_one_is_pending(
    client: SidecarClient, sidecar: SidecarServer
) -> None:
    clock = Clock()
    reader = SidecarReader(client, clock)
    reader.poll()
    sidecar.operations.plans["p"] = a_plan("p", state="QUEUED")
    reader.poll()
    assert reader.read().plans == ()
    clock.now += 5
    reader.poll()
    assert [it.state for it in reader.read().plans] == [pb.Plan.QUEUED]
    sidecar.operations.plans["p"].state = pb.Plan.APPLIED
    reader.poll()
    assert [it.state for it in reader.read().plans] == [pb.Plan.APPLIED]


def test_a_later_contract_version_is_refused(client: SidecarClient, sidecar: SidecarServer) -> None:
    sidecar.operations.status = a_status(contract_version=2)
    reader = SidecarReader(client, Clock())
    reader.poll()
    known = reader.read()
    assert known.status is None
    assert known.error == "its contract version is 2, the dashboard's 1: update the dashboard"


def test_a_long_reading_takes_a_twentieth_of_the_time() -> None:
    assert pause_after(0.1) == 1.9  # 0.1 s of 2 s


def test_a_short_reading_has_the_minimum_pause() -> None:
    assert pause_after(0.001, minimum=1.0) == 1.0


def test_the_pause_is_bounded() -> None:
    assert pause_after(3.0) == 5.0
