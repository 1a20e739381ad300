"""Rates and reports read from a real ZooKeeper, which may be away or hold nonsense."""

from __future__ import annotations

import socket
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest
from eyewall_contracts.rates import encode_rates
from eyewall_contracts.sample import encode_sample
from eyewall_sidecar.stores import Measurements, ZookeeperMeasurements
from eyewall_sidecar.stores.measurements import MOST_EARLIER
from kazoo.client import KazooClient
from measured_topologies import rates_of, report
from storm_builders import chain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eyewall_contracts.sample import Sample
    from eyewall_contracts.znodes import Znodes
    from real_stores import Server

TOPOLOGY = chain(("source", 1), ("count", 1))
PATIENCE = 120.0


@pytest.fixture
def store(zookeeper: Server, paths: Znodes) -> Iterator[ZookeeperMeasurements]:
    it = ZookeeperMeasurements(zookeeper.address, paths, time.time, time.monotonic)
    it.start()
    yield it
    it.close()


def put(client: KazooClient, path: str, data: bytes) -> None:
    client.ensure_path(path)
    client.set(path, data)


def put_rates(client: KazooClient, paths: Znodes, rate: float) -> None:
    document = rates_of(TOPOLOGY, {2: rate}, {1: rate})
    put(client, paths.rates(TOPOLOGY.id), encode_rates(document))


def until(store: ZookeeperMeasurements, true: Callable[[Measurements], object]) -> Measurements:
    end = time.monotonic() + PATIENCE
    while not true(found := store.read()):
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


def rate(found: Measurements) -> float | None:
    document = found.rates.get(TOPOLOGY.id)
    return None if document is None else document.streams[0].rate.value


def test_what_is_written_is_read_and_what_is_written_over_it_too(
    store: ZookeeperMeasurements, client: KazooClient, paths: Znodes
) -> None:
    put_rates(client, paths, 100.0)
    put(client, paths.sample("edge-1"), encode_sample(report("edge-1", busy=0.5)))
    found = until(store, lambda it: it.rates and it.hosts)
    assert found.wanted
    assert found.remark == ""
    assert rate(found) == 100.0
    assert found.hosts["edge-1"] == report("edge-1", busy=0.5)
    put_rates(client, paths, 200.0)
    until(store, lambda it: rate(it) == 200.0)


def latest_is(sample: Sample, found: Measurements) -> bool:
    return found.hosts.get(sample.host) == sample


def test_what_was_written_before_the_latest_report_of_a_host_is_kept(
    store: ZookeeperMeasurements, client: KazooClient, paths: Znodes
) -> None:
    reports = [report("edge-1", n, busy=0.1 * n) for n in range(MOST_EARLIER + 3)]
    for it in reports:
        put(client, paths.sample("edge-1"), encode_sample(it))
        found = until(store, partial(latest_is, it))
    assert found.earlier["edge-1"] == tuple(reports[2:-1])
    client.delete(paths.sample("edge-1"))
    assert until(store, lambda it: not it.hosts).earlier == {}


