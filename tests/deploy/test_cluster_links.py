"""Links of a cluster file: units end here, and what is wrong is named."""

from __future__ import annotations

import pytest
from eyewall_deploy.cluster_file import Cluster, ClusterFileError, load, parse
from eyewall_deploy.wan.delay_file import declared_delays
from eyewall_deploy.wan.link_file import leased_hosts
from eyewall_deploy.wan.link_kinds import LeasedLine, PublicNetwork

THREE = """
version = 1
name = "small"
sites = [{name = "here"}]
delays = [{between = ["here", "here"], one_way_ms = 10.0}]
[[hosts]]
name = "plant"
site = "here"
slots = 1
uplink_mbit = 8.0
[[hosts]]
name = "relay"
site = "here"
slots = 1
[[hosts]]
name = "centre"
site = "here"
slots = 1
downlink_mbit = 16.0
"""
LINE = """
[[dedicated]]
between = ["plant", "centre"]
one_way_ms = 5.0
bandwidth_mbit = 4.0
price_per_mb = 2.0
"""


def small(more: str = LINE) -> Cluster:
    return parse(THREE + more, "small.toml")


def refusal(more: str) -> str:
    with pytest.raises(ClusterFileError) as caught:
        small(more)
    return str(caught.value)


def test_units_end_at_the_file() -> None:
    cluster = small()
    # 4 Mbit/s = 500,000 bytes/s; 2 for 10⁶ bytes.
    assert cluster.dedicated == (LeasedLine(("plant", "centre"), 0.005, 500_000, 2e-6),)
    assert [host.uplink for host in cluster.hosts] == [1_000_000, None, None]
    assert [host.downlink for host in cluster.hosts] == [None, None, 2_000_000]
    assert leased_hosts(cluster.dedicated) == ("centre", "plant")


def test_delays_are_those_of_the_public_network_and_no_dedicated_link_changes_them() -> None:
    assert declared_delays(small(), as_of=0.0).delay[0] == (0.0, 0.010, 0.010)


def test_without_a_public_table_the_network_is_steady_and_with_one_it_is_the_papers() -> None:
    assert small().public == PublicNetwork(log2_deviation=0.0)
    assert small("[public]").public == PublicNetwork(log2_deviation=1.0, redrawn_every=0.010)


def test_a_cluster_has_two_kinds_with_a_line_or_with_a_limited_host() -> None:
    assert load("two-kinds").has_two_kinds
    assert small("").has_two_kinds  # its hosts are limited
    assert not load("three-sites").has_two_kinds


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            LINE.replace('"centre"', '"center"'),
            (
                "dedicated[0].between = ['plant', 'center']: no host center; "
                "hosts are plant, relay, centre (did you mean centre?)"
            ),
        ),
        (
            LINE.replace('"centre"', '"plant"'),
            (
                "dedicated[0].between = ['plant', 'plant']: a host needs no link to itself; "
                "two different hosts are allowed"
            ),
        ),
        (
            LINE + LINE.replace('"plant", "centre"', '"centre", "plant"'),
            (
                "dedicated[1].between = ['centre', 'plant']: this pair is given twice; "
                "each pair once, it serves both ways"
            ),
        ),
        (
            LINE.replace("[[dedicated]]", "[[dedicatd]]"),
            "(did you mean dedicated?)",
        ),
        (
            LINE.replace("bandwidth_mbit = 4.0", ""),
            "dedicated[0].bandwidth_mbit: missing; needed: Mbit/s, above 0",
        ),
        (
            LINE.replace("bandwidth_mbit = 4.0", "bandwidth_mbit = 0.0"),
            "dedicated[0].bandwidth_mbit = 0.0: input should be greater than 0",
        ),
        (
            LINE.replace('between = ["plant", "centre"]', ""),
            "dedicated[0].between: missing; needed: two names",
        ),
        (
            LINE.replace("one_way_ms", "oneway_ms"),
            (
                "allowed are between, one_way_ms, bandwidth_mbit, price_per_mb "
                "(did you mean one_way_ms?)"
            ),
        ),
        (
            "[public]\nlog2_deviation = 5.0",
            "public.log2_deviation = 5.0: input should be less than or equal to 4",
        ),
        (
            "[public]\nsigma = 1.0",
            "public.sigma = 1.0: unknown key; allowed are log2_deviation, redrawn_every_ms",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_value_and_what_is_allowed(more: str, says: str) -> None:
    assert says in refusal(more)


def test_a_public_network_that_varies_needs_a_limited_host_to_vary() -> None:
    unlimited = THREE.replace("uplink_mbit = 8.0", "").replace("downlink_mbit = 16.0", "")
    with pytest.raises(ClusterFileError) as caught:
        parse(unlimited + "[public]", "small.toml")
    assert str(caught.value) == (
        "small.toml: public.log2_deviation = 1: no host has a limited up- or downlink that "
        "could vary; give some host uplink_mbit or downlink_mbit"
    )
