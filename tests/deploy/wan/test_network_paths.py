"""Which path a packet takes: by kind, by mark, hop by hop; no clock and no devices."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.cluster_file import load
from eyewall_deploy.wan.addresses import CONTROL, addresses
from eyewall_deploy.wan.delay_file import declared_delays
from eyewall_deploy.wan.link_file import Mark, declared_links, leased_hosts
from eyewall_deploy.wan.network_paths import DedicatedPaths, PublicPaths, fewest_hops
from eyewall_deploy.wan.traffic import TrafficCounter
from eyewall_deploy.wan.tun import HEADER
from hypothesis import example, given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.wan.network_paths import NetworkPath

CLUSTER = load("two-kinds")
HOSTS = [host.name for host in CLUSTER.hosts]
ADDRESS_OF = addresses(HOSTS)
DEVICES = {name: 100 + place for place, name in enumerate(ADDRESS_OF)}
SIZE = 1_000
TCP, UDP = 6, 17


def packet(source: str, target: str, from_port: int, to_port: int, protocol: int = TCP) -> bytes:
    """An IPv4 packet of SIZE bytes behind its virtio header."""
    ends = [bytes(map(int, ADDRESS_OF[host].split("."))) for host in (source, target)]
    header = bytes([0x45]) + bytes(8) + bytes([protocol]) + bytes(2) + b"".join(ends)
    ports = from_port.to_bytes(2) + to_port.to_bytes(2)
    return bytes(HEADER) + (header + ports).ljust(SIZE, b"\0")


def arrival(path: NetworkPath | None) -> float:
    """Seconds after which a packet that enters at 0 is through all stages."""
    assert path is not None
    now = 0.0
    for stage in path.stages:
        due = stage.accept(SIZE, now)
        assert due is not None
        now = due
    return now


def dedicated() -> DedicatedPaths:
    leased = {host: DEVICES[host] for host in leased_hosts(CLUSTER.dedicated)}
    return DedicatedPaths(leased, ADDRESS_OF, CLUSTER.dedicated, Random(0))


def test_a_public_packet_passes_the_senders_uplink_the_pairs_delay_and_the_receivers_downlink() -> (
    None
):
    links = declared_links(CLUSTER, as_of=0.0)
    steady = replace(links, public=replace(links.public, log2_deviation=0.0))
    public = PublicPaths(DEVICES, ADDRESS_OF, steady, Random(0))
    public.set_delays(declared_delays(CLUSTER, as_of=0.0))
    path = public.find(packet("plant", "centre", 40_000, 6700))
    assert path is not None
    assert (path.kind, path.device) == ("public", DEVICES["centre"])
    # 1,000 bytes at 2 Mbit/s = 250 KB/s: 4 ms; 30 ms; at 6 Mbit/s = 750 KB/s: 1.333 ms.
    assert arrival(path) == pytest.approx(0.004 + 0.030 + 0.001333, abs=1e-6)


def test_a_changed_deviation_reaches_the_shapers() -> None:
    links = declared_links(CLUSTER, as_of=0.0)
    public = PublicPaths(DEVICES, ADDRESS_OF, links, Random(0))
    public.set_delays(declared_delays(CLUSTER, as_of=0.0))
    public.set_links(replace(links, public=replace(links.public, log2_deviation=0.0)))
    path = public.find(packet("plant", "centre", 40_000, 6700))
    assert arrival(path) == pytest.approx(0.004 + 0.030 + 0.001333, abs=1e-6)


def test_to_and_from_control_there_is_no_stage_though_the_host_has_an_uplink() -> None:
    public = PublicPaths(DEVICES, ADDRESS_OF, declared_links(CLUSTER, as_of=0.0), Random(0))
    for ends in (("plant", CONTROL), (CONTROL, "plant")):
        path = public.find(packet(*ends, 40_000, 2181))
        assert path is not None
        assert path.stages == ()


def test_a_packet_that_is_not_between_two_hosts_has_no_path() -> None:
    public = PublicPaths(DEVICES, ADDRESS_OF, None, Random(0))
    assert public.find(bytes(HEADER) + b"\x60" + bytes(60)) is None
    assert public.find(b"short") is None
    assert dedicated().find(b"short") is None


def test_a_marked_connection_goes_hop_by_hop_and_its_answers_the_same_route_back() -> None:
    paths = dedicated()
    paths.set_marks([Mark("plant", "centre", 6700, ("plant", "relay", "centre"))])
    there = paths.find(packet("plant", "centre", 40_000, 6700))
    back = paths.find(packet("centre", "plant", 6700, 40_000))
    assert there is not None
    assert back is not None
    assert (there.device, back.device) == (DEVICES["centre"], DEVICES["plant"])
    # 1,000 bytes at 4 Mbit/s = 500 KB/s are 2 ms on each of two wires of 5 and 8 ms.
    assert arrival(there) == pytest.approx(0.002 + 0.005 + 0.002 + 0.008)
    assert arrival(back) == pytest.approx(0.002 + 0.008 + 0.002 + 0.005)


def test_two_connections_of_one_pair_may_take_different_routes_and_share_a_wire() -> None:
    paths = dedicated()
    paths.set_marks(
        [
            Mark("plant", "centre", 6700, ("plant", "relay", "centre")),
            Mark("plant", "centre", 6701, ("plant", "centre")),
            Mark("plant", "relay", 6700, ("plant", "relay")),
        ]
    )
    # Direct: 2 ms and 10 ms. The first packet on plant–relay keeps the second one waiting 2 ms.
    assert arrival(paths.find(packet("plant", "centre", 1, 6701))) == pytest.approx(0.012)
    assert arrival(paths.find(packet("plant", "centre", 1, 6700))) == pytest.approx(0.017)
    assert arrival(paths.find(packet("plant", "relay", 1, 6700))) == pytest.approx(0.009)


def test_a_packet_without_a_mark_takes_the_fewest_hops() -> None:
    paths = dedicated()
    paths.set_marks([Mark("plant", "centre", 6700, ("plant", "relay", "centre"))])
    paths.set_marks([])
    for protocol in (TCP, UDP):
        path = paths.find(packet("plant", "centre", 40_000, 6700, protocol))
        assert arrival(path) == pytest.approx(0.012, abs=0.0021)  # direct; the 2nd waits 2 ms


def test_a_changed_bandwidth_is_that_of_both_directions_and_of_routes_in_force() -> None:
    paths = dedicated()
    paths.set_marks([Mark("plant", "centre", 6700, ("plant", "relay", "centre"))])
    slow = [replace(link, bandwidth=100_000.0) for link in CLUSTER.dedicated]
    paths.set_links(slow)
    # 10 ms a wire instead of 2.
    assert arrival(paths.find(packet("plant", "centre", 1, 6700))) == pytest.approx(0.033)
    assert arrival(paths.find(packet("centre", "plant", 6700, 1))) == pytest.approx(0.033)


names = st.sampled_from("abcdefg")
directed = st.sets(st.tuples(names, names).filter(lambda it: it[0] != it[1]), max_size=20)
TWO_ROUTES = {("a", "b"), ("b", "d"), ("a", "c"), ("c", "e"), ("e", "d")}
"""From a to d: over b, or over c and e."""


@example(TWO_ROUTES, "a", "d")
@given(directed, names, names)
def test_the_fewest_hops_lead_along_links_and_no_route_is_shorter(
    pairs: set[tuple[str, str]], source: str, target: str
) -> None:
    reached, frontier, distance = {source}, {source}, 0
    while target not in reached and frontier:
        frontier = {b for a, b in pairs if a in frontier} - reached
        reached |= frontier
        distance += 1
    route = fewest_hops(sorted(pairs), source, target)
    if target not in reached:
        assert route is None
        return
    assert route is not None
    assert (route[0], route[-1], len(route) - 1) == (source, target, distance)
    assert set(pairwise(route)) <= pairs


def test_traffic_is_counted_by_connection_and_kind_and_answers_are_not(tmp_path: Path) -> None:
    traffic = TrafficCounter(ADDRESS_OF)
    there = packet("plant", "centre", 40_000, 6700)
    traffic.count(there, "public")
    traffic.count(there, "public")
    traffic.count(there, "dedicated")
    traffic.count_loss(there, "public")
    traffic.count(packet("centre", "plant", 6700, 40_000), "public")
    traffic.count(packet("plant", "centre", 40_000, 6700, UDP), "public")
    traffic.write(tmp_path / "traffic.json", as_of=5.0)
    ends = {"source": "plant", "target": "centre", "port": 6700}
    assert json.loads((tmp_path / "traffic.json").read_text()) == {
        "version": 1,
        "as_of": 5.0,
        "connections": [
            {**ends, "kind": "dedicated", "bytes": SIZE, "lost": 0},
            {**ends, "kind": "public", "bytes": 2 * SIZE, "lost": 1},
        ],
    }