def test_what_is_there_is_known_as_soon_as_the_store_has_started(
    zookeeper: Server, client: KazooClient, paths: Znodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyewall_sidecar.stores.measurements.FIRST_LOOK_SECONDS", 120.0)
    monkeypatch.setattr("eyewall_contracts.stores.zookeeper_session.ANSWER_SECONDS", 120.0)
    put_rates(client, paths, 100.0)
    store = ZookeeperMeasurements(zookeeper.address, paths, time.time, time.monotonic)
    store.start()
    try:
        assert rate(store.read()) == 100.0
    finally:
        store.close()


def test_what_has_not_changed_is_the_very_same_value_and_is_not_fetched_again(
    store: ZookeeperMeasurements,
    client: KazooClient,
    paths: Znodes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_rates(client, paths, 100.0)
    before = until(store, lambda it: it.rates).rates[TOPOLOGY.id]
    fetched: list[str] = []
    get_async = KazooClient.get_async

    def counted(its: KazooClient, path: str) -> object:
        fetched.append(path)
        return get_async(its, path)

    monkeypatch.setattr(KazooClient, "get_async", counted)
    time.sleep(2.5)
    put(client, paths.sample("edge-1"), encode_sample(report("edge-1")))
    found = until(store, lambda it: it.hosts)
    assert found.rates[TOPOLOGY.id] is before
    assert set(fetched) == {paths.sample("edge-1")}


def test_what_is_gone_is_known_no_longer(
    store: ZookeeperMeasurements, client: KazooClient, paths: Znodes
) -> None:
    put_rates(client, paths, 100.0)
    until(store, lambda it: it.rates)
    client.delete(paths.rates(TOPOLOGY.id))
    until(store, lambda it: not it.rates)


def test_a_document_that_cannot_be_read_is_named_and_takes_no_other_with_it(
    store: ZookeeperMeasurements,
    client: KazooClient,
    paths: Znodes,
    caplog: pytest.LogCaptureFixture,
) -> None:
    put(client, paths.rates("forged-1-1"), b'{"version": 99}')
    put_rates(client, paths, 100.0)
    found = until(store, lambda it: it.rates and it.remark)
    assert "rates/forged-1-1: rates: version 99 is incompatible" in found.remark
    assert rate(found) == 100.0
    assert [it for it in caplog.records if it.name.startswith("eyewall")] == []  # a remark will do


def test_a_znode_without_any_data_takes_no_other_with_it(
    store: ZookeeperMeasurements, client: KazooClient, paths: Znodes
) -> None:
    client.ensure_path(paths.rates("empty-1-1"))
    client.set(paths.rates("empty-1-1"), None)
    put_rates(client, paths, 100.0)
    found = until(store, lambda it: it.rates and it.remark)
    assert "rates/empty-1-1: rates: no JSON object" in found.remark
    assert rate(found) == 100.0


def test_a_surprise_is_said_and_reading_goes_on(
    store: ZookeeperMeasurements,
    client: KazooClient,
    paths: Znodes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_rates(client, paths, 100.0)
    until(store, lambda it: it.rates)
    with monkeypatch.context() as broken:
        broken.setattr(KazooClient, "exists_async", lambda *_: 1 // 0)
        found = until(store, lambda it: it.remark)
        assert "ZeroDivisionError" in found.remark
    put_rates(client, paths, 200.0)
    assert until(store, lambda it: rate(it) == 200.0).remark == ""


def test_a_document_of_another_topology_is_not_taken_for_its_own(
    store: ZookeeperMeasurements, client: KazooClient, paths: Znodes
) -> None:
    document = encode_rates(rates_of(TOPOLOGY, {2: 100.0}, {1: 100.0}))
    put(client, paths.rates("another-1-1"), document)
    said = f"rates/another-1-1: says that it is of {TOPOLOGY.id}"
    found = until(store, lambda it: said in it.remark)
    assert found.rates == {}


def ten_times_as_fast() -> float:
    """Return the seconds of a steady clock; real ones are long until a session counts as lost."""
    return 10 * time.monotonic()


def test_while_zookeeper_is_away_the_last_is_handed_out_and_it_is_said(
    client: KazooClient, paths: Znodes, zookeeper: Server
) -> None:
    store = ZookeeperMeasurements(zookeeper.address, paths, time.time, ten_times_as_fast)
    store.start()
    put_rates(client, paths, 100.0)
    until(store, lambda it: it.rates)
    zookeeper.stop()
    try:
        found = until(store, lambda it: it.remark.endswith(": no connection"))
        assert rate(found) == 100.0
    finally:
        zookeeper.start()
    # The ZooKeeper of the tests forgets, so a session of before is refused: another one is begun.
    fresh = KazooClient(zookeeper.address)
    fresh.start(timeout=120)
    put_rates(fresh, paths, 300.0)
    fresh.stop()
    fresh.close()
    found = until(store, lambda it: rate(it) == 300.0)
    assert found.remark == ""
    store.close()


def test_a_zookeeper_that_hangs_does_not_keep_the_sidecar_from_ending(
    paths: Znodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience = 120.0
    monkeypatch.setattr("eyewall_contracts.stores.zookeeper_session.ANSWER_SECONDS", patience)
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        address = f"127.0.0.1:{hanging.getsockname()[1]}"
        store = ZookeeperMeasurements(address, paths, time.time, time.monotonic)
        store.start()
        connection, _ = hanging.accept()
        began = time.monotonic()
        store.close()
        connection.close()
        assert time.monotonic() - began < 0.7 * patience


def test_no_round_waits_for_a_zookeeper_that_does_not_answer(paths: Znodes) -> None:
    store = ZookeeperMeasurements("127.0.0.1:1", paths, time.time, time.monotonic)
    store.start()
    try:
        found = store.read()
    finally:
        store.close()
    assert found.wanted
    assert found.rates == {}
    assert "not read yet" in found.remark or "no connection" in found.remark
