import math

import pytest
from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.latency import (
    UNKNOWN,
    VERSION,
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    decode_host,
    decode_rtt,
    delay_between,
    encode_host,
    encode_rtt,
    is_probeable,
    newer_version,
)
from eyewall_contracts.metric_history import HistoryKeys
from msgspec.structs import replace

NOW = 1_000.0


def host(
    *position: float, error: float = 0.0, at: float = NOW, height: float = 0.0
) -> HostCoordinate:
    return HostCoordinate("10.0.0.1", 7078, position, at, height, error)


def test_a_pair_that_was_probed_lately_has_its_measured_delay_not_the_coordinates() -> None:
    # RTT 80 ms: 40 ms one way. The coordinates say 10 ms. 30 s of 120 s old: 1 - 0.5 · 0.25.
    delay = delay_between(host(0.0), host(0.010), {"a": RttRecord(0.080, 0.0, NOW - 30)}, now=NOW)
    assert (delay.kind, delay.seconds, delay.age) == ("measured", 0.040, 30.0)
    assert delay.confidence == pytest.approx(0.875)


def test_samples_that_scatter_are_worth_less() -> None:
    # 80 ms with a spread of 20 ms: 80 / (80 + 20).
    delay = delay_between(None, None, {"a": RttRecord(0.080, 0.020, NOW)}, now=NOW)
    assert delay.confidence == pytest.approx(0.8)
    assert delay.spread == pytest.approx(0.010)  # one way


def test_of_both_ends_probes_the_latest_counts() -> None:
    probed = {"a": RttRecord(0.010, 0.0, NOW - 9), "b": RttRecord(0.080, 0.0, NOW - 2)}
    assert delay_between(None, None, probed, now=NOW).seconds == 0.040


def test_once_a_measurement_is_stale_the_coordinates_distance_takes_its_place() -> None:
    # 3-4-5: 50 ms, and heights of 1 and 2 ms: RTT 53 ms, 26.5 ms one way.
    # Errors of 10 % at each end: confidence 0.8; 6 s of 60 s old: times 0.95.
    source = host(0.0, 0.0, error=0.1, height=0.001)
    target = host(0.030, 0.040, error=0.1, height=0.002, at=NOW - 6)
    stale = {"a": RttRecord(0.080, 0.0, NOW - 121)}
    delay = delay_between(source, target, stale, now=NOW)
    assert delay.kind == "estimated"
    assert delay.seconds == pytest.approx(0.0265)
    assert delay.age == 6.0
    assert delay.confidence == pytest.approx(0.76)
    assert delay.spread == pytest.approx(0.0053)  # 20 % of 26.5 ms


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (None, host(0.0)),
        (host(0.0), None),
        (host(0.0), host(0.0, at=NOW - 61)),  # dead for longer than the expiry
        (host(0.0), host(0.0, 0.0)),  # of another space
    ],
)
def test_unknown_is_not_zero(source: HostCoordinate | None, target: HostCoordinate | None) -> None:
    delay = delay_between(source, target, {}, now=NOW)
    assert delay == UNKNOWN
    assert (delay.seconds, delay.confidence) == (None, 0.0)


def test_a_delay_measured_in_the_future_is_new() -> None:
    assert delay_between(None, None, {"a": RttRecord(0.01, 0, NOW + 5)}, now=NOW).age == 0.0


def test_what_is_written_is_read_again() -> None:
    there = HostCoordinate("fd00::1", 1, (0.0123456, -0.5), 12.5, 0.001, 0.25, 3)
    assert decode_host(encode_host(there)) == there
    assert decode_rtt(encode_rtt(RttRecord(0.0, 0.0, 1.0))) == RttRecord(0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "bad",
    [
        host(math.nan),
        host(-math.inf),
        host(601.0),
        host(),
        host(*range(17)),
        host(0.0, height=-0.1),
        host(0.0, error=1.5),
        replace(host(0.0), address="224.0.0.1"),
        replace(host(0.0), port=0),
    ],
    ids=range(9),
)
def test_a_coordinate_that_cannot_be_is_neither_written_nor_read(bad: HostCoordinate) -> None:
    with pytest.raises(ContractError, match=r"^coordinate: "):
        encode_host(bad)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.001, 60.1])
