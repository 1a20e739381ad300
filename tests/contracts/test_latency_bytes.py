"""The keys and values of the latency contract: whoever changes a byte of them changes this test."""

from pathlib import Path

from eyewall_latency import contract
from eyewall_latency.contract import Coordinate, HostRecord, RttRecord

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
    assert contract.VERSION_KEY == "eyewall:latency:version"
    assert contract.MEMBERS_KEY == "eyewall:latency:v1:members"
    assert contract.host_key("edge-1") == "eyewall:latency:v1:host:edge-1"
    assert contract.rtts_key("edge-1") == "eyewall:latency:v1:rtts:edge-1"


def test_a_hosts_record_is_these_bytes() -> None:
    golden = (HERE / "latency_host.json").read_bytes()
    assert contract.encode_host(HOST) == golden
    assert contract.decode_host(golden) == HOST


def test_an_rtt_record_is_these_bytes() -> None:
    golden = (HERE / "latency_rtt.json").read_bytes()
    assert contract.encode_rtt(RTT) == golden
    assert contract.decode_rtt(golden) == RTT
