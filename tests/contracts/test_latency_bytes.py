"""The keys and values of the latency contract: whoever changes a byte of them changes this test."""

from pathlib import Path

import pytest
from eyewall_contracts import latency as contract
from eyewall_contracts import metric_history as history
from eyewall_contracts.latency import ContractError, Coordinate, HostRecord, Keys, RttRecord

HERE = Path(__file__).parent
HOST = HostRecord(
    address="10.0.0.7",
    port=7078,
    coordinate=Coordinate((0.0125, -0.0031416, 0.0), 0.0004),
    error=0.0625,
    resets=1,
    at=1_760_000_000.25,
)
RTT = RttRecord(seconds=0.0125, spread=0.0003, at=1_760_000_001.5)


def test_keys_carry_the_version() -> None:
    assert contract.VERSION == 1
    keys = Keys()
    assert keys.version == "eyewall:latency:version"
    assert keys.members == "eyewall:latency:v1:members"
    assert keys.host("edge-1") == "eyewall:latency:v1:host:edge-1"
    assert keys.rtts("edge-1") == "eyewall:latency:v1:rtts:edge-1"


def test_keys_begin_with_the_prefix_of_their_cluster() -> None:
    keys = Keys("storm-1:eyewall")
    assert keys.version == "storm-1:eyewall:latency:version"
    assert keys.members == "storm-1:eyewall:latency:v1:members"
    assert keys.host("edge-1") == "storm-1:eyewall:latency:v1:host:edge-1"
    assert keys.rtts("edge-1") == "storm-1:eyewall:latency:v1:rtts:edge-1"


@pytest.mark.parametrize(
    "prefix", ["", ":", "a:", ":a", "a b", "a\n", "ä", "a" * 101, "a:" * 9 + "a"]
)
def test_what_is_no_prefix_is_refused_as_the_monitor_refuses_it(prefix: str) -> None:
    with pytest.raises(ContractError, match="storm-1:eyewall"):
        Keys(prefix)
    with pytest.raises(ValueError, match="storm-1:eyewall"):
        history.Keys(prefix)


@pytest.mark.parametrize("prefix", ["a", "storm-1:eyewall", "a" * 100, "a:" * 8 + "a"])
def test_what_is_a_prefix_here_is_one_for_the_monitor(prefix: str) -> None:
    assert Keys(prefix).prefix == history.Keys(prefix).prefix == prefix
    assert Keys().prefix == history.Keys().prefix


def test_a_hosts_record_is_these_bytes() -> None:
    golden = (HERE / "latency_host.json").read_bytes()
    assert contract.encode_host(HOST) == golden
    assert contract.decode_host(golden) == HOST


def test_an_rtt_record_is_these_bytes() -> None:
    golden = (HERE / "latency_rtt.json").read_bytes()
    assert contract.encode_rtt(RTT) == golden
    assert contract.decode_rtt(golden) == RTT