def test_an_rtt_out_of_range_is_neither_written_nor_read(bad: float) -> None:
    with pytest.raises(ContractError, match=r"^RTT: rtt is .*; it must be a number of seconds"):
        encode_rtt(RttRecord(bad, 0.0, NOW))
    good = encode_rtt(RttRecord(0.5, 0.0, NOW))
    with pytest.raises(ContractError):
        decode_rtt(good.replace(b"0.5", f"{bad}".encode()))


def test_a_value_that_is_too_long_is_not_looked_into() -> None:
    with pytest.raises(ContractError, match="3000 bytes; at most 2048"):
        decode_host(b" " * 3000)


@pytest.mark.parametrize(
    ("address", "port", "allowed"),
    [
        ("10.0.0.1", 7078, True),
        ("127.0.0.1", 1, True),
        ("fd00::1", 65_535, True),
        ("10.0.0.1", 0, False),
        ("10.0.0.1", 65_536, False),
        ("0.0.0.0", 7078, False),
        ("224.0.0.1", 7078, False),
        ("255.255.255.255", 7078, False),
        ("example.org", 7078, False),
        ("", 7078, False),
    ],
)
def test_only_the_address_of_one_machine_can_be_probed(
    address: str, port: int, allowed: bool
) -> None:
    assert is_probeable(address, port) is allowed


def test_host_names_are_what_keys_can_carry() -> None:
    assert is_host_name("edge-1.site_a.example")
    assert not any(map(is_host_name, ("", "a b", "a\n", "-a", "a" * 256, "ä")))


def test_a_newer_version_is_noticed_and_noise_is_not() -> None:
    assert newer_version(b"2") == 2
    assert [newer_version(it) for it in (None, b"1", b"0", b"x", b"-3", b"9" * 50)] == [None] * 6


def test_keys_carry_the_version() -> None:
    assert VERSION == 1
    keys = LatencyKeys()
    assert keys.version == "eyewall:latency:version"
    assert keys.members == "eyewall:latency:v1:members"
    assert keys.host("edge-1") == "eyewall:latency:v1:host:edge-1"
    assert keys.rtts("edge-1") == "eyewall:latency:v1:rtts:edge-1"


def test_keys_begin_with_the_prefix_of_their_cluster() -> None:
    keys = LatencyKeys("storm-1:eyewall")
    assert keys.version == "storm-1:eyewall:latency:version"
    assert keys.members == "storm-1:eyewall:latency:v1:members"
    assert keys.host("edge-1") == "storm-1:eyewall:latency:v1:host:edge-1"
    assert keys.rtts("edge-1") == "storm-1:eyewall:latency:v1:rtts:edge-1"


@pytest.mark.parametrize(
    "prefix", ["", ":", "a:", ":a", "a b", "a\n", "ä", "a" * 101, "a:" * 9 + "a"]
)
def test_what_is_no_prefix_is_refused_for_delays_and_for_reports(prefix: str) -> None:
    with pytest.raises(ContractError, match="storm-1:eyewall"):
        LatencyKeys(prefix)
    with pytest.raises(ContractError, match="storm-1:eyewall"):
        HistoryKeys(prefix)


@pytest.mark.parametrize("prefix", ["a", "storm-1:eyewall", "a" * 100, "a:" * 8 + "a"])
def test_a_prefix_of_delays_is_one_of_reports(prefix: str) -> None:
    assert LatencyKeys(prefix).prefix == HistoryKeys(prefix).prefix == prefix
    assert LatencyKeys().prefix == HistoryKeys().prefix
