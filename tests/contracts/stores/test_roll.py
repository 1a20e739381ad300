"""Parts of the next version write to a real ZooKeeper and a real Redis; parts of today read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from contract_records import CONTRACT_RECORDS, FULL_COORDINATE, FULL_RTT, FULL_SWITCHES
from decision_records import FULL_DECISION
from eyewall_contracts.decision import day_of, time_of
from eyewall_contracts.stores.decision_history import read_page
from eyewall_contracts.stores.latency_store import LatencyStore
from eyewall_contracts.stores.switch_store import change_switches, read_switches
from eyewall_sidecar.stores import ZookeeperMeasurements
from next_version import NEW, coloured, next_codec
from rate_documents import FULL_RATES
from reports import FULL

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_contracts.znodes import Znodes
    from kazoo.client import KazooClient
    from msgspec import Struct
    from real_stores import Server

CODECS = {type(it.example): next_codec(it) for it in CONTRACT_RECORDS}
PATIENCE = 120.0


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that does all else at once may take long to answer."""
    for module in ("switch_store", "decision_history"):
        monkeypatch.setattr(f"eyewall_contracts.stores.{module}.ANSWER_SECONDS", 60.0)


def next_bytes(record: Struct) -> bytes:
    """The record as the next version writes it."""
    data = CODECS[type(record)].encode(coloured(record))
    assert NEW.encode() in data
    return data


def test_todays_sidecar_reads_what_the_next_agents_and_rates_job_write(
    zookeeper: Server, client: KazooClient, paths: Znodes
) -> None:
    client.create(paths.sample(FULL.host), next_bytes(FULL), makepath=True)
    client.create(paths.rates(FULL_RATES.topology), next_bytes(FULL_RATES), makepath=True)
    store = ZookeeperMeasurements(zookeeper.address, paths, time.time, time.monotonic)
    store.start()
    try:
        end = time.monotonic() + PATIENCE
        while not ((found := store.read()).hosts and found.rates):
            assert time.monotonic() < end, found
            time.sleep(0.1)
    finally:
        store.close()
    assert found.hosts == {FULL.host: FULL}
    assert found.rates == {FULL_RATES.topology: FULL_RATES}
    assert found.remark == ""


def test_todays_history_shows_the_next_sidecars_decisions(
    client: KazooClient, paths: Znodes
) -> None:
    day = day_of(time_of(FULL_DECISION.id))
    path = f"{paths.decisions_of(day)}/{FULL_DECISION.id}"
    client.create(path, next_bytes(FULL_DECISION), makepath=True)
    assert list(read_page(client, paths, 10).records) == [FULL_DECISION]


def test_todays_operator_turns_switches_that_the_next_version_wrote_and_it_reads_them_again(
    client: KazooClient, paths: Znodes
) -> None:
    client.create(paths.switches, next_bytes(FULL_SWITCHES), makepath=True)
    assert read_switches(client, paths) == FULL_SWITCHES
    change_switches(client, paths, lambda it: it.with_all(frozen=False))
    rolled_forward = CODECS[type(FULL_SWITCHES)].decode(client.get(paths.switches)[0])
    assert rolled_forward.frozen is False
    assert rolled_forward.frozen_topologies == FULL_SWITCHES.frozen_topologies


def test_todays_readers_read_the_next_latency_agents_coordinates_and_rtts(
    redis: Server, tmp_path: Path
) -> None:
    store = LatencyStore(redis.patient_url, tmp_path.name)
    store.redis.set(store.keys.host("edge-1"), next_bytes(FULL_COORDINATE))
    store.redis.zadd(store.keys.members, {"edge-1": time.time()})
    store.redis.hset(store.keys.rtts("edge-1"), "fog-1", next_bytes(FULL_RTT))
    found = store.read_hosts()
    assert found.coordinates == {"edge-1": FULL_COORDINATE}
    assert found.left_out == ()
    assert store.read_rtts({"edge-1": ["fog-1"]}) == ({"edge-1": {"fog-1": FULL_RTT}}, ())
    store.close()
